package shellsyntax

import (
	"encoding/base64"
	"encoding/hex"
	"strings"
)

// prints says whether filter knows a program.
func prints(name string) bool {
	switch name {
	case "echo", "printf", "cat", "tee", "rev", "base64", "openssl", "xxd", "tr":
		return true
	}
	return false
}

// filter is what one of the known programs prints.
func (x *expander) filter(words []string, input *string) (string, bool) {
	name := words[0][strings.LastIndexByte(words[0], '/')+1:]
	switch name {
	case "echo":
		return echoOutput(words[1:]), true
	case "printf":
		if len(words) < 2 {
			return "", false
		}
		if words[1] == "--" && len(words) > 2 {
			words = words[1:]
		}
		return x.printf(words[1], words[2:]), words[1] != "-v"
	}
	if input == nil || len(*input) > maxExpanded {
		return "", false
	}
	flags := strings.Join(words[1:], " ")
	switch {
	case name == "cat" && flags == "", name == "tee" && flags == "":
		return *input, true
	case name == "rev":
		return reversed(*input), true
	case name == "base64" && (flags == "-d" || flags == "-D" || flags == "--decode" || flags == "-di" || flags == "-d -i" || flags == "-i -d"), name == "openssl" && (flags == "base64 -d" || flags == "enc -base64 -d" || flags == "base64 -d -A"):
		compact := strings.Map(func(r rune) rune {
			if r == '\n' || r == ' ' || r == '\r' {
				return -1
			}
			return r
		}, *input)
		decoded, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(compact, "="))
		return string(decoded), err == nil
	case name == "xxd" && strings.Contains(flags, "-r"):
		decoded, err := hex.DecodeString(strings.Join(strings.Fields(*input), ""))
		return string(decoded), err == nil
	case name == "tr" && len(words) == 3 && !strings.HasPrefix(words[1], "-"):
		return translated(*input, words[1], words[2])
	case name == "tr" && len(words) == 3 && words[1] == "-d":
		from, ok := characters(words[2])
		return strings.Map(func(r rune) rune {
			if strings.ContainsRune(from, r) {
				return -1
			}
			return r
		}, *input), ok
	}
	return "", false
}

func reversed(input string) string {
	lines := strings.Split(input, "\n")
	for i, line := range lines {
		runes := []rune(line)
		for a, b := 0, len(runes)-1; a < b; a, b = a+1, b-1 {
			runes[a], runes[b] = runes[b], runes[a]
		}
		lines[i] = string(runes)
	}
	return strings.Join(lines, "\n")
}

// characters are the characters of a set of tr.
func characters(set string) (string, bool) {
	if strings.ContainsAny(set, "[\\") {
		return "", false
	}
	var out strings.Builder
	for i := 0; i < len(set); i++ {
		if i+2 < len(set) && set[i+1] == '-' && set[i] <= set[i+2] {
			for c := int(set[i]); c <= int(set[i+2]); c++ {
				out.WriteByte(byte(c))
			}
			i += 2
			continue
		}
		out.WriteByte(set[i])
	}
	return out.String(), true
}

func translated(input, from, to string) (string, bool) {
	source, ok1 := characters(from)
	target, ok2 := characters(to)
	if !ok1 || !ok2 || target == "" {
		return "", false
	}
	return strings.Map(func(r rune) rune {
		i := strings.IndexRune(source, r)
		if i < 0 || r > 0x7f {
			return r
		}
		return rune(target[min(i, len(target)-1)])
	}, input), true
}

func echoOutput(args []string) string {
	escapes, newline := false, true
	for len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' && strings.Trim(args[0][1:], "neE") == "" {
		escapes = strings.Contains(args[0], "e")
		newline = newline && !strings.Contains(args[0], "n")
		args = args[1:]
	}
	text := strings.Join(args, " ")
	if escapes {
		text = escaped(text)
	}
	if newline {
		text += "\n"
	}
	return text
}

// escaped decodes the backslashes of echo -e and printf.
func escaped(text string) string {
	if !strings.Contains(text, `\`) {
		return text
	}
	// \0nnn has up to three digits behind the zero, which $'…' has not.
	var fixed strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) {
			if text[i+1] == '0' && i+2 < len(text) && isDigit(text[i+2], 8) {
				fixed.WriteByte('\\')
				i++
				continue
			}
			fixed.WriteString(text[i : i+2])
			i++
			continue
		}
		fixed.WriteByte(text[i])
	}
	decoded, _ := ansi(fixed.String())
	return decoded
}
