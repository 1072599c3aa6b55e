package shellsyntax

import (
	"slices"
	"strings"
)

// manTool finds the programs that man shows its pages with: a pager that runs nothing
// else is an everyday one.
func manTool(c *Command, _ *Word, in *inside) {
	args := c.arguments()
	for i, arg := range args {
		name, _, _ := strings.Cut(arg.Value, "=")
		if !isCutShort(name, "--pager") && !isCutShort(name, "--html") {
			name = "--pager"
		}
		value, _, found := option(args, i, "PH", name)
		if !found {
			continue
		}
		if value.Value != "" && (!value.Static || !isHarmlessPager(value.Value)) {
			in.run(value.Value)
		}
	}
}

// isCutShort says whether a word is a long option, or its beginning.
func isCutShort(word, option string) bool {
	return len(word) > len("--p") && strings.HasPrefix(option, word)
}

// isHarmlessPager says whether a command line is one of the common pagers, with options
// that say how it looks.
func isHarmlessPager(line string) bool {
	words := strings.Fields(line)
	if len(words) == 0 || !slices.Contains([]string{"cat", "less", "more", "most", "bat"}, words[0]) {
		return false
	}
	return !slices.ContainsFunc(words[1:], func(word string) bool {
		return len(word) < 2 || word[0] != '-' || strings.Trim(word[1:], "RFXSMNiqgsun") != ""
	})
}
