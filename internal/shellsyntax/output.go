package shellsyntax

import (
	"encoding/base64"
	"encoding/hex"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// output is what a list of statements prints, where that is plain to see: echo,
// printf and what decodes or turns text. input is what they read; nil: nothing.
func (x *expander) output(stmts []*syntax.Stmt, input *string) (string, bool) {
	if x.depth >= maxDepth {
		x.large = true
		return "", false
	}
	if !x.spend(1 + len(stmts)) {
		return "", false
	}
	x.depth++
	defer func() { x.depth-- }()
	var all strings.Builder
	for _, stmt := range stmts {
		one, known := x.printedBy(stmt, input)
		if !known {
			return "", false
		}
		if all.WriteString(one); !x.spend(len(one) / 64) {
			return "", false
		}
	}
	return all.String(), len(stmts) > 0
}

func (x *expander) printedBy(stmt *syntax.Stmt, input *string) (string, bool) {
	if stmt.Negated || stmt.Background {
		return "", false
	}
	for _, redirect := range stmt.Redirs {
		read, ok := x.readBy(redirect)
		if !ok {
			return "", false
		}
		input = &read
	}
	switch command := stmt.Cmd.(type) {
	case *syntax.BinaryCmd:
		if command.Op != syntax.Pipe {
			return "", false
		}
		first, known := x.output([]*syntax.Stmt{command.X}, input)
		if !known {
			return "", false
		}
		return x.output([]*syntax.Stmt{command.Y}, &first)
	case *syntax.Subshell:
		return x.output(command.Stmts, input)
	case *syntax.Block:
		return x.output(command.Stmts, input)
	case *syntax.CallExpr:
		if name := nameOf(command); name != "" && !prints(name) {
			return "", false
		}
		var words []string
		for _, arg := range command.Args {
			alternatives := x.fields(arg)
			if len(alternatives) > 1 {
				return "", false
			}
			for _, field := range alternatives[0] {
				if !field.Static {
					return "", false
				}
				words = append(words, field.Value)
			}
		}
		if len(words) == 0 {
			return "", false
		}
		return x.filter(words, input)
	}
	return "", false
}

// readBy is what a here-document or here-string gives to read.
func (x *expander) readBy(redirect *syntax.Redirect) (string, bool) {
	switch redirect.Op {
	case syntax.WordHdoc:
		words := x.all(redirect.Word)
		return words[0].Value + "\n", words[0].Static && len(words) == 1
	case syntax.Hdoc, syntax.DashHdoc:
		if redirect.Hdoc != nil {
			w := heredoc(redirect)
			return w.Value, w.Static
		}
	}
	return "", false
}

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

// printf fills the format, again as long as there are arguments.
func (x *expander) printf(format string, args []string) string {
	var out strings.Builder
	for x.spend(1 + len(format)/16) {
		used := 0
		next := func() string {
			used++
			if len(args) == 0 {
				return ""
			}
			arg := args[0]
			args = args[1:]
			return arg
		}
		for i := 0; i < len(format) && out.Len() < maxExpanded; i++ {
			switch {
			case format[i] == '\\' && i+1 < len(format):
				end := i + 2
				for end < len(format) && end < i+5 && isDigit(format[end], 16) {
					end++
				}
				out.WriteString(escaped(format[i:end]))
				i = end - 1
			case format[i] == '%' && i+1 < len(format):
				i++
				for i < len(format)-1 && strings.IndexByte("-+ #0123456789.", format[i]) >= 0 {
					i++
				}
				switch format[i] {
				case '%':
					out.WriteByte('%')
				case 'b':
					out.WriteString(escaped(next()))
				case 'c':
					if arg := next(); arg != "" {
						out.WriteByte(arg[0])
					}
				case 'x', 'o':
					n, _ := strconv.Atoi(next())
					out.WriteString(strconv.FormatInt(int64(n), map[byte]int{'x': 16, 'o': 8}[format[i]]))
				default:
					out.WriteString(next())
				}
			default:
				out.WriteByte(format[i])
			}
		}
		if used == 0 || len(args) == 0 {
			break
		}
	}
	return out.String()
}
