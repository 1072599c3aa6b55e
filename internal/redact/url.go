package redact

import (
	"strings"
)

// maxAuthority is the longest authority of a URL that is scanned, in bytes.
const maxAuthority = 1024

// urlCredentials finds the password in scheme://user:password@host (RFC 3986,
// 3.2.1), and a token that stands there without a name.
func urlCredentials(labels map[string]*label) *detector {
	label := labels["url-credentials"]
	if label == nil {
		return nil
	}
	return &detector{
		keywords: []string{"://", "%3a%2f%2f"},
		find: func(sc *scan, start, end int) {
			if start == 0 || !is(sc.text[start-1], isAlnum) {
				return
			}
			to := authorityEnd(sc.text, end)
			if sc.atEnd(to) && to-end < maxAuthority {
				sc.undecided(start, userinfoSecret(sc.text, end, to))
				return
			}
			at := strings.LastIndexByte(sc.text[end:to], '@')
			if at < 0 {
				return
			}
			at += end
			user, password, both := strings.Cut(sc.text[end:at], ":")
			if at+1 == to || strings.IndexByte(sc.text[end:to], blankByte) >= 0 {
				return
			}
			if likelyToken(user) {
				sc.found(label, start, end, end+len(user))
			}
			if both && !isPlaceholder(password) {
				sc.found(label, start, at-len(password), at)
			}
		},
	}
}

// likelyToken says whether a user name is itself a secret, as in https://<token>@host.
func likelyToken(user string) bool {
	return len(user) >= 20 && !isPlaceholder(user) && profileOf(user).random()
}

// authorityEnd is where the authority that begins at i ends.
func authorityEnd(text string, i int) int {
	for end := min(len(text), i+maxAuthority); i < end; i++ {
		switch c := text[i]; {
		case c <= ' ' || c >= 0x7f && c != blankByte:
			return i
		case strings.IndexByte("/?\"'`<>\\|", c) >= 0:
			return i
		}
	}
	return i
}

// userinfoSecret is where the part of an unfinished authority begins that may be
// redacted: the password, or all of it while it could be a token.
func userinfoSecret(text string, from, to int) int {
	user, _, both := strings.Cut(text[from:to], ":")
	if both && !likelyToken(user) && strings.IndexByte(user, '@') < 0 {
		return from + len(user) + 1
	}
	return from
}

// dsnCredentials finds the password of Go's MySQL addresses: user:password@tcp(host)/db.
func dsnCredentials(labels map[string]*label) *detector {
	label := labels["dsn-credentials"]
	if label == nil {
		return nil
	}
	const longest = 200
	wordBefore := func(text string, end int) int {
		i := end
		for i > 0 && end-i < longest && text[i-1] > ' ' && text[i-1] < 0x7f && strings.IndexByte("\"'`<>\\=",
			text[i-1]) < 0 {
			i--
		}
		return i
	}
	return &detector{
		keywords: []string{"@tcp(", "@unix("},
		find: func(sc *scan, start, end int) {
			word := wordBefore(sc.text, start)
			user, password, both := strings.Cut(sc.text[word:start], ":")
			if both && user != "" && !strings.HasPrefix(password, "//") && !isPlaceholder(password) &&
				(word == 0 || sc.text[word-1] != blankByte) {
				sc.found(label, word, word+len(user)+1, start)
			}
		},
		tail: func(sc *scan) {
			word := wordBefore(sc.text, len(sc.text))
			user, rest, both := strings.Cut(sc.text[word:], ":")
			if both && user != "" && !strings.HasPrefix(rest, "//") {
				sc.undecided(word, word+len(user)+1)
			}
		},
	}
}

// pgpassLines finds the passwords in PostgreSQL's password file:
// host:5432:database:user:password.
func pgpassLines(labels map[string]*label) *detector {
	label := labels["pgpass"]
	if label == nil {
		return nil
	}
	const longest = 512
	return &detector{
		keywords: []string{":5432:"},
		find: func(sc *scan, start, end int) {
			limit := min(len(sc.text), end+longest)
			to := end
			for to < limit && sc.text[to] > ' ' && sc.text[to] < 0x7f {
				to++
			}
			fields := strings.SplitN(sc.text[end:to], ":", 3)
			if sc.atEnd(to) && to < end+longest {
				sc.undecided(start, to-len(fields[len(fields)-1]))
				return
			}
			if len(fields) < 3 || fields[0] == "" || fields[1] == "" || isPlaceholder(fields[2]) || to < len(sc.text) &&
				sc.text[to] == blankByte {
				return
			}
			sc.found(label, start, to-len(fields[2]), to)
		},
	}
}
