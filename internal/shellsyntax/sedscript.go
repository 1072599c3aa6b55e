package shellsyntax

import "strings"

// sedTool finds what a script of sed runs, reads and writes.
func sedTool(c *Command, document *Word, in *inside) {
	args := c.arguments()
	given, read := false, false
	var scripts []string
	script := -1
	for i := 0; i < len(args); i++ {
		if value, next, found := option(args, i, "e", "--expression"); found && !strings.HasPrefix(args[i].Value, "-i") {
			scripts, given = append(scripts, value.Value), true
			i = next - 1
			continue
		}
		if value, next, found := option(args, i, "f", "--file"); found && !strings.HasPrefix(args[i].Value, "-i") {
			given = true
			read = read || value.Value == "-" || isInput(value.Value)
			i = next - 1
			continue
		}
		switch value := args[i].Value; {
		case value == "-l" || value == "--line-length":
			i++
		case len(value) > 1 && value[0] == '-':
		case script < 0:
			script = i
		}
	}
	if !given && script >= 0 {
		scripts = append(scripts, args[script].Value)
	}
	switch {
	case !read:
	case document != nil && document.Static:
		scripts = append(scripts, document.Value)
	default:
		in.shape(tellsProgram) // it runs what it reads
	}
	if len(scripts) > 0 {
		s := sedScript{text: strings.Join(scripts, "\n"), in: in}
		for s.at < len(s.text) && s.command() {
		}
	}
}

// sedScript goes over a script of sed, one command after the other.
type sedScript struct {
	text string
	at   int
	in   *inside
}

// command reads one command; false: the rest is not understood.
func (s *sedScript) command() bool {
	s.skip(" \t\n;{}")
	if s.at >= len(s.text) || !s.address() {
		return false
	}
	s.skip(" \t")
	if s.peek() == ',' {
		s.at++
		s.skip(" \t")
		if s.skip("+~"); !s.address() {
			return false
		}
	}
	s.skip(" \t!")
	c := s.peek()
	s.at++
	switch c {
	case 'r', 'R':
		s.in.reading(s.line())
	case 'w', 'W':
		s.in.writing(s.line())
	case 'e':
		s.in.run(s.line())
	case '#':
		s.line()
	case 'a', 'i', 'c':
		s.text = strings.TrimPrefix(s.text[min(s.at, len(s.text)):], "\\\n")
		s.at = 0
		for line := s.line(); strings.HasSuffix(line, `\`) && s.at < len(s.text); {
			line = s.line()
		}
	case ':', 'b', 't', 'T':
		s.label()
	case 's':
		return s.substitute()
	case 'y':
		understood := s.parts()
		return understood
	case 'l', 'L', 'q', 'Q', 'v':
		s.skip(" 0123456789.")
	case '}', '{', ';', '\n', '=', 'd', 'D', 'g', 'G', 'h', 'H', 'n', 'N', 'p', 'P', 'x', 'z', 'F':
	default:
		return false
	}
	return true
}

// address goes over the place that a command is for, if there is one.
func (s *sedScript) address() bool {
	switch c := s.peek(); {
	case c >= '0' && c <= '9' || c == '$':
		s.skip("0123456789~$")
	case c == '/' || c == '\\':
		if s.at++; c == '\\' {
			c = s.peek()
			s.at++
		}
		if !s.upTo(c) {
			return false
		}
		s.skip("IM")
	}
	return true
}

// substitute reads s/…/…/flags.
func (s *sedScript) substitute() bool {
	if understood := s.parts(); !understood {
		return false
	}
	for {
		switch c := s.peek(); {
		case c == 'e':
			s.in.shape(tellsProgram)
		case c == 'w':
			s.at++
			s.in.writing(s.line())
			return true
		case c >= '0' && c <= '9' || c == 'g' || c == 'p' || c == 'i' || c == 'I' || c == 'm' || c == 'M':
		default:
			return true
		}
		s.at++
	}
}

// parts goes over the two parts of s and y, and says whether they are there.
func (s *sedScript) parts() bool {
	d := s.peek()
	s.at++
	if d == 0 || !s.upTo(d) {
		return false
	}
	return s.upTo(d)
}

func (s *sedScript) peek() byte {
	if s.at < len(s.text) {
		return s.text[s.at]
	}
	return 0
}

func (s *sedScript) skip(set string) {
	for s.at < len(s.text) && strings.IndexByte(set, s.text[s.at]) >= 0 {
		s.at++
	}
}

// line is the rest of the line.
func (s *sedScript) line() string {
	rest := s.text[min(s.at, len(s.text)):]
	line, _, _ := strings.Cut(rest, "\n")
	s.at += len(line) + 1
	return strings.TrimLeft(line, " \t")
}

func (s *sedScript) label() {
	for s.at < len(s.text) && s.text[s.at] != '\n' && s.text[s.at] != ';' && s.text[s.at] != '}' {
		s.at++
	}
}

// upTo goes behind the next delimiter that has no backslash.
func (s *sedScript) upTo(d byte) bool {
	for ; s.at < len(s.text); s.at++ {
		switch s.text[s.at] {
		case '\\':
			s.at++
		case d:
			s.at++
			return true
		}
	}
	return false
}
