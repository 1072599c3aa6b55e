package shellsyntax

import "strings"

// systemDirs are where a program may be named with its directory and is still
// the one that its bare name means.
var systemDirs = []string{"/bin/", "/usr/bin/", "/usr/local/bin/", "/sbin/", "/usr/sbin/"}

// Allowed says whether a pattern ("git log") covers a command for certain: the
// program and the words that follow it are exactly those, word by word.
func (c *Command) Allowed(pattern string) bool {
	want := strings.Fields(pattern)
	if len(want) == 0 || len(want) > len(c.Words) || !c.Words[0].Static {
		return false
	}
	name := c.Words[0].Value
	for _, dir := range systemDirs {
		if rest, found := strings.CutPrefix(name, dir); found {
			name = rest
		}
	}
	if name != want[0] {
		return false
	}
	for i, word := range want[1:] {
		if !c.Words[i+1].Static || c.Words[i+1].Value != word {
			return false
		}
	}
	return true
}

// Denied says whether a pattern ("git push") may cover a command: wherever its
// program lies, and with options in front of or between the words.
func (c *Command) Denied(pattern string) bool {
	want := strings.Fields(pattern)
	if len(want) == 0 || c.Name() != want[0] {
		return false
	}
	return covers(want[1:], c.Words[1:])
}

// covers finds the wanted words in their order, with options between them, which
// may have a value. A word that is not known may be any.
func covers(want []string, words []Word) bool {
	// open holds how many of the wanted words can have been found in front of a word.
	open := make([]map[int]bool, len(words)+3)
	for i := range open {
		open[i] = map[int]bool{}
	}
	open[0][0] = true
	for i := range words {
		for done := range open[i] {
			if done == len(want) {
				return true
			}
			word := words[i]
			if word.Static && word.Value == want[done] || !word.Static {
				open[i+1][done+1] = true
			}
			if strings.HasPrefix(word.Value, "-") {
				open[i+1][done], open[i+2][done] = true, true
			}
		}
	}
	return open[len(words)][len(want)]
}
