package shellsyntax

import "strings"

// sshValued are the options of ssh that take a value.
const sshValued = "BbcDEeFIiJLlmOopQRSWw"

// remote is the command line that ssh hands to a shell somewhere else.
func remote(name string, args []Word) inside {
	for i := 0; i < len(args); i++ {
		value := args[i].Value
		if strings.HasPrefix(value, "-") && len(value) > 1 {
			if strings.IndexByte(sshValued, value[len(value)-1]) >= 0 && !strings.ContainsAny(value[1:len(value)-1], sshValued) {
				i++ // its value
			}
			continue
		}
		rest := args[i+1:] // behind the host
		for len(rest) > 0 && strings.HasPrefix(rest[0].Value, "-") && rest[0].Value != "--" {
			rest = rest[1:]
		}
		if len(rest) > 0 && rest[0].Value == "--" {
			rest = rest[1:]
		}
		if len(rest) == 0 {
			return inside{}
		}
		in := evaluated(name, rest, " ")
		if in.opaque == "" && len(rest) > 1 {
			in.commands = []Command{{Words: rest}} // it may read what ssh does
			if !strings.ContainsAny(in.scripts[0], ";&|<>()$`\"'\n") {
				in.scripts = nil
			}
		}
		return in
	}
	return inside{}
}

// completed is what compgen runs, or expands, to find words.
func completed(args []Word) inside {
	in := inside{as: "compgen"}
	for i := 0; i+1 < len(args); i++ {
		switch text := args[i+1].Value; {
		case args[i].Value == "-C":
			in.scripts = append(in.scripts, text)
		case args[i].Value == "-W" && substitutes(text):
			in.scripts = append(in.scripts, ": "+text)
		}
	}
	return in
}
