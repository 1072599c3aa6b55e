package guard

import (
	"strings"
)

// fill puts values in the place of %s and {}.
func fill(format string, args []string) string {
	var out strings.Builder
	next := func() string {
		if len(args) == 0 {
			return hole
		}
		value := args[0]
		args = args[1:]
		return value
	}
	for i := 0; i < len(format); i++ {
		switch {
		case format[i] == '%' && i+1 < len(format) && strings.IndexByte("sdrv", format[i+1]) >= 0:
			out.WriteString(next())
			i++
		case format[i] == '{':
			end := strings.IndexByte(format[i:], '}')
			if end < 0 {
				out.WriteByte(format[i])
				continue
			}
			out.WriteString(next())
			i += end
		default:
			out.WriteByte(format[i])
		}
	}
	return clip(out.String())
}

func clip(text string) string { return text[:min(len(text), maxCodeText)] }

func joinPath(base, more string) string {
	if strings.HasPrefix(more, "/") || base == "" {
		return more
	}
	return strings.TrimSuffix(base, "/") + "/" + more
}

// operand reads a text, a name with what follows it, or brackets.
func (s *scan) operand() (string, bool) {
	t := s.peek(0)
	switch {
	case t.kind == textToken:
		s.at++
		value := t.value
		for _, inner := range t.inner {
			value = s.interpolate(value, inner)
		}
		s.text(value)
		return s.suffix(value, true, "")
	case t.kind == execToken:
		s.at++
		if s.language == "javascript" {
			return s.suffix(t.value, true, "")
		}
		s.calls = append(s.calls, "`")
		s.commands = append(s.commands, t.value)
		return t.value, true
	case t.kind == nameToken:
		s.at++
		value, ok := s.known[t.value]
		if t.value == "environ" && s.language == "python" && s.at > 1 && s.tokens[s.at-2].value != "import" && !s.is("[") && !s.is(".") {
			s.calls = append(s.calls, "environment*") // from os import environ
		}
		return s.suffix(value, ok, t.value)
	case t.kind == markToken && (t.value == "(" || t.value == "[" || t.value == "{"):
		s.at++
		list := s.list(closing[t.value])
		if len(list) == 1 && t.value == "(" {
			return s.suffix(list[0], list[0] != hole, "")
		}
		return s.suffix("", false, "")
	}
	if t.kind == numberToken {
		s.at++
	}
	return "", false
}

var closing = map[string]string{"(": ")", "[": "]", "{": "}"}

// interpolate puts the value of an expression of an f-string in its place.
func (s *scan) interpolate(text, inner string) string {
	if s.depth >= maxCodeDepth || len(inner) > 200 || s.steps > maxCodeSteps {
		s.large = s.large || s.steps > maxCodeSteps
		return text
	}
	s.steps += 100
	part := &scan{language: s.language, tokens: tokenize(s.language, inner), known: s.known, depth: s.depth + 1}
	value, ok := part.expression()
	s.texts, s.commands, s.calls = append(s.texts, part.texts...), append(s.commands, part.commands...), append(s.calls, part.calls...)
	if !ok {
		return strings.Replace(text, hole, "\x01", 1)
	}
	return strings.Replace(text, hole, value, 1)
}

// list reads expressions up to a closing bracket. Each that is no text is a hole.
func (s *scan) list(end string) []string {
	var values []string
	item, any := "", false
	for s.at < len(s.tokens) {
		if s.steps++; s.steps > maxCodeSteps {
			break
		}
		if t := s.peek(0); t.kind == markToken {
			switch t.value {
			case end:
				s.at++
				if any {
					values = append(values, item)
				}
				return values
			case ",":
				s.at++
				if !any {
					item = hole
				}
				values = append(values, item)
				item, any = "", false
				continue
			}
		}
		start := s.at
		if s.peek(0).kind == nameToken && s.assigns(1) {
			s.at += 2 // a named argument
		}
		value, ok := s.expression()
		if !ok {
			value = hole
		}
		if start == s.at {
			s.at++
			continue
		}
		if !any || ok {
			item, any = value, true
		}
	}
	return values
}

// suffix reads what follows an operand: attributes, calls and items.
func (s *scan) suffix(value string, ok bool, name string) (string, bool) {
	for {
		if s.steps++; s.steps > maxCodeSteps {
			return value, ok
		}
		switch {
		case s.is(".") && s.peek(1).kind == nameToken:
			name = joinedName(name, s.peek(1).value)
			s.at += 2
			if s.language != "python" || !s.is("(") {
				if strings.HasPrefix(name, "process.env.") {
					s.environs = append(s.environs, strings.TrimPrefix(name, "process.env."))
				}
				if strings.HasSuffix(name, ".environ") || name == "process.env" {
					s.calls = append(s.calls, s.environment(name))
				}
			}
		case (s.is(":") || s.is("-")) && s.language != "python" && s.language != "javascript" && (s.peek(1).kind == markToken && (s.peek(1).value == ":" || s.peek(1).value == ">")) && s.peek(2).kind == nameToken:
			name = joinedName(name, s.peek(2).value)
			s.at += 3
		case s.is("("):
			s.at++
			s.calls = append(s.calls, name)
			args := s.list(")")
			value, ok = s.called(name, value, ok, args)
			name = joinedName("()", name)
		case s.is("["):
			s.at++
			value, ok = s.item(name, value, ok)
		default:
			if s.language != "python" && s.peek(0).kind == textToken && s.runs(name) {
				s.calls = append(s.calls, name)
				command, _ := s.expression()
				s.commands = append(s.commands, command)
			}
			return value, ok
		}
	}
}

// text notes a text of the code.
func (s *scan) text(value string) {
	if s.spent += len(value); s.spent > maxCodeTexts {
		s.large = true
		return
	}
	s.texts = append(s.texts, value)
}

// joinedName is a name with its dots; of a very long chain the end.
func joinedName(name, more string) string {
	if name += "." + more; len(name) > maxCodeName {
		return name[len(name)-maxCodeName:]
	}
	return name
}
