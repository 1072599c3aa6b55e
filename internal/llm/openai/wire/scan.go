package wire

import "errors"

// ErrSyntax says that a payload is not JSON.
var ErrSyntax = errors.New("broken JSON")

const maxDepth = 200

// scanner reads one JSON text from left to right. Its first error sticks, and
// every method after it does nothing. It differs from encoding/json in one
// thing that streams need: strings keep bytes that are not whole characters,
// and a lone surrogate becomes the three bytes that it would have in UTF-8, so
// that the next chunk can complete them (Joiner).
type scanner struct {
	data  []byte
	pos   int
	depth int
	first bool // at the first element of the innermost object or array
	err   error
}

func (s *scanner) fail() {
	if s.err == nil {
		s.err = ErrSyntax
	}
	s.pos = len(s.data)
}

// peek is the next byte that is not white space, 0 at the end.
func (s *scanner) peek() byte {
	for s.pos < len(s.data) {
		switch c := s.data[s.pos]; c {
		case ' ', '\t', '\n', '\r':
			s.pos++
		default:
			return c
		}
	}
	return 0
}

// open enters an object or an array.
func (s *scanner) open(bracket byte) {
	if s.peek() != bracket || s.depth >= maxDepth {
		s.fail()
		return
	}
	s.pos++
	s.depth++
	s.first = true
}

// more reports whether another element follows, and passes the comma before it
// or the bracket that closes.
func (s *scanner) more(closing byte) bool {
	first := s.first
	s.first = false
	c := s.peek()
	switch {
	case s.err != nil:
		return false
	case c == closing:
		s.pos++
		s.depth--
		return false
	case first:
		return true
	case c == ',':
		s.pos++
		return true
	}
	s.fail()
	return false
}

// key reads an object's key and its colon. The key is as it stands in the text:
// a key with escapes matches no name that is looked for.
func (s *scanner) key() []byte {
	raw := s.rawString()
	if s.peek() != ':' {
		s.fail()
		return nil
	}
	s.pos++
	return raw
}

// raw reads any value and returns its text.
func (s *scanner) raw() []byte {
	s.peek()
	start := s.pos
	s.skip()
	if s.err != nil {
		return nil
	}
	return s.data[start:s.pos]
}

// skip reads any value.
func (s *scanner) skip() {
	switch c := s.peek(); {
	case c == '{':
		s.open('{')
		for s.more('}') {
			s.key()
			s.skip()
		}
	case c == '[':
		s.open('[')
		for s.more(']') {
			s.skip()
		}
	case c == '"':
		s.rawString()
	case c == 't':
		s.literal("true")
	case c == 'f':
		s.literal("false")
	case c == 'n':
		s.literal("null")
	default:
		s.number()
	}
}

// null reports whether the value is null, and reads it then.
func (s *scanner) null() bool {
	if s.peek() != 'n' {
		return false
	}
	s.literal("null")
	return true
}

func (s *scanner) literal(word string) {
	if end := s.pos + len(word); end <= len(s.data) && string(s.data[s.pos:end]) == word {
		s.pos = end
		return
	}
	s.fail()
}

// number reads a JSON number and returns its integer part, 0 where it is too long.
func (s *scanner) number() int {
	s.peek()
	negative := s.accept("-")
	start := s.pos
	value := s.digits()
	if s.pos > start+1 && s.data[start] == '0' {
		s.fail() // a leading zero
	}
	if s.accept(".") {
		s.digits()
	}
	if s.accept("eE") {
		s.accept("+-")
		s.digits()
	}
	if negative {
		return -value
	}
	return value
}

func (s *scanner) accept(any string) bool {
	if s.pos < len(s.data) {
		for i := range len(any) {
			if s.data[s.pos] == any[i] {
				s.pos++
				return true
			}
		}
	}
	return false
}

func (s *scanner) digits() int {
	start, value := s.pos, 0
	for s.pos < len(s.data) && '0' <= s.data[s.pos] && s.data[s.pos] <= '9' {
		value = value*10 + int(s.data[s.pos]-'0')
		s.pos++
	}
	switch n := s.pos - start; {
	case n == 0:
		s.fail()
	case n > 15:
		return 0
	}
	return value
}

// end checks that nothing follows.
func (s *scanner) end() {
	if s.peek() != 0 || s.pos < len(s.data) {
		s.fail()
	}
}
