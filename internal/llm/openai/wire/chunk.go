package wire

// Chunk is one payload of an answer. Its bytes are valid until the next chunk
// is read; they may end inside a character.
type Chunk struct {
	Content    []byte
	Reasoning  []byte
	Details    []byte // reasoning_details: a JSON array; empty: none
	Fragments  []Fragment
	Finish     string
	Whole      bool // the choice had a message, not a delta: the whole answer
	HasUsage   bool
	Usage      Usage
	Error      []byte // JSON (or text) of what the server calls an error; nil: none
	HasChoices bool   // there was a list of choices, perhaps an empty one

	altReasoning []byte
	failed       bool // an object that says "error" of itself
	message      bool
}

func (c *Chunk) reset() {
	fragments := c.Fragments[:0]
	*c = Chunk{Content: c.Content[:0], Reasoning: c.Reasoning[:0], altReasoning: c.altReasoning[:0],
		Fragments: fragments}
}

// parse reads one payload.
func (c *Chunk) parse(data []byte) error {
	c.reset()
	s := scanner{data: data}
	if s.peek() == '[' { // Google wraps its errors in an array
		c.parseFirst(&s)
	} else {
		c.parseObject(&s)
	}
	s.end()
	if s.err != nil {
		return s.err
	}
	if len(c.Reasoning) == 0 { // servers that send both send the same text twice
		c.Reasoning = append(c.Reasoning, c.altReasoning...)
	}
	if c.Error == nil && (c.failed || c.message && !c.HasChoices) {
		c.Error = data
	}
	return nil
}

func (c *Chunk) parseFirst(s *scanner) {
	s.open('[')
	for n := 0; s.more(']'); n++ {
		if n == 0 && s.peek() == '{' {
			c.parseObject(s)
		} else {
			s.skip()
		}
	}
}

func (c *Chunk) parseObject(s *scanner) {
	s.open('{')
	for s.more('}') {
		switch string(s.key()) {
		case "choices":
			c.parseChoices(s)
		case "usage":
			c.parseUsage(s)
		case "error":
			if raw := s.raw(); string(raw) != "null" && string(raw) != `""` && string(raw) != "false" {
				c.Error = raw
			}
		case "object":
			c.failed = c.failed || string(s.raw()) == `"error"`
		case "message", "detail":
			c.message = c.message || s.peek() != 'n'
			s.skip()
		default:
			s.skip()
		}
	}
}

func (c *Chunk) parseChoices(s *scanner) {
	if s.null() {
		return
	}
	c.HasChoices = true
	s.open('[')
	for n := 0; s.more(']'); n++ {
		if n == 0 {
			c.parseChoice(s)
		} else {
			s.skip() // one answer was asked for
		}
	}
}

func (c *Chunk) parseChoice(s *scanner) {
	hasDelta := false
	s.open('{')
	for s.more('}') {
		switch string(s.key()) {
		case "delta":
			if !s.null() {
				hasDelta = true
				c.parseDelta(s)
			}
		case "message":
			if hasDelta {
				s.skip()
			} else if !s.null() {
				c.Whole = true
				c.parseDelta(s)
			}
		case "finish_reason":
			if s.peek() == '"' {
				c.Finish = string(s.text(nil))
			} else {
				s.skip()
			}
		case "usage": // Moonshot
			c.parseUsage(s)
		default:
			s.skip()
		}
	}
}

func (c *Chunk) parseDelta(s *scanner) {
	s.open('{')
	for s.more('}') {
		switch string(s.key()) {
		case "content":
			c.parseContent(s)
		case "refusal":
			c.Content = stringOr(s, c.Content)
		case "reasoning_content":
			c.Reasoning = stringOr(s, c.Reasoning)
		case "reasoning":
			c.altReasoning = stringOr(s, c.altReasoning)
		case "reasoning_details":
			if s.peek() == '[' {
				c.Details = s.raw()
			} else {
				s.skip()
			}
		case "tool_calls":
			c.parseCalls(s)
		case "function_call":
			if !s.null() {
				f := Fragment{Index: 0}
				parseFunction(s, &f)
				c.Fragments = append(c.Fragments, f)
			}
		default:
			s.skip()
		}
	}
}

// stringOr appends a string, and skips anything else.
func stringOr(s *scanner, dst []byte) []byte {
	if s.peek() == '"' {
		return s.text(dst)
	}
	s.skip()
	return dst
}

// parseContent reads content: a string, null, or an array of parts.
func (c *Chunk) parseContent(s *scanner) {
	if s.peek() != '[' {
		c.Content = stringOr(s, c.Content)
		return
	}
	s.open('[')
	for s.more(']') {
		if s.peek() == '{' {
			c.parsePart(s)
		} else {
			c.Content = stringOr(s, c.Content)
		}
	}
}

// parsePart reads {"type":"text","text":…}, and Mistral's
// {"type":"thinking","thinking":[{"type":"text","text":…}]}.
func (c *Chunk) parsePart(s *scanner) {
	s.open('{')
	for s.more('}') {
		switch string(s.key()) {
		case "text":
			c.Content = stringOr(s, c.Content)
		case "thinking":
			text := len(c.Content)
			c.parseContent(s)
			c.Reasoning = append(c.Reasoning, c.Content[text:]...)
			c.Content = c.Content[:text]
		default:
			s.skip()
		}
	}
}
