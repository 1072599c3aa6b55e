package guard

import (
	"path"
	"slices"
	"strings"

	"nanoclaw/internal/shellsyntax"
)

// homePlace is a home directory, or the root, with all that is below.
var homePlace = place{"all of a home directory or of the machine, with its keys and credentials", Medium, anyUse}

// whole notes where a command reads all that is below a home directory or the root: its
// keys are among that, though none of them is named.
func (p *pathCheck) whole(name string, c *shellsyntax.Command) {
	if !readsTrees(name, c) {
		return
	}
	words := c.Words[1:]
	if name == "cp" || name == "rsync" || name == "scp" {
		words = words[:len(words)-1] // the last is where it goes to
	}
	for _, w := range words {
		if holdsHome(w.Value) {
			p.add(homePlace, w.Value)
		}
	}
}

// readsTrees says whether a command reads directories with all that is in them.
func readsTrees(name string, c *shellsyntax.Command) bool {
	switch name {
	case "rg", "ag", "ack", "zip", "7z", "7za", "borg", "restic", "duplicity":
		return true
	case "rsync", "cp", "scp", "grep", "egrep", "fgrep":
		return slices.ContainsFunc(c.Words[1:], func(w shellsyntax.Word) bool {
			return w.Value == "--recursive" || w.Value == "--archive" || w.Value == "--dereference-recursive" ||
				len(w.Value) > 1 && w.Value[0] == '-' && w.Value[1] != '-' && strings.ContainsAny(w.Value, map[bool]string{true: "rR", false: "rRa"}[strings.HasSuffix(name, "grep")])
		})
	case "tar", "bsdtar":
		return slices.ContainsFunc(c.Words[1:min(3, len(c.Words))], func(w shellsyntax.Word) bool {
			return w.Value == "--create" || !strings.HasPrefix(w.Value, "--") && strings.Contains(w.Value, "c") && !strings.Contains(w.Value, "/")
		})
	case "find", "fd":
		return slices.ContainsFunc(c.Words[1:], func(w shellsyntax.Word) bool {
			return w.Value == "-exec" || w.Value == "-execdir" || w.Value == "-x" || w.Value == "-X"
		}) && !slices.ContainsFunc(c.Words[1:], func(w shellsyntax.Word) bool { return w.Value == "-maxdepth" || w.Value == "-prune" })
	}
	return false
}

// holdsHome says whether a path is a home directory, the directory of all of them, or
// the root.
func holdsHome(name string) bool {
	if name == "" || name[0] != '/' && name[0] != '~' {
		return false
	}
	clean := path.Clean(strings.TrimSuffix(strings.TrimSuffix(name, "/*"), "/."))
	switch clean {
	case "/", "/home", "/root", "/Users":
		return true
	}
	parent, last := path.Split(clean)
	return clean[0] == '~' && !strings.Contains(clean, "/") || (parent == "/home/" || parent == "/Users/") && last != ""
}
