package wire

// Usage is in tokens.
type Usage struct {
	Prompt, Completion, Total, Cached, Reasoning int
}

func (c *Chunk) parseUsage(s *scanner) {
	if s.peek() != '{' {
		s.skip()
		return
	}
	c.HasUsage = true
	u := Usage{}
	s.open('{')
	for s.more('}') {
		switch string(s.key()) {
		case "prompt_tokens":
			u.Prompt = count(s)
		case "completion_tokens":
			u.Completion = count(s)
		case "total_tokens":
			u.Total = count(s)
		case "cached_tokens", "prompt_cache_hit_tokens": // Moonshot, DeepSeek
			u.Cached = count(s)
		case "prompt_tokens_details":
			u.Cached = max(u.Cached, detail(s, "cached_tokens"))
		case "completion_tokens_details":
			u.Reasoning = detail(s, "reasoning_tokens")
		default:
			s.skip()
		}
	}
	c.Usage = u
}

func detail(s *scanner, name string) int {
	if s.peek() != '{' {
		s.skip()
		return 0
	}
	n := 0
	s.open('{')
	for s.more('}') {
		if string(s.key()) == name {
			n = count(s)
		} else {
			s.skip()
		}
	}
	return n
}

// count reads a number of tokens; anything else counts as none.
func count(s *scanner) int {
	if b := s.peek(); '0' <= b && b <= '9' {
		return s.number()
	}
	s.skip()
	return 0
}
