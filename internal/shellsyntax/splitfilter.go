package shellsyntax

import "strings"

// splitTool finds the command line that split hands each piece of a file to: --filter. It
// is judged as one that reads what stands in front of it in a pipe.
func splitTool(c *Command, _ *Word, in *inside) {
	args := c.arguments()
	for i, arg := range args {
		if arg.Value == "--" {
			return
		}
		name, line, glued := strings.Cut(arg.Value, "=")
		if len(name) < len("--f") || !strings.HasPrefix("--filter", name) {
			continue
		}
		filter := part(arg, line)
		if !glued {
			if i+1 == len(args) {
				return
			}
			filter = args[i+1]
		}
		if !filter.Static && strings.TrimLeft(filter.Value, " ") != "" && !startsPlainly(filter.Value) {
			in.shape(tellsProgram)
		}
		if strings.TrimSpace(filter.Value) != "" {
			in.line("cat | {\n" + filter.Value + "\n}")
		}
	}
}

// startsPlainly says whether a command line begins with the name of a program.
func startsPlainly(line string) bool {
	word, _, _ := strings.Cut(strings.TrimSpace(line), " ")
	return isPlain(word)
}
