package redact

import (
	"bytes"
	"encoding/base64"
	"strings"
)

// authorization finds credentials after the name of their scheme (RFC 9110,
// 11.6.2), in a header or alone: "Bearer …", "Basic …"; and what stands in an
// Authorization header in other forms.
func authorization(labels map[string]*label) *detector {
	label := labels["authorization"]
	if label == nil {
		return nil
	}
	return &detector{
		keywords: []string{"bearer", "basic", "authorization"},
		find: func(sc *scan, start, end int) {
			if !boundaryBefore(sc.text, start) {
				return
			}
			from := end
			header := end-start == len("authorization")
			if header {
				from = headerValue(sc.text, end)
			} else {
				from = skipScheme(sc.text, end)
			}
			if sc.atEnd(from) && from-end < maxGap {
				sc.undecided(start, len(sc.text))
				return
			}
			switch {
			case from == end:
			case header:
				otherScheme(sc, label, start, from)
			case lower(sc.text[start+1]) == 'e':
				credentials(sc, label, start, from, isBearerToken)
			default:
				credentials(sc, label, start, from, isBasic)
			}
		},
	}
}

// skipScheme is where the credentials begin after a scheme's name, or i.
func skipScheme(text string, i int) int {
	from := i
	for from < len(text) && from-i < maxGap && (text[from] == ' ' || text[from] == '+' && from == i) {
		from++
	}
	if strings.HasPrefix(text[i:], "%20") {
		from = i + len("%20")
	}
	return from
}

// credentials redacts one word where it is accepted.
func credentials(sc *scan, label *label, keep, from int, accept func(string) bool) {
	to := from
	for to < len(sc.text) && to-from < maxWord && (is(sc.text[to], isToken) && sc.text[to] != ',') {
		to++
	}
	if sc.atEnd(to) && to-from < maxWord {
		sc.undecided(keep, from)
		return
	}
	word := strings.TrimRight(sc.text[from:to], ".:")
	if accept(word) && (to == len(sc.text) || sc.text[to] != blankByte) {
		sc.found(label, keep, from, from+len(word))
	}
}

func isBearerToken(s string) bool {
	p := profileOf(s)
	return len(s) >= 12 && !isPlaceholder(s) && (p.random() || p.digits > 0 && p.letters() > 0 && !p.wordy())
}

// isBasic says whether s is the base64 of user:password.
func isBasic(s string) bool {
	decoded, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(s, "="))
	if err == nil && bytes.IndexByte(decoded, ':') > 0 && isPrintable(decoded) {
		return true
	}
	return profileOf(s).random()
}

func isPrintable(b []byte) bool {
	for _, c := range b {
		if c < ' ' || c >= 0x7f {
			return false
		}
	}
	return true
}

// headerValue is where the value of a header begins whose name ends at i, or i.
func headerValue(text string, i int) int {
	from := afterQuote(text, i)
	sep := false
	for from < len(text) && from-i < maxGap {
		switch c := text[from]; {
		case is(c, isSpace):
		case (c == ':' || c == '=' || c == ',' || c == ']' || c == '>') && (!sep || c == '>' || c == '='):
			sep = sep || c != ']'
		default:
			if !sep {
				return i
			}
			return afterQuote(text, from)
		}
		from++
	}
	return from
}

// otherScheme redacts what follows a scheme other than Bearer and Basic: one word
// ("token …", "ApiKey …"), or all the parameters (Digest, AWS4-HMAC-SHA256, …).
func otherScheme(sc *scan, label *label, keep, from int) {
	const longest = 4096
	to, limit := from, min(len(sc.text), from+longest)
	for to < limit && strings.IndexByte("\r\n'`\\", sc.text[to]) < 0 && sc.text[to] < 0x7f {
		to++
	}
	line := sc.text[from:to]
	scheme, rest, _ := strings.Cut(line, " ")
	if sc.atEnd(to) && to < from+longest {
		sc.undecided(keep, from)
		return
	}
	if to < len(sc.text) && sc.text[to] == blankByte {
		return
	}
	value := from + len(line) - len(strings.TrimLeft(rest, " "))
	switch {
	case strings.EqualFold(scheme, "bearer") || strings.EqualFold(scheme, "basic"):
	case hasParameters(scheme):
		params := strings.TrimRight(sc.text[value:to], " \"")
		if strings.IndexByte(params, '=') > 0 && !elided(params) {
			sc.found(label, keep, value, value+len(params))
		}
	default:
		first := value
		if rest == "" || isBearerToken(strings.TrimRight(scheme, `",;}`)) {
			first = from
		}
		word := sc.text[first:to]
		if i := strings.IndexAny(word, "\" ,;}"); i >= 0 {
			word = word[:i]
		}
		if p := profileOf(word); isBearerToken(word) && (first == value && first != from || p.random()) {
			sc.found(label, keep, first, first+len(word))
		}
	}
}

// hasParameters says whether a list of parameters follows the scheme.
func hasParameters(scheme string) bool {
	for _, s := range [...]string{"digest", "aws4-hmac-sha256", "hawk", "oauth", "signature"} {
		if strings.EqualFold(scheme, s) {
			return true
		}
	}
	return false
}
