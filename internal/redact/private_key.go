package redact

import "strings"

// maxKey is the most that is covered of one private key, in bytes: four times a
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
		find: func(l *look, start, end int) {
			body, ok := keyHeader(l, start, end)
			if !ok {
				return
			}
			key := keyBody(l.text, body)
			if l.open && !key.ended {
				l.undecided(start, key.hold)
				return
			}
			l.found(label, start, key.from, key.to)
		},
	}
}

// keyHeader is the end of the line that says that a private key follows.
func keyHeader(l *look, start, end int) (body int, ok bool) {
	const longest = 80
	window := l.text[end:min(len(l.text), end+longest)]
	if is(l.text[start], isLetter) { // Private-Lines: 8
		digits := strings.TrimLeft(window, " ")
		n := runEnd(digits, 0, isDigit)
		if n == len(digits) && l.open {
			l.undecided(start, len(l.text))
			return 0, false
		}
		body = end + len(window) - len(digits) + n
		return body, n > 0 && body < len(l.text) && (l.text[body] < ' ' || l.text[body] == '\\')
	}
	name, _, found := strings.Cut(window, "-----")
	if strings.IndexByte(name, '\n') >= 0 || strings.IndexByte(name, blankByte) >= 0 {
		return 0, false
	}
	if !found {
		if l.open && len(window) < longest {
			l.undecided(start, len(l.text))
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

func keyBody(text string, at int) keyText {
	limit := min(len(text), at+maxKey)
	k := keyText{from: at, to: at, ended: limit < len(text)}
	hold := -1
	for first := true; at < limit; first = false {
		line, next := keyLine(text[at:limit])
		content := keyContent(line, first, k.to == k.from)
		complete := next > len(line)
		belongs := isBase64(content) && (len(content) >= minLine || !complete)
		if complete && !belongs && isBase64(content) {
			last, known := endsKey(content, text[at+next:limit])
			if !known && limit == len(text) {
				hold = at
				break
			}
			belongs = last
		}
		switch {
		case belongs && content != "":
			begin := at + strings.Index(line, content)
			if k.to == k.from {
				k.from = begin
			}
			k.to = begin + len(content)
		case !complete:
			hold = at
		case content == "" || k.to == k.from && isKeyField(content):
		default:
			k.ended = true
			return k
		}
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

// minLine is the length from which base64 is a line of a key, whatever follows.
const minLine = 16

// keyContent is the line without what code, quotations, comments and line numbers
// put around it.
func keyContent(line string, sameLine, mayBeField bool) string {
	const around = " \t\"'`,;|>"
	content := strings.TrimRight(line, around)
	if code, ok := strings.CutSuffix(content, "+"); ok && strings.TrimRight(code, around) != code {
		content = strings.TrimRight(code, around) // joined to the next line
	}
	content = strings.TrimLeft(content, around)
	if sameLine || isBase64(content) || mayBeField && isKeyField(content) {
		return content
	}
	const longestPrefix = 24
	at := len(content)
	for at > 0 && isBase64(content[at-1:at]) {
		at--
	}
	if at <= longestPrefix && len(content)-at >= minLine {
		return content[at:]
	}
	return content
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
func endsKey(line, rest string) (last, known bool) {
	if strings.HasSuffix(line, "=") || strings.HasPrefix(line, "=") {
		return true, true
	}
	const footer = "-----"
	rest = strings.TrimLeft(rest, " \t\r\n\"'`,+;|>\\nr")
	return strings.HasPrefix(rest, footer), !strings.HasPrefix(footer, rest) || rest == footer
}

// isKeyField says whether a line is a header inside of a key: "Proc-Type: 4,ENCRYPTED".
func isKeyField(line string) bool {
	name, _, ok := strings.Cut(line, ":")
	return ok && len(name) >= 4 && len(name) <= 20 && strings.IndexFunc(name, func(r rune) bool { return r != '-' && notBase64(r) }) < 0
}

// emptyKey says whether nothing of a key stands in this PEM.
func emptyKey(pem string) bool {
	_, body, _ := strings.Cut(pem, "KEY-----")
	key := keyBody(body, 0)
	return key.from == key.to
}
