package shellanalysis

import (
	"slices"
	"strings"
)

// systemDirs are where a program may be named with its directory and is still the one
// that its bare name means.
var systemDirs = []string{"/bin/", "/usr/bin/", "/usr/local/bin/", "/sbin/", "/usr/sbin/"}

// Is says whether a pattern ("git log") covers a call for certain: the program and the
// words that follow it are exactly those, word by word.
func (c *Call) Is(pattern string) bool {
	want := strings.Fields(pattern)
	if len(want) == 0 || len(want) > len(c.Words) {
		return false
	}
	for i, text := range want {
		got := c.Words[i]
		if i == 0 {
			for _, dir := range systemDirs {
				if rest, found := strings.CutPrefix(got.Text, dir); found && !strings.Contains(rest, "/") {
					got.Text = rest
				}
			}
		}
		if got.Dynamic || got.Text != text {
			return false
		}
	}
	return true
}

// MayBe says whether a pattern ("git push") may cover a call: wherever its program lies,
// and with options in front of or between the words.
func (c *Call) MayBe(pattern string) bool {
	want := strings.Fields(pattern)
	if len(want) == 0 || c.Name() != strings.ToLower(want[0]) {
		return false
	}
	// done are how many of the wanted words can have been found so far.
	done := []int{0}
	valued := []int(nil) // where the word before was an option, which may have a value
	for _, word := range c.Words[1:] {
		var next, skipped []int
		for _, n := range done {
			switch {
			case n == len(want)-1:
				return true
			case word.Dynamic || word.Text == want[n+1]:
				next = append(next, n+1)
			}
			if strings.HasPrefix(word.Text, "-") {
				next, skipped = append(next, n), append(skipped, n)
			}
		}
		next = append(next, valued...)
		slices.Sort(next)
		done, valued = slices.Compact(next), skipped
	}
	return slices.Contains(done, len(want)-1)
}

// isSystemProgram says whether a path leads to a program of the system.
func isSystemProgram(name string) bool {
	return slices.ContainsFunc(systemDirs, func(dir string) bool { return strings.HasPrefix(name, dir) })
}
