package guard

import (
	"cmp"
	"path"
	"slices"
	"strings"
	"sync"
)

// examples are sensitive paths that a file name pattern may mean.
var examples = sync.OnceValue(func() [][]string {
	var list [][]string
	for _, tree := range trees {
		list = append(list, strings.Split(tree.path, "/"))
		if tree.path[0] != '~' && tree.path[0] != '/' {
			list = append(list, strings.Split("~/"+tree.path, "/"))
		}
	}
	for name := range names {
		if strings.HasSuffix(name, ".py") {
			continue // *.py does not mean them
		}
		list = append(list, []string{name}, []string{"~", name})
	}
	for _, key := range []string{"id_rsa", "id_ed25519", "id_ecdsa", "id_dsa", "authorized_keys", "config"} {
		list = append(list, []string{".ssh", key}, []string{"~", ".ssh", key})
	}
	for _, more := range []string{"~/.aws/credentials", "~/.kube/config", "~/.gnupg/secring.gpg", "/proc/1/environ", "/proc/self/environ", "/proc/1234/environ", "/proc/1/mem"} {
		list = append(list, strings.Split(more, "/"))
	}
	slices.SortStableFunc(list, func(a, b []string) int { return cmp.Compare(len(a), len(b)) })
	return list
})

// matchExamples says whether a pattern can be one of the sensitive paths. A
// pattern without any letter says nothing.
func matchExamples(pattern string, how use) (place, bool) {
	cleaned := fromHome(path.Clean(pattern))
	// /home/*/x and /ho?e/x are home directories, too.
	parts := strings.Split(cleaned, "/")
	if len(parts) > 3 && parts[0] == "" && segmentOf(parts[1]).matches("home") && strings.ContainsAny(parts[1]+parts[2], "*?[") {
		parts = append([]string{"~"}, parts[3:]...)
	} else if len(parts) > 2 && parts[0] == "" && parts[1] != "root" && segmentOf(parts[1]).matches("root") {
		parts = append([]string{"~"}, parts[2:]...)
	}
	if len(parts) > 32 {
		parts = parts[len(parts)-32:]
	}
	if !sensible(parts) {
		return place{}, false
	}
	segments := make([]segment, len(parts))
	for i, part := range parts {
		segments[i] = segmentOf(part)
	}
	for _, example := range examples() {
		if len(example) > len(segments) {
			break // the longer ones are behind
		}
		if !alike(segments, example) {
			continue
		}
		found, ok := builtinPlace(strings.Join(example, "/"))
		if ok && found.uses&how != 0 {
			return found, true
		}
	}
	return place{}, false
}

// sensible says whether a pattern names anything: a letter in a part that is a
// glob, or a known directory before it.
func sensible(parts []string) bool {
	return slices.ContainsFunc(parts, func(part string) bool {
		return strings.ContainsAny(part, "*?[") && strings.ContainsFunc(part, func(r rune) bool { return r >= 'a' && r <= 'z' })
	}) || slices.ContainsFunc(parts, func(part string) bool { return len(part) > 2 && !strings.ContainsAny(part, "*?[") && part[0] == '.' })
}

func alike(parts []segment, example []string) bool {
	if len(parts) != len(example) {
		// A pattern that begins somewhere can end as the example does.
		if parts[0].pattern == "" || parts[0].pattern == "~" || len(parts) <= len(example) || example[0] == "" || example[0] == "~" {
			return false
		}
		parts = parts[len(parts)-len(example):]
	}
	for i := range parts {
		if !parts[i].matches(example[i]) {
			return false
		}
	}
	return true
}

// segment is one part of a path that is a pattern.
type segment struct {
	pattern     string
	glob        string // as package path reads it; empty: it is a plain name
	first, last string // what its matches begin and end with
	dotless     bool   // its matches begin with no dot
}

func segmentOf(pattern string) segment {
	wild := strings.IndexAny(pattern, `*?[\`)
	if wild < 0 {
		return segment{pattern: pattern}
	}
	end := strings.LastIndexAny(pattern, `*?]\`) + 1
	return segment{
		pattern: pattern, glob: strings.ReplaceAll(pattern, "[!", "[^"), first: pattern[:wild], last: pattern[max(wild, end):],
		dotless: strings.IndexByte("*?[", pattern[0]) >= 0,
	}
}

// matches compares as bash does: no wildcard stands for a dot at the beginning.
func (s segment) matches(name string) bool {
	switch {
	case s.pattern == name:
		return true
	case s.glob == "", s.dotless && strings.HasPrefix(name, "."), !strings.HasPrefix(name, s.first), !strings.HasSuffix(name, s.last):
		return false
	}
	matched, err := path.Match(s.glob, name)
	return err == nil && matched
}
