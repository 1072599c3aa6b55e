package tools

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// string reads a string at its opening quote. Raw control characters stand for
// themselves; what is not UTF-8 becomes U+FFFD.
func (p *parser) string() (any, error) {
	start := p.pos
	p.pos++
	if plain := p.plainRun(); p.pos < len(p.text) && p.text[p.pos] == '"' {
		p.pos++
		return plain, nil // most strings have nothing to decode
	}
	p.pos = start + 1
	var out strings.Builder
	for p.pos < len(p.text) {
		out.WriteString(p.plainRun())
		if p.pos >= len(p.text) {
			break
		}
		switch c := p.text[p.pos]; {
		case c == '"':
			p.pos++
			return out.String(), nil
		case c == '\\':
			if err := p.escape(&out); err != nil {
				return nil, err
			}
		case c < ' ':
			p.repaired = true
			out.WriteByte(c)
			p.pos++
		default: // not UTF-8
			out.WriteRune(utf8.RuneError)
			p.pos++
		}
	}
	return nil, p.unclosed("string", start)
}

// plainRun reads on until something needs decoding: a quote, a backslash, a
// control character or a byte that is not UTF-8.
func (p *parser) plainRun() string {
	start := p.pos
	for p.pos < len(p.text) {
		c := p.text[p.pos]
		switch {
		case c == '"' || c == '\\' || c < ' ':
			return p.text[start:p.pos]
		case c < utf8.RuneSelf:
			p.pos++
		default:
			r, size := utf8.DecodeRuneInString(p.text[p.pos:])
			if r == utf8.RuneError && size == 1 {
				return p.text[start:p.pos]
			}
			p.pos += size
		}
	}
	return p.text[start:p.pos]
}

const escapes = `"\/bfnrt`

func (p *parser) escape(out *strings.Builder) error {
	if p.pos+1 >= len(p.text) {
		p.pos = len(p.text) // cut off inside an escape: string says so
		return nil
	}
	c := p.text[p.pos+1]
	if i := strings.IndexByte(escapes, c); i >= 0 {
		out.WriteByte("\"\\/\b\f\n\r\t"[i])
		p.pos += 2
		return nil
	}
	if c != 'u' {
		return p.fail(`this escape is unknown; a backslash itself is written \\`)
	}
	if len(p.text)-p.pos < 6 && !strings.Contains(p.text[p.pos:], `"`) {
		p.pos = len(p.text)
		return nil
	}
	r, ok := p.unicode(p.pos)
	if !ok {
		return p.fail(`\u needs four hexadecimal digits`)
	}
	p.pos += 6
	if utf16.IsSurrogate(r) {
		if low, ok := p.unicode(p.pos); ok {
			if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
				out.WriteRune(pair)
				p.pos += 6
				return nil
			}
		}
		r = utf8.RuneError
	}
	out.WriteRune(r)
	return nil
}

// unicode decodes \uXXXX at a position.
func (p *parser) unicode(at int) (rune, bool) {
	if len(p.text)-at < 6 || p.text[at:at+2] != `\u` {
		return 0, false
	}
	code, err := strconv.ParseUint(p.text[at+2:at+6], 16, 16)
	return rune(code), err == nil
}
