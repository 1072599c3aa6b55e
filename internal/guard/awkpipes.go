package guard

// plainPipes are the commands of awk's pipes and of its function system, where each of
// them is one literal. Behind print the command reads what awk writes.
func (s *scan) plainPipes() (lines []string, ok bool) {
	for i, t := range s.tokens {
		switch {
		case t.kind == nameToken && t.value == "system":
			line, _, plain := s.literalCall(i)
			if !plain {
				return nil, false
			}
			lines = append(lines, line)
		case s.isPipe(i):
			command, reads, plain := s.pipeCommand(i)
			if !plain {
				return nil, false
			}
			if reads {
				command = "cat | {\n" + command + "\n}"
			}
			lines = append(lines, command)
		}
	}
	return lines, len(lines) > 0
}

// isPipe says whether a token is the bar of a pipe, and not of an ||.
func (s *scan) isPipe(i int) bool {
	return s.isMark(i, "|") && !s.isMark(i-1, "|") && !s.isMark(i+1, "|")
}

// pipeCommand is the command of a pipe. reads says that it gets what awk writes.
func (s *scan) pipeCommand(i int) (command string, reads, plain bool) {
	next := s.token(i + 1)
	if next.value == "getline" && next.kind == nameToken {
		text := s.token(i - 1)
		return text.value, false, text.kind == textToken && s.begins(s.token(i-2)) && isHarmlessLine(text.value, anyProgram)
	}
	return next.value, true, next.kind == textToken && s.ends(s.token(i+2)) && isHarmlessLine(next.value, sorters)
}

// hiddenPipes says whether awk starts commands that are no literals.
func (s *scan) hiddenPipes() bool {
	for i := range s.tokens {
		if s.isPipe(i) {
			if _, _, plain := s.pipeCommand(i); !plain {
				return true
			}
		}
	}
	return false
}
