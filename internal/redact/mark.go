package redact

import (
	"strings"
)

// A mark is "[REDACTED:" rule [":" masked ends] [":" id] "]". Earlier versions wrote
// [REDACTED:rule#1a2b3c4d] too.
const (
	markOpen  = "[REDACTED:"
	markLimit = len(markOpen) + 64 + len(":") + 2*maskEnds + len(masked) + len(":") + idLength + len("]")

	// idLength is the length of an id in hexadecimal digits: 48 bits, so that among a
	// thousand secrets two share an id once in five hundred million times.
	idLength = 12

	// blankByte stands for the bytes of a mark while a text is scanned. It is
	// never part of valid UTF-8; where a text has it, otherByte is scanned instead.
	blankByte = 0xff
	otherByte = 0xfe
)

// blank returns the text with the marks of earlier redaction blanked, byte by
// byte, so that nothing is found in them and nothing reaches across them. Only
// marks that this Redactor could have made count. The common text, without
// marks, comes back as it is.
func (r *ruleSet) blank(text string, sc *scan) string {
	at := strings.Index(text, markOpen)
	if sc.open {
		if tail := unfinishedMark(text); tail >= 0 {
			sc.undecided(tail, tail)
			sc.markAt = tail
		}
	}
	if at < 0 && strings.IndexByte(text, blankByte) < 0 {
		return text
	}
	copied := []byte(strings.ReplaceAll(text, string([]byte{blankByte}), string([]byte{otherByte})))
	for at >= 0 {
		end := at + len(markOpen)
		if n := r.markLength(text[at:]); n > 0 {
			end = at + n
			for i := at; i < end; i++ {
				copied[i] = blankByte
			}
		}
		next := strings.Index(text[end:], markOpen)
		if next < 0 {
			break
		}
		at = end + next
	}
	return string(copied)
}

// markLength is the length of the mark that s begins with, or 0.
func (r *ruleSet) markLength(s string) int {
	end := strings.IndexByte(s[:min(len(s), markLimit)], ']')
	if end < 0 {
		return 0
	}
	rule, rest, more := strings.Cut(s[len(markOpen):end], ":")
	if old, hash, hashed := strings.Cut(rule, "#"); hashed {
		if more || !isHexOf(hash, 8) {
			return 0
		}
		rule = old
	}
	if ends, id, both := strings.Cut(rest, ":"); both {
		if !isMaskedEnds(ends) {
			return 0
		}
		rest = id
	}
	if _, known := r.labels[rule]; !known || more && !isHexOf(rest, idLength) {
		return 0
	}
	return end + 1
}

// isHexOf says whether s is n lower case hexadecimal digits.
func isHexOf(s string, n int) bool {
	return len(s) == n && strings.Trim(s, "0123456789abcdef") == ""
}

func isMaskedEnds(s string) bool {
	head, tail, ok := strings.Cut(s, masked)
	return ok && isMaskEnd(head) && isMaskEnd(tail)
}

func isMaskEnd(s string) bool {
	for i := range len(s) {
		if !inMaskEnd(s[i]) {
			return false
		}
	}
	return len(s) <= maskEnds
}

// inMaskEnd says whether a mark may show the character of a secret: no sign that
// could end the mark.
func inMaskEnd(c byte) bool {
	return is(c, isAlnum|isUnderscore) || strings.IndexByte("-.+@/=", c) >= 0
}

// WholeMarks is the length of s without a mark that its end cuts off.
func WholeMarks(s string) int {
	if at := unfinishedMark(s); at >= 0 {
		return at
	}
	return len(s)
}

// unfinishedMark is where a mark begins that the end of the text cuts off, or -1.
func unfinishedMark(text string) int {
	for i := max(0, len(text)-markLimit); i < len(text); i++ {
		if text[i] != '[' {
			continue
		}
		tail := text[i:]
		if len(tail) < len(markOpen) && strings.HasPrefix(markOpen, tail) {
			return i
		}
		if strings.HasPrefix(tail, markOpen) && strings.IndexByte(tail, ']') < 0 {
			return i
		}
	}
	return -1
}
