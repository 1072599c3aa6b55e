package shellsyntax

import (
	"slices"
	"strings"
)

// remotes are those that a line gives an address on the network: their names, and whether
// there is one that is not known.
type remotes struct {
	names []string
	any   bool
}

// setRemotes finds the remotes that commands of the line set: git remote add, git remote
// set-url, git config remote.x.url.
func (z *analyzer) setRemotes() remotes {
	var set remotes
	for _, command := range z.a.Commands {
		if command.Name() != "git" || !z.x.spend(1+len(command.Words)/8) {
			continue
		}
		words := gitWords(command)
		if len(words) < 3 {
			continue
		}
		switch subcommand, words := words[0].Value, words[1:]; {
		case subcommand == "remote" && (words[0].Value == "add" || words[0].Value == "set-url"):
			set.take(plainWordsOf(words[1:], "-t", "-m"))
		case subcommand == "remote" && words[0].Value == "rename" && len(words) == 3:
			if slices.Contains(set.names, words[1].Value) {
				set.names = append(set.names, words[2].Value)
			}
		case subcommand == "config":
			names := plainWordsOf(words, "-f", "--file", "--type")
			for i := 0; i+1 < len(names); i++ {
				if name, ok := remoteOf(names[i].Value); ok {
					set.take([]Word{part(names[i], name), names[i+1]})
				}
			}
		}
	}
	return set
}

// remoteOf is the name in remote.name.url.
func remoteOf(key string) (string, bool) {
	section, rest, _ := strings.Cut(key, ".")
	at := strings.LastIndexByte(rest, '.')
	if at < 0 || !strings.EqualFold(section, "remote") {
		return "", false
	}
	return rest[:at], strings.EqualFold(rest[at+1:], "url") || strings.EqualFold(rest[at+1:], "pushurl")
}

// take notes a remote and its address.
func (r *remotes) take(words []Word) {
	if len(words) < 2 || !isRemoteAddress(words[1]) || len(r.names) >= 32 {
		return
	}
	r.names = append(r.names, words[0].Value)
	r.any = r.any || !words[0].Static
}

// isRemoteAddress says whether a word is an address of another machine, or may be one.
func isRemoteAddress(w Word) bool {
	value := w.Value
	if strings.HasPrefix(value, "file://") || strings.HasPrefix(value, "/") || strings.HasPrefix(value, ".") || strings.HasPrefix(value, "~") {
		return false
	}
	host, _, scp := strings.Cut(value, ":")
	return strings.Contains(value, "://") || scp && !strings.Contains(host, "/") || !w.Static && strings.HasPrefix(value, "$")
}

// pushesTo says whether a command pushes to one of the remotes; without a name it may be
// each of them.
func (r *remotes) pushesTo(c *Command) bool {
	if len(r.names) == 0 || c.Name() != "git" {
		return false
	}
	words := gitWords(c)
	if len(words) > 1 && (words[0].Value == "lfs" || words[0].Value == "subtree") {
		words = words[1:]
	}
	if len(words) == 0 || words[0].Value != "push" && words[0].Value != "send-pack" {
		return false
	}
	for i, w := range words[1:] {
		if value, _, found := option(words[1:], i, "", "--repo"); found {
			return r.any || slices.Contains(r.names, value.Value)
		}
		if w.Value == "-n" || w.Value == "--dry-run" {
			return false
		}
	}
	names := plainWordsOf(words[1:], "-o", "--push-option", "--receive-pack", "--exec", "-P", "--prefix")
	return r.any || len(names) == 0 || !names[0].Static || slices.Contains(r.names, names[0].Value)
}

// gitWords are the words of git from the subcommand on.
func gitWords(c *Command) []Word {
	args := c.arguments()
	for i := 0; i < len(args); i++ {
		switch value := args[i].Value; {
		case !strings.HasPrefix(value, "-"):
			return args[i:]
		case slices.Contains([]string{"-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path", "--super-prefix", "--config-env"}, value):
			i++
		}
	}
	return nil
}

// plainWordsOf are the words that are no options, nor values of those that are named.
func plainWordsOf(words []Word, valued ...string) []Word {
	var plain []Word
	for i := 0; i < len(words); i++ {
		switch value := words[i].Value; {
		case slices.Contains(valued, value):
			i++
		case !strings.HasPrefix(value, "-"):
			plain = append(plain, words[i])
		}
	}
	return plain
}
