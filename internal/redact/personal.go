package redact

import (
	"net/netip"
	"regexp"
	"strings"
)

// Personal data is looked for only where the options ask for it.
var personalRules = []string{"email", "phone", "card", "ip"}

func personalDetectors(labels map[string]*label) []*detector {
	var all []*detector
	if label := labels["email"]; label != nil {
		all = append(all, emails(label))
	}
	if labels["phone"] != nil || labels["card"] != nil {
		all = append(all, &detector{scanAll: func(sc *scan) { eachNumber(sc, labels["phone"], labels["card"]) }})
	}
	if label := labels["ip"]; label != nil {
		all = append(all, &detector{scanAll: func(sc *scan) { eachAddress(sc, label) }})
	}
	return all
}

// emails finds addresses of the usual form; the quoted forms of RFC 5321 are not
// looked for. The login of a git remote (git@host:path) is none.
func emails(label *label) *detector {
	const longestLocal, longestDomain = 64, 255
	isLocal := func(c byte) bool { return is(c, isAlnum|isUnderscore) || strings.IndexByte(".%+-", c) >= 0 }
	localStart := func(text string, end int) int {
		i := end
		for i > 0 && end-i < longestLocal && isLocal(text[i-1]) {
			i--
		}
		for i < end && !is(text[i], isAlnum|isUnderscore) {
			i++
		}
		return i
	}
	return &detector{
		keywords: []string{"@"},
		find: func(sc *scan, start, end int) {
			from := localStart(sc.text, start)
			if from == start || sc.text[from:start] == "git" || from > 0 && sc.text[from-1] == blankByte {
				return
			}
			to := end
			for to < len(sc.text) && to-end < longestDomain && (is(sc.text[to], isAlnum) || sc.text[to] == '-' ||
				sc.text[to] == '.') {
				to++
			}
			if sc.atEnd(to) {
				sc.undecided(from, from)
				return
			}
			if to < len(sc.text) && sc.text[to] == blankByte {
				return
			}
			domain := strings.TrimRight(sc.text[end:to], ".-")
			dot := strings.LastIndexByte(domain, '.')
			if dot < 1 || len(domain)-dot < 3 || strings.Contains(domain, "..") || runEnd(domain, dot+1,
				isLetter) < len(domain) {
				return
			}
			sc.found(label, from, from, end+len(domain))
		},
		tail: func(sc *scan) {
			if from := localStart(sc.text, len(sc.text)); from < len(sc.text) {
				sc.undecided(from, from)
			}
		},
	}
}

var (
	phonePattern = regexp.MustCompile(`\A(?:(?:\+|00)?86[ -]?)?1[3-9]\d(?:[ -]?\d{4}){2}` + // China, mobile
		`|\A0\d{2,3}-\d{7,8}` + // China, fixed
		`|\A(?:\+|00)[1-9]\d{0,2}[ .-]?(?:\(\d{1,4}\)[ .-]?)?\d{1,4}(?:[ .-]?\d{2,4}){2,4}` + // international
		`|\A(?:\+?1[ .-]?)?(?:\(\d{3}\) ?|\d{3}[ .-])\d{3}[ .-]\d{4}`) // North America
	cardPattern = regexp.MustCompile(`\A[2-6]\d{3}(?:[ -]?\d{4}){2}[ -]?\d{1,7}|\A3[47]\d{2}[ -]?\d{6}[ -]?\d{5}`)
)

// eachNumber checks every run of digits with the signs that people put between
// them.
func eachNumber(sc *scan, phone, card *label) {
	const longest = 64
	text := sc.text
	for i := sc.from; i < len(text); i++ {
		if c := text[i]; !is(c, isDigit) && c != '+' && c != '(' {
			continue
		}
		if i > 0 && (!boundaryBefore(text, i) || i > 1 && strings.IndexByte(".-,:", text[i-1]) >= 0 && is(text[i-2],
			isDigit|isBlank)) {
			i = max(i, runEnd(text, i, isDigit)-1)
			continue
		}
		end := i
		for end < len(text) && end-i < longest && (is(text[end], isDigit) || strings.IndexByte(" .()+-",
			text[end]) >= 0) {
			end++
		}
		if sc.atEnd(end) {
			sc.undecided(i, i)
			return
		}
		if end < len(text) && text[end] == blankByte {
			i = end - 1
			continue
		}
		window := text[i:min(len(text), end+1)]
		if n := numberLength(cardPattern, window); card != nil && n > 0 && luhn(window[:n]) {
			sc.found(card, i, i, i+n)
			i += n - 1
		} else if n := phoneLength(window, card != nil); phone != nil && n > 0 {
			sc.found(phone, i, i, i+n)
			i += n - 1
		} else {
			i = max(i, runEnd(text, i, isDigit)-1)
		}
	}
}

// numberLength is the length of the number at the begin of the window, or 0 where
// there is none or where it goes on as something else.
func numberLength(pattern *regexp.Regexp, window string) int {
	loc := pattern.FindStringIndex(window)
	if loc == nil {
		return 0
	}
	n := loc[1]
	if !boundaryAfter(window, n) || n+1 < len(window) && strings.IndexByte(".-", window[n]) >= 0 && is(window[n+1],
		isDigit) {
		return 0
	}
	return n
}

// phoneLength is the length of the phone number at the begin of the window, or 0;
// the groups of a card number behind it are none of its own.
func phoneLength(window string, cards bool) int {
	const shortest = 20 // of both
	for i := 1; i < len(window) && len(window) >= shortest && cards; i++ {
		if is(window[i], isDigit) && !is(window[i-1], isDigit) {
			if card := numberLength(cardPattern, window[i:]); card > 0 && luhn(window[i:i+card]) {
				window = strings.TrimRight(window[:i], " .-")
			}
		}
	}
	return numberLength(phonePattern, window)
}

// luhn checks the last digit of a card number (ISO/IEC 7812-1).
func luhn(s string) bool {
	sum, n := 0, 0
	for i := len(s) - 1; i >= 0; i-- {
		if !is(s[i], isDigit) {
			continue
		}
		d := int(s[i] - '0')
		if n%2 == 1 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
		n++
	}
	return n >= 13 && n <= 19 && sum%10 == 0
}

// eachAddress finds IPv4 and IPv6 addresses but loopback and unspecified ones.
func eachAddress(sc *scan, label *label) {
	const longest = 64
	text := sc.text
	isPart := func(c byte) bool { return is(c, isDigit|isHexLetter) || c == '.' || c == ':' }
	for i := sc.from; i < len(text); i++ {
		if !isPart(text[i]) || i > 0 && (isPart(text[i-1]) || !boundaryBefore(text, i)) {
			continue
		}
		end := i
		for end < len(text) && end-i < longest && isPart(text[end]) {
			end++
		}
		if sc.atEnd(end) {
			sc.undecided(i, i)
			return
		}
		if end < len(text) && text[end] == blankByte {
			i = end
			continue
		}
		word := strings.TrimRight(text[i:end], ".:")
		if host, port, ok := strings.Cut(word, ":"); ok && strings.Count(host, ".") == 3 && strings.IndexByte(port,
			':') < 0 {
			word = host
		}
		address, err := netip.ParseAddr(word)
		if err == nil && boundaryAfter(text, i+len(word)) && strings.ContainsAny(word, "0123456789") &&
			!address.IsLoopback() && !address.IsUnspecified() {
			sc.found(label, i, i, i+len(word))
		}
		i = end - 1
	}
}
