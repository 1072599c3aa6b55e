package redact

import "strings"

// maxCookies is how much of a cookie header is scanned, in bytes.
const maxCookies = 8192

// cookies finds the values of cookies that open a session, in Cookie and
// Set-Cookie headers (RFC 6265) and in curl's options.
func cookies(labels map[string]*label) *detector {
	label := labels["cookie"]
	if label == nil {
		return nil
	}
	return &detector{
		keywords: []string{"cookie"},
		find: func(sc *scan, start, end int) {
			at := headerValue(sc.text, end)
			// --cookie a=b
			if at == end && end < len(sc.text) && sc.text[end] == ' ' && start > 0 && sc.text[start-1] == '-' {
				at = afterQuote(sc.text, end+1)
			}
			if sc.atEnd(at) && at-end < maxGap {
				sc.undecided(start, len(sc.text))
				return
			}
			if at > end {
				eachCookie(sc, label, start, at)
			}
		},
	}
}

// eachCookie reads name=value; name=value; … up to the end of the line.
func eachCookie(sc *scan, label *label, keep, at int) {
	text := sc.text
	for limit := min(len(text), at+maxCookies); at < limit; {
		nameEnd := at
		for nameEnd < limit && isCookieByte(text[nameEnd]) && text[nameEnd] != '=' {
			nameEnd++
		}
		if nameEnd == limit || text[nameEnd] != '=' {
			if sc.atEnd(nameEnd) {
				sc.undecided(keep, nameEnd)
			}
			return
		}
		to := nameEnd + 1
		for to < limit && isCookieByte(text[to]) {
			to++
		}
		if sc.atEnd(to) {
			sc.undecided(keep, nameEnd+1)
			return
		}
		if value := text[nameEnd+1 : to]; isSessionCookie(text[at:nameEnd], value) &&
			(to == len(text) || text[to] != blankByte) {
			sc.found(label, keep, nameEnd+1, to)
		}
		at = to
		for at < limit && (text[at] == ';' || text[at] == ' ') {
			at++
		}
		if at == to {
			return
		}
	}
	if sc.atEnd(at) {
		sc.undecided(keep, len(text))
	}
}

func isCookieByte(c byte) bool {
	return c > ' ' && c < 0x7f && strings.IndexByte(";\"'`\\,", c) < 0
}

// isSessionCookie says whether the cookie is a secret: by its name, or because
// its value looks random.
func isSessionCookie(name, value string) bool {
	if len(value) < minValue || isPlaceholder(value) {
		return false
	}
	name = strings.ToLower(name)
	if strings.HasPrefix(name, "_g") && !strings.Contains(name, "session") || strings.HasPrefix(name, "_fb") ||
		strings.HasPrefix(name, "utm") {
		return false // analytics
	}
	p := profileOf(value)
	if p.random() {
		return true
	}
	for _, word := range [...]string{"sess", "sid", "auth", "token", "jwt", "csrf", "xsrf", "remember", "login",
		"secret"} {
		if strings.Contains(name, word) {
			return p.digits > 0 && !p.wordy()
		}
	}
	return false
}
