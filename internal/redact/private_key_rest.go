package redact

import "strings"

// privateKeyRests finds the rest of a private key whose begin is missing, as the
// end of a file shows it: lines of base64 before the last line of a PEM.
func privateKeyRests(labels map[string]*label) *detector {
	label := labels["private-key"]
	if label == nil {
		return nil
	}
	return &detector{
		keywords: []string{keyFooter},
		find: func(sc *scan, start, end int) {
			line := runStart(sc.text, start, isSpace, margin)
			rest := restOfKey(sc.text, line, true)
			if rest == line {
				return
			}
			window := sc.text[end:min(len(sc.text), end+80)]
			name, _, closed := strings.Cut(window, "-----")
			name, _, broken := strings.Cut(name, "\n")
			switch {
			case sc.open && !closed && !broken && len(window) < 80:
				sc.undecided(rest, rest)
			case strings.Contains(name, "PRIVATE") && strings.IndexByte(name, blankByte) < 0:
				sc.found(label, rest, rest, rest+len(strings.TrimRight(sc.text[rest:line], "\r\n")))
			}
		},
		tail: func(sc *scan) {
			line := lineStart(sc.text, len(sc.text))
			last := strings.TrimLeft(sc.text[line:], " \t")
			footer := strings.HasPrefix(keyFooter, last) || strings.HasPrefix(last, keyFooter)
			if !footer && !isBase64(strings.TrimRight(last, "\r")) {
				return
			}
			rest := restOfKey(sc.text, line, footer)
			if rest < line || !footer && (line == 0 || sc.text[line-1] == '\n') {
				sc.undecided(rest, rest)
			}
		},
	}
}

const (
	keyFooter   = "-----END "
	fullKeyLine = 60 // characters; lines of keys have 64 or 70
)

// restOfKey is where the lines of base64 begin that stand right before a line, or
// that line where there is none. All but the last of them are full; the last one
// may be short.
func restOfKey(text string, line int, lastMayBeShort bool) int {
	first, i := line, line
	for last := lastMayBeShort; i > 0 && text[i-1] == '\n' && line-i < maxKey/2; last = false {
		above := lineStart(text, i-1)
		content := strings.Trim(text[above:i], " \t\r\n")
		full := len(content) >= fullKeyLine
		if content == "" || !isBase64(content) || !full && !last {
			break
		}
		if i = above; full {
			first = i
		}
	}
	return first
}

// lineStart is the start of the line that i stands in or at the end of; a line
// that is longer than any of a key is cut.
func lineStart(text string, i int) int {
	low := max(0, i-2*margin)
	if at := strings.LastIndexByte(text[low:i], '\n'); at >= 0 {
		return low + at + 1
	}
	return low
}
