package redact

import "strings"

// maxKey is the most that is redacted of one private key, in bytes: four times a
// PEM of RSA with 16,384 bits.
const maxKey = 32 << 10

// privateKeys finds the body of private keys in PEM (RFC 7468) and PuTTY's
// format, whole or cut off; the lines around it stay readable. Line breaks may
// be escaped, and the lines may be indented or quoted.
func privateKeys(labels map[string]*label) *detector {
	label := labels["private-key"]
	if label == nil {
		return nil
	}
	return &detector{
		keywords: []string{"-----BEGIN ", "Private-Lines:"},
		find: func(sc *scan, start, end int) {
			body, ok := keyHeader(sc, start, end)
			if !ok {
				return
			}
			key := keyBody(sc.text, body, columnOf(sc.text, start), sc.open)
			if sc.open && !key.ended {
				sc.undecided(start, key.hold)
				return
			}
			sc.found(label, start, key.from, key.to)
		},
	}
}

// keyHeader is the end of the line that says that a private key follows.
func keyHeader(sc *scan, start, end int) (body int, ok bool) {
	const longest = 80
	window := sc.text[end:min(len(sc.text), end+longest)]
	if is(sc.text[start], isLetter) { // Private-Lines: 8
		digits := strings.TrimLeft(window, " ")
		n := runEnd(digits, 0, isDigit)
		if n == len(digits) && sc.open {
			sc.undecided(start, len(sc.text))
			return 0, false
		}
		body = end + len(window) - len(digits) + n
		return body, n > 0 && body < len(sc.text) && (sc.text[body] < ' ' || sc.text[body] == '\\')
	}
	name, _, found := strings.Cut(window, "-----")
	if strings.IndexByte(name, '\n') >= 0 || strings.IndexByte(name, blankByte) >= 0 {
		return 0, false
	}
	if !found {
		if sc.open && len(window) < longest {
			sc.undecided(start, len(sc.text))
		}
		return 0, false
	}
	return end + len(name) + len("-----"), strings.Contains(name, "PRIVATE KEY")
}

// keyText is the key's own text after its header: from its first line of base64
// to its last one; from == to where there is none.
type keyText struct {
	from, to int
	hold     int  // what stands from here on may belong to it, as far as the text goes
	ended    bool // what follows does not belong to it
}

// keyBody reads the lines of a key from at on; column is where the key's text
// begins on its first line, which is where it begins on the other lines of a log.
func keyBody(text string, at, column int, open bool) keyText {
	limit := min(len(text), at+maxKey)
	k := keyText{from: at, to: at, ended: limit < len(text)}
	hold := -1
	escaped := false // the line begins after an escaped break
	for first := true; at < limit; first = false {
		line, next := keyLine(text[at:limit])
		from, to := keyContent(line, first, k.to == k.from, column)
		content := line[from:to]
		complete := next > len(line)
		belongs := isBase64(content) && (len(content) >= minLine || !complete)
		if complete && !belongs && content != "" && isBase64(content) {
			last, known := endsKey(content, text[at+next:limit], column)
			if !known && open && limit == len(text) {
				hold = at
				break
			}
			belongs = last
		}
		switch {
		case belongs && content != "":
			if k.to == k.from {
				k.from = at + from
			}
			k.to = at + to
			if !first {
				column = from
			}
		case !complete:
			hold = at
		case content == "" || k.to == k.from && isKeyField(content):
		case (first || escaped) && column > 0 && !strings.Contains(line, "-----"): // the end of a line of a log
		default:
			k.ended = true
			return k
		}
		escaped = next > 0 && text[at+next-1] == 'n'
		at += next
	}
	switch {
	case k.to > k.from:
		k.hold = k.from
	case hold >= 0:
		k.hold = hold
	default:
		k.hold = limit
	}
	return k
}

// columnOf is how far i stands from the begin of its line, or 0 where that is far.
func columnOf(text string, i int) int {
	low := max(0, i-margin/2)
	if at := strings.LastIndexByte(text[low:i], '\n'); at >= 0 {
		low += at + 1
	} else if low > 0 {
		return 0
	}
	return i - low
}

// minLine is the length from which base64 is a line of a key, whatever follows.
const minLine = 16

