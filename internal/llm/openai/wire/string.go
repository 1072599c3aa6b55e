package wire

import (
	"bytes"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// text is a string whose bytes may end inside a character: a lone surrogate
// becomes the three bytes that it would have in UTF-8, so that the next chunk can
// complete it (Joiner). Anything but a string is no text.
type text []byte

func (t *text) UnmarshalJSON(raw []byte) error {
	if raw[0] != '"' {
		return nil
	}
	raw = raw[1 : len(raw)-1]
	decoded := make([]byte, 0, len(raw))
	for len(raw) > 0 {
		i := bytes.IndexByte(raw, '\\')
		if i < 0 {
			decoded = append(decoded, raw...)
			break
		}
		decoded = append(decoded, raw[:i]...)
		if raw[i+1] != 'u' {
			decoded = append(decoded, "\"\\/\b\f\n\r\t"[bytes.IndexByte([]byte(`"\/bfnrt`), raw[i+1])])
			raw = raw[i+2:]
			continue
		}
		r := escaped(raw[i:])
		raw = raw[i+6:]
		if pair := utf16.DecodeRune(r, escaped(raw)); pair != utf8.RuneError {
			r, raw = pair, raw[6:]
		}
		decoded = appendRune(decoded, r)
	}
	*t = decoded
	return nil
}

// escaped is the code of a \uXXXX at the start of b, 0 where there is none.
func escaped(b []byte) rune {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return 0
	}
	code, _ := strconv.ParseUint(string(b[2:6]), 16, 16) // encoding/json checked the digits
	return rune(code)
}

// appendRune is utf8.AppendRune that keeps a surrogate.
func appendRune(dst []byte, r rune) []byte {
	if utf16.IsSurrogate(r) {
		return append(dst, 0xE0|byte(r>>12), 0x80|byte(r>>6)&0x3F, 0x80|byte(r)&0x3F)
	}
	return utf8.AppendRune(dst, r)
}
