package guard

import (
	"slices"
	"strings"
	"sync"

	"nanoclaw/internal/shellsyntax"
)

// Programs by what they do with the paths among their words.
var (
	// speakers print their words and open none.
	speakers = []string{"echo", "printf", "test", "[", "[[", "true", "false", ":", "export", "declare", "typeset", "local", "readonly", "unset", "alias", "trap", "read", "set", "which", "type", "command", "basename", "dirname", "expr", "sleep", "say", "kill", "wait", "return", "exit", "case"}
	// listers look at names and dates alone.
	listers = []string{"ls", "ll", "stat", "file", "du", "tree", "realpath", "readlink", "mkdir", "cd", "pushd", "touch", "find", "fd", "locate", "source", ".", "docker", "podman", "docker-compose", "git", "exa", "eza"}
	// changers write to their words.
	changers = []string{"cp", "mv", "tee", "ln", "install", "rm", "unlink", "shred", "truncate", "chmod", "chown", "dd", "rsync", "sponge", "sed", "ed", "ex", "vim", "vi", "nano", "emacs", "patch", "scp"}
	// searchers take a pattern first.
	searchers = []string{"grep", "egrep", "fgrep", "rg", "ag", "ack", "sed", "awk", "gawk", "mawk", "jq", "perl", "gsed", "zgrep", "yq", "tr"}
)

// programKind says what a program does with the paths among its words.
type programKind int

const (
	speaks programKind = 1 << iota
	looks
	changes
	searches
)

var programs = sync.OnceValue(func() map[string]programKind {
	kinds := map[string]programKind{}
	for kind, list := range map[programKind][]string{speaks: speakers, looks: listers, changes: changers, searches: searchers} {
		for _, name := range list {
			kinds[name] |= kind
		}
	}
	return kinds
})

// command looks at the words and redirections of one shell command.
func (p *pathCheck) command(c *shellsyntax.Command) {
	for _, to := range c.WritesTo {
		p.word(to, writes)
	}
	for _, from := range c.ReadsFrom {
		p.word(from, reads)
	}
	p.histories(c)
	if len(c.Words) == 0 {
		return
	}
	p.word(c.Words[0], reads)
	if len(c.Words) == 1 {
		return
	}
	name := c.Name()
	kind := programs()[name]
	if kind&speaks != 0 {
		return
	}
	p.whole(name, c)
	p.destinations(name, c)
	how := kind.uses()
	words := c.Words[1:]
	switch name {
	case "curl":
		p.connects(words)
	case "openssl":
		words = p.certificates(words)
	}
	before := p.dir
	if name == "tar" || name == "make" || name == "bsdtar" {
		for i, w := range words[:len(words)-1] {
			if w.Value == "-C" || w.Value == "--directory" {
				p.moveTo(words[i+1])
			}
		}
	}
	if prose := prose(name, kind, words); len(prose) > 0 {
		p.words = append(p.words[:0], words...)
		words = p.words
		for _, i := range prose {
			words[i] = shellsyntax.Word{}
		}
	}
	if name == "git" {
		for _, w := range gitPaths(words) {
			p.word(w, reads)
		}
	}
	for i, w := range words {
		switch {
		case (name == "cp" || name == "install" || name == "ln" || name == "scp" || name == "rsync") && i < len(words)-1:
			p.word(w, reads|lists)
		case name == "cp" || name == "install" || name == "ln" || name == "scp" || name == "rsync":
			p.word(w, writes|lists)
		case name == "sed" && !slices.ContainsFunc(words, func(w shellsyntax.Word) bool {
			return strings.HasPrefix(w.Value, "-i") || strings.HasPrefix(w.Value, "--in-place")
		}):
			p.word(w, reads|lists)
		case (name == "curl" || name == "wget" || name == "aria2c") && i > 0 && (words[i-1].Value == "-o" || words[i-1].Value == "-O" || words[i-1].Value == "--output" || words[i-1].Value == "--output-document"),
			name == "mv" && i == len(words)-1, name == "tee", name == "patch", name == "truncate":
			p.word(w, writes|lists)
		case name == "git" && strings.Contains(w.Value, ":") && !strings.Contains(w.Value, "//"):
			p.word(w, reads|lists)
		default:
			p.word(w, how)
		}
	}
	p.dir = before
}

// uses is what it does with them.
func (kind programKind) uses() use {
	switch {
	case kind&looks != 0:
		return lists
	case kind&changes != 0:
		return reads | writes | lists
	}
	return reads | lists
}

// gluedPattern says whether a flag holds the pattern or the program itself: -es/a/b/.
func gluedPattern(name, flag string) bool {
	if name != "perl" && name != "sed" && name != "gsed" && !strings.HasSuffix(name, "grep") || len(flag) < 3 || strings.IndexByte("-IMmF", flag[1]) >= 0 {
		return false
	}
	at := strings.IndexByte(flag, 'e')
	return at > 0 && at < len(flag)-1 && strings.Trim(flag[1:at], "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

// prose are the words that are patterns, programs or messages, and no paths.
func prose(name string, kind programKind, words []shellsyntax.Word) []int {
	var list []int
	messages := name == "git" || name == "gh" || name == "glab" || name == "npm" || name == "go" || name == "pytest" || name == "docker"
	pattern := kind&searches != 0
	if !messages && !pattern && name != "find" {
		return nil
	}
	for i, w := range words {
		flag := strings.HasPrefix(w.Value, "-")
		switch {
		case pattern && (w.Value == "-e" || w.Value == "--regexp" || w.Value == "--expression" || w.Value == "-E" && name == "perl") && i+1 < len(words):
			pattern = false
			list = append(list, i+1)
		case pattern && flag && gluedPattern(name, w.Value):
			pattern = false
		case pattern && (w.Value == "-f" || w.Value == "--file"):
			pattern = false
		case pattern && !flag && !slices.Contains(list, i):
			if i > 0 && (words[i-1].Value == "-A" || words[i-1].Value == "-B" || words[i-1].Value == "-C" || words[i-1].Value == "-m" || words[i-1].Value == "-F" || words[i-1].Value == "-v" && name != "grep" || words[i-1].Value == "--arg" || words[i-1].Value == "-g" || words[i-1].Value == "-t") && name != "sed" {
				continue // the value of a flag
			}
			pattern = false
			list = append(list, i)
		case messages && (w.Value == "-m" || w.Value == "--message" || w.Value == "--title" || w.Value == "--body" || w.Value == "-t" || w.Value == "-b" || w.Value == "--grep" || w.Value == "-k" || w.Value == "-run" || w.Value == "-S" || w.Value == "-G") && i+1 < len(words):
			list = append(list, i+1)
		case name == "find" && (w.Value == "-not" || w.Value == "!"):
			if i+2 < len(words) {
				list = append(list, i+2)
			}
		}
	}
	return list
}
