package shellsyntax

import (
	"slices"
	"strings"
)

// exTool finds the commands that editors of vi's kind are told in their options.
func exTool(c *Command, document *Word, in *inside) {
	args := c.arguments()
	if document != nil && (c.Name() == "ex" || slices.ContainsFunc(args, func(w Word) bool { return w.Value == "-e" || w.Value == "-es" || w.Value == "-E" || w.Value == "-Es" })) {
		in.exCommands(document.Value)
	}
	for i := 0; i < len(args); i++ {
		text := args[i].Value
		switch {
		case strings.HasPrefix(text, "+"):
			in.exCommands(text[1:])
		case text == "--cmd" && i+1 < len(args):
			i++
			in.exCommands(args[i].Value)
		case strings.HasPrefix(text, "--"), len(text) < 2, text[0] != '-':
		default:
			at := strings.IndexByte(text, 'c')
			if at < 0 || strings.ContainsAny(text[:at], "SuUiTtwWq") { // these have values
				continue
			}
			if rest := text[at+1:]; rest != "" {
				in.exCommands(rest)
			} else if i+1 < len(args) {
				i++
				in.exCommands(args[i].Value)
			}
		}
	}
}

// exRunners run a program, or code that can; exFiles read or write a file.
var (
	exRunners = []string{"sh", "she", "shel", "shell", "ter", "term", "terminal", "te", "py", "py3", "python", "python3", "pyx", "lua", "luado", "perl", "perldo", "ruby", "rubydo", "tcl", "pydo", "py3do", "mak", "make", "grep", "gr", "lgrep", "call", "cal", "let", "echo", "exe", "execute", "exec", "norm", "normal"}
	exReaders = []string{"r", "re", "read", "e", "ed", "edit", "so", "source", "sp", "split", "vs", "tabe", "tabedit", "view", "find", "ru", "runtime"}
	exWriters = []string{"w", "wr", "write", "wq", "x", "sav", "saveas", "up", "update", "mks", "mksession", "mk", "mkexrc", "redi", "redir", "wa"}
	// exPrefixes stand in front of another command.
	exPrefixes = []string{"sil", "silent", "sil!", "silent!", "argdo", "bufdo", "windo", "tabdo", "cdo", "verb", "verbose", "noa", "noautocmd", "keepalt", "keepj", "sandbox", "bo", "tab", "vert", "to", "abo", "bel", "lefta", "rightb"}
)

// exCommands looks at commands of ex, with bars between them.
func (in *inside) exCommands(text string) {
	for line := range strings.Lines(text) {
		for {
			rest := in.exCommand(line)
			if rest == "" {
				break
			}
			line = rest
		}
	}
}

// exCommand looks at one command, and gives back what stands behind its bar.
func (in *inside) exCommand(line string) string {
	line = behindRange(line)
	for {
		word, rest, _ := strings.Cut(line, " ")
		if !slices.Contains(exPrefixes, word) {
			break
		}
		line = behindRange(rest)
	}
	if command, runs := strings.CutPrefix(line, "!"); runs {
		in.run(command)
		return ""
	}
	end := 0
	for end < len(line) && (isNameByte(line[end]) && (line[end] < '0' || line[end] > '9' || end > 0)) {
		end++
	}
	name, rest := line[:end], line[end:]
	args := strings.TrimSpace(strings.TrimPrefix(rest, "!"))
	command, runs := strings.CutPrefix(strings.TrimSpace(rest), "!")
	switch {
	case name == "g" || name == "v" || name == "global" || name == "vglobal": // g/pattern/command
		if len(rest) < 2 {
			return ""
		}
		_, command, _ := strings.Cut(rest[1:], rest[:1])
		return command
	case name == "s" || name == "substitute":
		if strings.Contains(rest, `\=`) {
			in.shape(tellsProgram)
		}
		if len(rest) > 1 {
			if parts := strings.SplitN(rest[1:], rest[:1], 3); len(parts) == 3 {
				_, next, _ := strings.Cut(parts[2], "|")
				return next
			}
		}
		return ""
	case slices.Contains(exRunners, name):
		if name[0] != 'l' && name[0] != 'c' && name[0] != 'e' && name[0] != 'n' || strings.ContainsAny(rest, "!") || strings.Contains(rest, "system") || strings.HasPrefix(name, "lua") || strings.Contains(rest, "job") || strings.Contains(rest, "termopen") || strings.Contains(rest, "writefile") {
			in.shape(tellsProgram)
		}
		return ""
	case runs && (slices.Contains(exReaders, name) || slices.Contains(exWriters, name)) && (rest[0] == ' ' || name[0] == 'r'):
		in.run(command)
		return ""
	case slices.Contains(exReaders, name) || slices.Contains(exWriters, name):
		file, _, _ := strings.Cut(args, "|")
		if file = strings.TrimSpace(strings.TrimLeft(file, "> ")); slices.Contains(exReaders, name) {
			in.reading(file)
		} else {
			in.writing(file)
		}
	}
	_, next, _ := strings.Cut(rest, "|")
	return next
}

// behindRange is a command without the lines that it is for: %, 1,$, 'a,'b, /x/,/y/.
func behindRange(line string) string {
	for {
		line = strings.TrimLeft(line, " \t\n:0123456789.,$%<>;+-*")
		switch {
		case len(line) > 1 && line[0] == '\'':
			line = line[2:]
		case len(line) > 1 && (line[0] == '/' || line[0] == '?') && strings.IndexByte(line[1:], line[0]) >= 0:
			line = line[2+strings.IndexByte(line[1:], line[0]):]
		default:
			return line
		}
	}
}
