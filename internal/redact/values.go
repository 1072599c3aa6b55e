package redact

import (
	"encoding/binary"
	"sort"
	"strings"
)

// values finds exact values: an immutable snapshot, replaced as a whole.
//
// It looks for eight-byte pieces of the forms with a table of shifts (after Wu
// and Manber, "A fast algorithm for multi-pattern searching", 1994): the last
// three bytes of the window say how far the next possible piece is away, so that
// most of a text is skipped. A form is found by its first eight bytes, a form
// that a line break may cut also by its last eight.
type values struct {
	forms   []form
	shift   []uint8 // by block
	pieces  map[uint64][]piece
	starts  [256]bool // bytes that a form begins with
	plain   []string  // sorted
	wrapped []string  // sorted
	longest int
}

// piece is where in a form eight bytes stand: at its begin or at its end.
type piece struct {
	form  int32
	atEnd bool
}

const (
	pieceSize = 8
	blockSize = 3
	blockBits = 15
)

func block(a, b, c byte) uint32 {
	return (uint32(a)<<10 ^ uint32(b)<<5 ^ uint32(c)) & (1<<blockBits - 1)
}

func newValues(secrets []string) *values {
	v := &values{forms: formsOf(secrets)}
	if len(v.forms) == 0 {
		return v
	}
	v.shift = make([]uint8, 1<<blockBits)
	for i := range v.shift {
		v.shift[i] = pieceSize - blockSize + 1
	}
	v.pieces = map[uint64][]piece{}
	for i, f := range v.forms {
		v.starts[f.text[0]] = true
		v.longest = max(v.longest, len(f.text))
		v.addPiece(f.text[:pieceSize], piece{int32(i), false})
		if f.wrapped {
			v.addPiece(f.text[len(f.text)-pieceSize:], piece{int32(i), true})
			v.wrapped = append(v.wrapped, f.text)
		} else {
			v.plain = append(v.plain, f.text)
		}
	}
	sort.Strings(v.plain)
	sort.Strings(v.wrapped)
	return v
}

func (v *values) addPiece(text string, p piece) {
	key := binary.LittleEndian.Uint64([]byte(text))
	v.pieces[key] = append(v.pieces[key], p)
	for i := 0; i+blockSize <= pieceSize; i++ {
		at := block(text[i], text[i+1], text[i+2])
		v.shift[at] = min(v.shift[at], uint8(pieceSize-blockSize-i))
	}
}

func (v *values) find(sc *scan, label *label) {
	if len(v.forms) == 0 {
		return
	}
	text, shift := sc.text, v.shift[:1<<blockBits]
	for end := pieceSize; end <= len(text); {
		if skip := shift[block(text[end-3], text[end-2], text[end-1])]; skip > 0 {
			end += int(skip)
			continue
		}
		start := end - pieceSize
		for _, p := range v.pieces[load64(text, start)] {
			from, to := start, 0
			if f := v.forms[p.form]; p.atEnd {
				from, to = matchBackward(text, end, f.text), end
			} else {
				to = matchForward(text, start, f)
			}
			if from >= sc.from && to > from {
				sc.found(label, from, from, to)
			}
		}
		end++
	}
	if sc.open {
		if at := v.unfinished(text, sc.from); at >= 0 {
			sc.undecided(at, at)
		}
	}
}

func load64(s string, at int) uint64 {
	_ = s[at+7]
	return uint64(s[at]) | uint64(s[at+1])<<8 | uint64(s[at+2])<<16 | uint64(s[at+3])<<24 |
		uint64(s[at+4])<<32 | uint64(s[at+5])<<40 | uint64(s[at+6])<<48 | uint64(s[at+7])<<56
}

// matchForward is the end of the form that begins at start, or -1.
func matchForward(text string, start int, f form) int {
	if !f.wrapped {
		if strings.HasPrefix(text[start:], f.text) {
			return start + len(f.text)
		}
		return -1
	}
	at := start
	for i := 0; i < len(f.text); i++ {
		if i > 0 {
			at += lineBreak(text[at:])
		}
		if at == len(text) || text[at] != f.text[i] {
			return -1
		}
		at++
	}
	return at
}

// matchBackward is the start of the wrapped form that ends at end, or -1.
func matchBackward(text string, end int, form string) int {
	at := end
	for i := len(form) - 1; i >= 0; i-- {
		if at > 0 && text[at-1] != form[i] {
			at -= lineBreakBefore(text[:at])
		}
		if at == 0 || text[at-1] != form[i] {
			return -1
		}
		at--
	}
	return at
}

// indent is how far the lines of a wrapped text may be indented.
const indent = 16

// lineBreak is the length of a line break at the begin of s with the indentation
// that follows; a break may be escaped, as in JSON.
func lineBreak(s string) int {
	n := 0
	for _, b := range []string{"\n", "\r\n", `\n`, `\r\n`} {
		if strings.HasPrefix(s, b) {
			n = len(b)
			break
		}
	}
	if n == 0 {
		return 0
	}
	for n < len(s) && n <= indent && s[n] == ' ' {
		n++
	}
	return n
}

// lineBreakBefore is lineBreak at the end of s.
func lineBreakBefore(s string) int {
	n := 0
	for n < len(s) && n < indent && s[len(s)-1-n] == ' ' {
		n++
	}
	for _, b := range []string{"\r\n", "\n", `\r\n`, `\n`} {
		if strings.HasSuffix(s[:len(s)-n], b) {
			return n + len(b)
		}
	}
	return 0
}

// unfinished is the first place from which the rest of the text could be the
// begin of a form, or -1.
func (v *values) unfinished(text string, from int) int {
	reach := 2*v.longest + 4*indent // room for line breaks
	for i := max(from, len(text)-reach, 0); i < len(text); i++ {
		if v.starts[text[i]] && (begins(v.plain, text[i:], false) || begins(v.wrapped, text[i:], true)) {
			return i
		}
	}
	return -1
}

// begins says whether one of the sorted words is longer than text and begins with it.
func begins(words []string, text string, wrapped bool) bool {
	low, high, depth := 0, len(words), 0
	for at := 0; at < len(text); at++ {
		if wrapped && depth > 0 {
			if at += lineBreak(text[at:]); at >= len(text) {
				break
			}
		}
		c := text[at]
		if wrapped && depth > 0 && cutBreak(text[at:]) {
			break
		}
		low += sort.Search(high-low, func(i int) bool { return len(words[low+i]) > depth && words[low+i][depth] >= c })
		high = low + sort.Search(high-low, func(i int) bool { return words[low+i][depth] > c })
		if low == high {
			return false
		}
		depth++
	}
	return len(words[high-1]) > depth
}

// cutBreak says whether s could be a line break that the end of the text cuts off.
func cutBreak(s string) bool {
	return s == "\r" || len(s) < len(`\r\n`) && strings.HasPrefix(`\r\n`, s)
}
