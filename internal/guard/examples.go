package guard

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// example is a sensitive path that a file name pattern may mean.
type example struct {
	parts []string
	place place
	dir   bool // what is below is sensitive, too
}

// examples are all of them by the byte that they end with: most patterns say how
// their matches end. At 0 all of them stand. The shorter ones come first, of one
// length the most sensitive.
var examples = sync.OnceValue(func() *[256][]example {
	var paths []string
	dirs := map[string]bool{}
	for _, tree := range trees {
		paths = append(paths, tree.path)
		dirs[tree.path] = true
		if tree.path[0] != '~' && tree.path[0] != '/' {
			paths = append(paths, "~/"+tree.path)
			dirs["~/"+tree.path] = true
		}
	}
	for name := range names {
		if !strings.HasSuffix(name, ".py") { // *.py does not mean them
			paths = append(paths, name, "~/"+name)
		}
	}
	for _, key := range []string{"id_rsa", "id_ed25519", "id_ecdsa", "id_dsa", "authorized_keys", "config"} {
		paths = append(paths, ".ssh/"+key, "~/.ssh/"+key)
	}
	paths = append(paths, "~/.aws/credentials", "~/.kube/config", "~/.gnupg/secring.gpg", "/proc/1/environ", "/proc/self/environ", "/proc/1234/environ", "/proc/1/mem")
	slices.Sort(paths)
	var list []example
	for _, path := range paths {
		if found, ok := builtinPlace(path); ok {
			list = append(list, example{strings.Split(path, "/"), found, dirs[path]})
		}
	}
	slices.SortStableFunc(list, func(a, b example) int {
		return cmp.Or(cmp.Compare(len(a.parts), len(b.parts)), cmp.Compare(b.place.severity.rank(), a.place.severity.rank()), cmp.Compare(a.place.what, b.place.what))
	})
	byEnd := &[256][]example{list}
	for _, example := range list {
		last := example.parts[len(example.parts)-1]
		end := last[len(last)-1]
		byEnd[end] = append(byEnd[end], example)
	}
	return byEnd
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
	segments := make([]segment, len(parts))
	for i, part := range parts {
		segments[i] = segmentOf(part)
	}
	if last := len(segments) - 1; parts[0] == "" && last > 1 && segments[last].glob == "" {
		segments[last].tells = true // /???/shadow names it well enough
	}
	found, ok := meant(segments, how, false)
	anything := true
	for !ok && len(segments) > 1 {
		// What is in a directory is as sensitive as the directory.
		anything = anything && segments[len(segments)-1].isAnything()
		segments = segments[:len(segments)-1]
		if !slices.ContainsFunc(segments, func(s segment) bool { return s.glob != "" }) {
			break // of a plain name all is known
		}
		if dir := &segments[len(segments)-1]; anything && dir.glob != "" && dir.pattern[0] == '.' {
			dir.tells = true // .???/* is all of a directory that is out of sight
		}
		found, ok = meant(segments, how, true)
	}
	return found, ok
}

// meant is the place of an example that a pattern can be; of directories alone.
func meant(segments []segment, how use, dirs bool) (place, bool) {
	if !slices.ContainsFunc(segments, func(s segment) bool { return s.tells }) {
		return place{}, false
	}
	last := &segments[len(segments)-1]
	for _, example := range examples()[last.end()] {
		if len(example.parts) > len(segments) {
			break // the longer ones are behind
		}
		if (example.dir || !dirs) && example.place.uses&how != 0 && last.canMatch(example.parts[len(example.parts)-1]) && alike(segments, example.parts) {
			return example.place, true
		}
	}
	return place{}, false
}

func alike(parts []segment, example []string) bool {
	if len(parts) != len(example) {
		// A pattern that begins somewhere can end as the example does.
		if parts[0].pattern == "" || parts[0].pattern == "~" || len(parts) <= len(example) || example[0] == "" || example[0] == "~" {
			return false
		}
		if parts = parts[len(parts)-len(example):]; !slices.ContainsFunc(parts, func(s segment) bool { return s.tells }) {
			return false
		}
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
	tells       bool   // it names something: a glob with a letter, or a directory such as .ssh
}

func segmentOf(pattern string) segment {
	glob := strings.ContainsAny(pattern, "*?[")
	tells := !glob && len(pattern) > 2 && pattern[0] == '.' || glob && strings.ContainsFunc(withoutRanges(pattern), func(r rune) bool { return r >= 'a' && r <= 'z' })
	wild := strings.IndexAny(pattern, `*?[\`)
	if wild < 0 {
		return segment{pattern: pattern, tells: tells}
	}
	end := strings.LastIndexAny(pattern, `*?]\`) + 1
	return segment{
		pattern: pattern, glob: strings.ReplaceAll(pattern, "[!", "[^"), first: pattern[:wild], last: pattern[max(wild, end):],
		dotless: strings.IndexByte("*?[", pattern[0]) >= 0, tells: tells,
	}
}

// withoutRanges drops classes such as [a-z] and [!a], which stand for nearly anything.
func withoutRanges(pattern string) string {
	if !strings.Contains(pattern, "[") {
		return pattern
	}
	return rangeClass.ReplaceAllString(pattern, "?")
}

var rangeClass = regexp.MustCompile(`\[(?:[!^][^\]]*|[^\]]*-[^\]]*)\]`)

// isAnything says whether it names nothing: * and its like.
func (s *segment) isAnything() bool { return s.glob != "" && !s.tells }

// end is the byte that all matches end with; 0: there is none.
func (s *segment) end() byte {
	text := s.last
	if s.glob == "" {
		text = s.pattern
	}
	if text == "" {
		return 0
	}
	return text[len(text)-1]
}

// canMatch is quick, and true for more names than match.
func (s *segment) canMatch(name string) bool {
	if s.glob == "" {
		return len(s.pattern) == len(name)
	}
	return strings.HasSuffix(name, s.last) && strings.HasPrefix(name, s.first)
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
