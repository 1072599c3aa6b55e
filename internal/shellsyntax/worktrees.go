package shellsyntax

import (
	"path"
	"strings"
)

// worktrees are the working trees that a line adds to a repository.
type worktrees map[string]bool

// removes says whether a command removes a working tree together with the changes in it,
// other than one that the line added before.
func (t worktrees) removes(c *Command) bool {
	if c.Name() != "git" {
		return false
	}
	words := gitWords(c)
	if len(words) < 3 || words[0].Value != "worktree" {
		return false
	}
	words = words[1:]
	switch names := plainWordsOf(words[1:], "-b", "-B", "--reason"); words[0].Value {
	case "add":
		if len(names) > 0 && names[0].Static && !names[0].Guess && !c.Guess && len(t) < 32 {
			t[path.Clean(names[0].Value)] = true
		}
	case "remove":
		forced := false
		for _, w := range words[1:] {
			forced = forced || strings.HasPrefix(w.Value, "--f") || strings.HasPrefix(w.Value, "-f")
		}
		return forced && (len(names) != 1 || !names[0].Static || !t[path.Clean(names[0].Value)])
	}
	return false
}
