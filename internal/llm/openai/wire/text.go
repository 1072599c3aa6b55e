package wire

import (
	"unicode/utf16"
	"unicode/utf8"
)

// Joiner turns pieces of text, which may be cut inside a character or between
// the halves of a surrogate pair, into pieces of whole characters.
type Joiner struct {
	carry []byte // the beginning of a character
	out   []byte
}

// Push returns what is whole, valid until the next call. Bytes that belong to no
// character become U+FFFD.
func (j *Joiner) Push(piece []byte) []byte {
	if len(j.carry) == 0 && utf8.Valid(piece) {
		return piece
	}
	j.carry = append(j.carry, piece...)
	rest := j.carry
	j.out = j.out[:0]
	for len(rest) > 0 {
		n, r := next(rest)
		if n == 0 {
			break
		}
		j.out = utf8.AppendRune(j.out, r)
		rest = rest[n:]
	}
	j.carry = append(j.carry[:0], rest...)
	return j.out
}

// Flush returns U+FFFD where the text ended inside a character.
func (j *Joiner) Flush() []byte {
	if len(j.carry) == 0 {
		return nil
	}
	j.carry = j.carry[:0]
	return []byte(string(utf8.RuneError))
}

// next is the first character of b and its length, 0 where it is not whole yet.
func next(b []byte) (int, rune) {
	if high, ok := surrogate(b); ok {
		low, ok := surrogate(b[3:])
		switch {
		case ok && utf16.DecodeRune(high, low) != utf8.RuneError:
			return 6, utf16.DecodeRune(high, low)
		case !ok && len(b) == 3 && high < 0xDC00:
			return 0, 0
		}
		return 3, utf8.RuneError
	}
	if !utf8.FullRune(b) {
		return 0, 0
	}
	r, n := utf8.DecodeRune(b)
	return n, r
}

// surrogate decodes the three bytes that appendRune writes for a surrogate.
func surrogate(b []byte) (rune, bool) {
	if len(b) < 3 || b[0] != 0xED || b[1] < 0xA0 || b[1] > 0xBF || b[2] < 0x80 || b[2] > 0xBF {
		return 0, false
	}
	return 0xD000 | rune(b[1]&0x3F)<<6 | rune(b[2]&0x3F), true
}
