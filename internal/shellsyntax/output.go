package shellsyntax

import (
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