// keyContent is where the key stands on a line without what code, quotations,
// comments, line numbers and logs put around it.
func keyContent(line string, sameLine, mayBeField bool, column int) (from, to int) {
	const around = " \t\"'`,;|>"
	content := strings.TrimRight(line, around)
	if code, ok := strings.CutSuffix(content, "+"); ok && strings.TrimRight(code, around) != code {
		content = strings.TrimRight(code, around) // joined to the next line
	}
	to = len(content)
	from = to - len(strings.TrimLeft(content, around))
	content = line[from:to]
	if sameLine || isBase64(content) || strings.IndexByte(line, blankByte) >= 0 {
		return from, to
	}
	const longestPrefix = 24
	at := base64Start(line, to)
	if at-from <= longestPrefix && to-at >= minLine && (!mayBeField || isMixed(line[at:to])) {
		return at, to
	}
	if start, end := longestBase64(line); end-start >= loggedLine && isMixed(line[start:end]) {
		return start, end
	}
	if column > 0 && column < len(line) && !(mayBeField && isKeyField(content)) {
		end := column
		for end < len(line) && isBase64(line[end:end+1]) {
			end++
		}
		begins := end > column && !isBase64(line[column-1:column])
		if begins && (end-column < minLine || isMixed(line[column:end])) {
			return column, end
		}
	}
	return from, to
}

// loggedLine is the length from which base64 is a line of a key wherever it stands
// on a line after the header.
const loggedLine = 40

// isMixed says whether s has letters of both cases and digits, as base64 has and
// words have not.
func isMixed(s string) bool {
	p := profileOf(s)
	return p.lowers > 0 && p.uppers > 0 && p.digits > 0
}

// base64Start is where the base64 begins that ends at i.
func base64Start(line string, i int) int {
	for i > 0 && isBase64(line[i-1:i]) {
		i--
	}
	return i
}

// longestBase64 is the longest run of base64 in a line.
func longestBase64(line string) (from, to int) {
	for end := len(line); end > 0; end-- {
		start := base64Start(line, end)
		if end-start > to-from {
			from, to = start, end
		}
		end = max(start, 1)
	}
	return from, to
}

// keyLine returns the first line of s and the length with its line break, which
// may be escaped once or several times, or have become a blank.
func keyLine(s string) (line string, next int) {
	for i := range len(s) {
		switch c := s[i]; {
		case c == '\n' || c == '\r' || c == ' ' && i >= minLine && isBase64(strings.TrimLeft(s[:i], " ")):
			return s[:i], i + 1
		case c == '\\':
			end := i
			for end < len(s) && s[end] == '\\' {
				end++
			}
			if end == len(s) {
				return s[:i], end
			}
			if s[end] == 'n' || s[end] == 'r' {
				return s[:i], end + 1
			}
			return s[:i], end
		}
	}
	return s, len(s)
}

func isBase64(s string) bool {
	for i := range len(s) {
		if c := s[i]; !is(c, isAlnum) && c != '+' && c != '/' && c != '=' {
			return false
		}
	}
	return true
}

// endsKey says whether a short line is the last one of a key: padding at its end,
// a checksum, or the footer after it, where rest is long enough to know.
func endsKey(line, rest string, column int) (last, known bool) {
	if strings.HasSuffix(line, "=") || strings.HasPrefix(line, "=") {
		return true, true
	}
	const footer = "-----"
	after := strings.TrimLeft(rest, " \t\r\n\"'`,+;|>\\nr")
	if column == 0 || strings.HasPrefix(after, footer) {
		return strings.HasPrefix(after, footer), !strings.HasPrefix(footer, after) || after == footer
	}
	window := rest[:min(len(rest), 2*margin)] // in a log, the footer stands behind what begins each line
	lines := strings.SplitAfterN(window, "\n", 3)
	known = len(lines) == 3 || len(window) == 2*margin
	for _, sc := range lines[:min(2, len(lines))] {
		last = last || strings.Contains(sc, footer)
	}
	return last, known || last
}

// isKeyField says whether a line is a header inside of a key: "Proc-Type: 4,ENCRYPTED".
func isKeyField(line string) bool {
	name, _, ok := strings.Cut(line, ":")
	return ok && len(name) >= 4 && len(name) <= 20 && strings.IndexFunc(name,
		func(r rune) bool { return r != '-' && notBase64(r) }) < 0
}

// emptyKey says whether nothing of a key stands in this PEM.
func emptyKey(pem string) bool {
	_, body, _ := strings.Cut(pem, "KEY-----")
	key := keyBody(body, 0, 0, false)
	return key.from == key.to
}
