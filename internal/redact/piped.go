package redact

import "strings"

// pipedPasswords finds what echo hands to a command that reads a password from
// its input: echo … | docker login --password-stdin.
func pipedPasswords(labels map[string]*label) *detector {
	label := labels["piped-password"]
	if label == nil {
		return nil
	}
	return &detector{
		keywords: []string{"echo ", "printf "},
		find: func(sc *scan, start, end int) {
			if !boundaryBefore(sc.text, start) {
				return
			}
			c := commandLine{sc, label, start, min(len(sc.text), start+maxCommand)}
			word, next, ok := c.word(end)
			for ok && sc.text[word[0]] == '-' {
				word, next, ok = c.word(next)
			}
			if ok {
				c.piped(word, next)
			}
		},
	}
}

// piped redacts the word where a pipe to such a command follows on its line.
func (c *commandLine) piped(word [2]int, next int) {
	text := c.text
	pipe := runEnd(text[:c.limit], next, isSpace)
	if c.atEnd(pipe) {
		c.undecided(c.start, word[0])
		return
	}
	if pipe >= c.limit || text[pipe] != '|' {
		return
	}
	line := text[pipe:c.limit]
	if i := strings.IndexByte(line, '\n'); i >= 0 {
		line = line[:i]
	} else if c.atEnd(c.limit) {
		c.undecided(c.start, word[0])
		return
	}
	for _, reader := range [...]string{"password-stdin", "passwd --stdin", "sudo -S", "passphrase-fd", "cryptsetup"} {
		if strings.Contains(line, reader) {
			c.argument(word, commandOption{})
			return
		}
	}
	if strings.Contains(line, "chpasswd") {
		c.argument(word, commandOption{after: ':'})
	}
}
