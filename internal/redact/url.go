package redact

import (
	"strings"
)

// maxAuthority is the longest authority of a URL that is looked at, in bytes.
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
		find: func(l *look, start, end int) {
			if start == 0 || !is(l.text[start-1], isAlnum) {
				return
			}
			to := authorityEnd(l.text, end)
			if l.atEnd(to) && to-end < maxAuthority {
				l.undecided(start, userinfoSecret(l.text, end, to))
				return
			}
			at := strings.LastIndexByte(l.text[end:to], '@')
			if at < 0 {
				return
			}
			at += end
			user, password, both := strings.Cut(l.text[end:at], ":")
			if at+1 == to || strings.IndexByte(l.text[end:to], blankByte) >= 0 {
				return
			}
			if likelyToken(user) {
				l.found(label, start, end, end+len(user))
			}
			if both && !isPlaceholder(password) {
				l.found(label, start, at-len(password), at)
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
// covered: the password, or all of it while it could be a token.
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
		find: func(l *look, start, end int) {
			word := wordBefore(l.text, start)
			user, password, both := strings.Cut(l.text[word:start], ":")
			if both && user != "" && !strings.HasPrefix(password, "//") && !isPlaceholder(password) &&
				(word == 0 || l.text[word-1] != blankByte) {
				l.found(label, word, word+len(user)+1, start)
			}
		},
		tail: func(l *look) {
			word := wordBefore(l.text, len(l.text))
			user, rest, both := strings.Cut(l.text[word:], ":")
			if both && user != "" && !strings.HasPrefix(rest, "//") {
				l.undecided(word, word+len(user)+1)
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
		find: func(l *look, start, end int) {
			limit := min(len(l.text), end+longest)
			to := end
			for to < limit && l.text[to] > ' ' && l.text[to] < 0x7f {
				to++
			}
			fields := strings.SplitN(l.text[end:to], ":", 3)
			if l.atEnd(to) && to < end+longest {
				l.undecided(start, to-len(fields[len(fields)-1]))
				return
			}
			if len(fields) < 3 || fields[0] == "" || fields[1] == "" || isPlaceholder(fields[2]) || to < len(l.text) &&
				l.text[to] == blankByte {
				return
			}
			l.found(label, start, to-len(fields[2]), to)
		},
	}
}
