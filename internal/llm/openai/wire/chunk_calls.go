package wire

// Fragment is a piece of a tool call.
type Fragment struct {
	Index     int // -1: none was given
	ID        string
	Name      string
	Arguments []byte
	Extra     []byte // extra_content: what the provider wants back with the call
}

func (c *Chunk) parseCalls(s *scanner) {
	switch s.peek() {
	case '[':
		s.open('[')
		for s.more(']') {
			c.parseFragment(s)
		}
	case '{':
		c.parseFragment(s)
	default:
		s.skip()
	}
}

func (c *Chunk) parseFragment(s *scanner) {
	if s.null() {
		return
	}
	f := Fragment{Index: -1}
	s.open('{')
	for s.more('}') {
		switch string(s.key()) {
		case "index":
			if b := s.peek(); '0' <= b && b <= '9' {
				f.Index = s.number()
			} else {
				s.skip()
			}
		case "id":
			if s.peek() == '"' {
				f.ID = string(s.text(nil))
			} else {
				s.skip()
			}
		case "function":
			if !s.null() {
				parseFunction(s, &f)
			}
		case "extra_content":
			if raw := s.raw(); string(raw) != "null" {
				f.Extra = raw
			}
		default:
			s.skip()
		}
	}
	c.Fragments = append(c.Fragments, f)
}

func parseFunction(s *scanner, f *Fragment) {
	s.open('{')
	for s.more('}') {
		switch string(s.key()) {
		case "name":
			if s.peek() == '"' {
				f.Name = string(s.text(nil))
			} else {
				s.skip()
			}
		case "arguments":
			switch s.peek() {
			case '"':
				f.Arguments = s.text(nil)
			case '{', '[': // not text, as the protocol has it
				f.Arguments = s.raw()
			default:
				s.skip()
			}
		default:
			s.skip()
		}
	}
}
