package shellsyntax

import (
	"slices"
	"strings"
)

// jqTool finds filters of jq that print variables of the environment: those with its
// builtins env and $ENV, and not with a key or a variable of that name.
func jqTool(c *Command, _ *Word, in *inside) {
	args := c.arguments()
	for i := 0; i < len(args); i++ {
		switch value := args[i].Value; {
		case value == "--arg" || value == "--argjson" || value == "--slurpfile" || value == "--rawfile":
			i += 2
		case slices.Contains([]string{"--indent", "-L", "--library-path", "-o", "--output-format", "-p", "--input-format"}, value):
			i++
		case value == "-f" || value == "--from-file":
			return
		case len(value) > 1 && value[0] == '-':
		case slices.Contains([]string{"eval", "e", "eval-all", "ea"}, value) && c.Name() == "yq":
		default:
			if printsEnvironment(value) {
				in.shape(printsVariables)
			}
			return
		}
	}
}

// printsEnvironment says whether a filter of jq uses the environment.
func printsEnvironment(filter string) bool {
	var open []byte // brackets; a quote stands for the code in \( ) of a text
	before := byte(0)
	for i := 0; i < len(filter); {
		c := filter[i]
		switch {
		case c == '"':
			i = behindText(filter, i+1, &open)
			before = '"'
			continue
		case c == ')' && len(open) > 0 && open[len(open)-1] == '"':
			open = open[:len(open)-1]
			i = behindText(filter, i+1, &open) // the rest of the text
			before = '"'
			continue
		case c == '#':
			i += lengthTo(filter[i:], "\n")
			continue
		case c == '(' || c == '[' || c == '{':
			open = append(open, c)
		case (c == ')' || c == ']' || c == '}') && len(open) > 0:
			open = open[:len(open)-1]
		case isNameByte(c):
			end := i
			for end < len(filter) && (isNameByte(filter[end]) || filter[end] == ':' && end+2 < len(filter) && filter[end+1] == ':') {
				end++
			}
			if usesEnvironment(filter[i:end], before, filter[end:], open) {
				return true
			}
			i, before = end, 'a'
			continue
		case c == ' ' || c == '\t' || c == '\n':
			if before != '.' && before != '$' {
				i++
				continue
			}
		}
		before = c
		i++
	}
	return false
}

// usesEnvironment says whether a word is the builtin env, or the variable $ENV.
func usesEnvironment(word string, before byte, rest string, open []byte) bool {
	if before == '$' {
		return word == "ENV"
	}
	if before == '.' || before == '@' {
		return false
	}
	switch word {
	case "strenv", "envsubst":
		return true
	case "env":
		rest = strings.TrimLeft(rest, " \t\n")
		next := byte(0)
		if rest != "" {
			next = rest[0]
		}
		key := len(open) > 0 && open[len(open)-1] == '{' && (before == '{' || before == ',') && (next == ':' || next == ',' || next == '}')
		return !key
	}
	return false
}

// behindText is the place behind a text, or in front of code in it.
func behindText(filter string, i int, open *[]byte) int {
	for ; i < len(filter); i++ {
		switch filter[i] {
		case '\\':
			if i++; i < len(filter) && filter[i] == '(' {
				*open = append(*open, '"')
				return i + 1
			}
		case '"':
			return i + 1
		}
	}
	return i
}
