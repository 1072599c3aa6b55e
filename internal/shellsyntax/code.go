package shellsyntax

import "strings"

// Code is the code that an interpreter is given in its words or to read.
func (c *Command) Code() []string {
	language := Language(c.Name())
	if language == "" {
		return nil
	}
	var code []string
	given, evaluates := false, false
	for i := 1; i < len(c.Words); i++ {
		value := c.Words[i].Value
		inline, glued := codeFlag(language, value)
		switch {
		case inline && glued != "":
			code, given = append(code, glued), true
		case inline && i+1 < len(c.Words):
			code, given = append(code, c.Words[i+1].Value), true
			i++
		case value == "eval" && c.Name() == "deno" && !given:
			evaluates = true
		case language == "awk" && value == "-f":
			return nil
		case language == "awk" && (value == "-F" || value == "-v"):
			i++
		case strings.HasPrefix(value, "-") && value != "-":
		case (language == "awk" || evaluates) && !given:
			code, given = append(code, value), true
		case value != "-":
			given = true // a file, or an argument
		}
	}
	if !given && c.Input != nil {
		code = append(code, c.Input.Value)
	}
	return code
}

// codeFlag says whether a flag takes code; glued is what stands right behind it.
func codeFlag(language, value string) (inline bool, glued string) {
	if len(value) < 2 || value[0] != '-' {
		return false, ""
	}
	switch language {
	case "python":
		if value[1] != '-' && !strings.Contains(value, "m") {
			if at := strings.IndexByte(value, 'c'); at > 0 && isLetters(value[1:at]) {
				return true, value[at+1:]
			}
		}
	case "perl", "ruby":
		if value[1] != '-' && strings.IndexByte("IMmrF", value[1]) < 0 {
			if at := strings.IndexAny(value, "eE"); at > 0 {
				return true, value[at+1:]
			}
		}
	case "javascript":
		switch {
		case value == "-e", value == "-p", value == "-pe", value == "--eval", value == "--print":
			return true, ""
		case strings.HasPrefix(value, "--eval="), strings.HasPrefix(value, "--print="):
			return true, value[strings.IndexByte(value, '=')+1:]
		}
	case "php", "lua", "other", "tcl":
		return value == "-r" || value == "-e" || value == "-c" || value == "-E" || value == "-Command", ""
	case "awk":
		return value == "-e" || value == "--source", ""
	}
	return false, ""
}

func isLetters(text string) bool {
	for i := range len(text) {
		if !isNameByte(text[i]) {
			return false
		}
	}
	return true
}
