package workspace

import (
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

const (
	ignoreFile = ".gitignore"
	// A file of rules is read up to this size, and so many rules hold at one place.
	// A rule that is left out keeps nothing from being found.
	maxIgnoreFile  = 64 << 10
	maxIgnoreRules = 1000
)

// ignores are the folders that walks do not go into: those with the configured
// names, and those that the .gitignore files on the way name. Files are never
// ignored: an agent's output is often one that Git shall not see.
type ignores struct {
	names map[string]bool
	rules []ignoreRule // of the parents first; the last one that matches counts
}

type ignoreRule struct {
	base   string // directory of the .gitignore with a slash behind it; empty: the root
	glob   string // for the path from there
	negate bool
}

func newIgnores(names []string) *ignores {
	g := &ignores{names: map[string]bool{gitDir: true}}
	for _, name := range names {
		g.names[name] = true
	}
	return g
}

// skips says whether a directory is ignored. path is cleaned, from the root.
func (g *ignores) skips(path, name string) bool {
	if g.names[name] {
		return true
	}
	for i := len(g.rules) - 1; i >= 0; i-- {
		rule := g.rules[i]
		rest, below := strings.CutPrefix(path, rule.base)
		if below && doublestar.MatchUnvalidated(rule.glob, rest) {
			return !rule.negate
		}
	}
	return false
}

// within are the ignores of a directory with a .gitignore.
func (g *ignores) within(dir *os.Root, path string, info fs.FileInfo) *ignores {
	f, _, err := openSame(dir, ignoreFile, info, ignoreFile)
	if err != nil {
		return g // a link, a special file, or not readable: Git would not obey it here either
	}
	defer f.Close()
	return g.read(f, path)
}

// read adds the rules of a directory's .gitignore.
func (g *ignores) read(r io.Reader, path string) *ignores {
	text, err := io.ReadAll(io.LimitReader(r, maxIgnoreFile))
	if err != nil {
		return g
	}
	base := path + "/"
	if path == "." || path == "" {
		base = ""
	}
	rules := g.rules[:len(g.rules):len(g.rules)]
	for line := range strings.Lines(string(text)) {
		if rule, ok := parseIgnoreRule(line, base); ok && len(rules) < maxIgnoreRules {
			rules = append(rules, rule)
		}
	}
	return &ignores{names: g.names, rules: rules}
}

// parseIgnoreRule reads a line as gitignore(5) describes it, for directories.
func parseIgnoreRule(line, base string) (rule ignoreRule, ok bool) {
	line = strings.TrimRight(line, "\r\n")
	for strings.HasSuffix(line, " ") && !strings.HasSuffix(line, `\ `) {
		line = line[:len(line)-1]
	}
	if strings.HasPrefix(line, "#") {
		return rule, false
	}
	rule.base = base
	line, rule.negate = strings.CutPrefix(line, "!")
	line = strings.TrimSuffix(line, "/")
	glob, anchored := strings.CutPrefix(line, "/")
	if glob == "" {
		return rule, false
	}
	// Braces are ordinary characters here, and "x/**" is what lies in x, not x.
	glob = strings.NewReplacer("{", `\{`, "}", `\}`).Replace(glob)
	if strings.HasSuffix(glob, "/**") {
		glob += "/*"
	}
	if !anchored && !strings.Contains(glob, "/") {
		glob = "**/" + glob
	}
	rule.glob = glob
	return rule, checkGlob(glob) == nil
}
