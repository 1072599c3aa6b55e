package guard

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/bmatcuk/doublestar/v4"
)

// sensitivePaths are the built-in places, the server's own, and the administrator's.
type sensitivePaths struct {
	own       []string
	addresses []string // of the server
	named     []string
}

func newSensitivePaths(s Settings) (*sensitivePaths, error) {
	p := &sensitivePaths{addresses: s.Addresses}
	for _, own := range s.Protected {
		if !filepath.IsAbs(own) {
			return nil, fmt.Errorf("the protected path %q is not absolute", own)
		}
		p.own = append(p.own, filepath.ToSlash(filepath.Clean(own)))
	}
	for _, glob := range s.Guard.SensitivePaths {
		glob = strings.TrimSuffix(filepath.ToSlash(glob), "/")
		if !doublestar.ValidatePattern(glob) || glob == "" {
			return nil, fmt.Errorf("guard.sensitive_paths: %q is not a valid glob", glob)
		}
		p.named = append(p.named, fromHome(glob))
	}
	return p, nil
}

// find says what is sensitive about a path: absolute, from "~", or relative.
func (p *sensitivePaths) find(name string, how use) (place, bool) {
	if len(p.named) == 0 && strings.IndexByte(name, '/') < 0 && strings.IndexByte(name, '.') < 0 && strings.IndexByte(name, '~') < 0 {
		// A bare name, as most words are: no tree and no ending.
		found, ok := sensitiveName(name)
		return found, ok && found.uses&how != 0
	}
	clean := fromHome(path.Clean(name))
	found, ok := p.lookUp(clean)
	if rest := clean; !ok && strings.HasPrefix(clean, "../") {
		for strings.HasPrefix(rest, "../") {
			rest = rest[len("../"):]
		}
		found, ok = p.lookUp(fromHome("/" + rest)) // far enough up is the root
	}
	if !ok || found.uses&how == 0 {
		return place{}, false
	}
	return found, true
}

// isOwn says whether a path leads to what is the server's own.
func (p *sensitivePaths) isOwn(clean string) bool {
	return slices.ContainsFunc(p.own, func(own string) bool { return within(clean, own) || within(clean, fromHome(own)) })
}

// overlaps says whether a directory lies over or under what is the server's own.
func (p *sensitivePaths) overlaps(dir string) bool {
	return slices.ContainsFunc(p.own, func(own string) bool { return within(dir, own) || within(own, dir) })
}

func (p *sensitivePaths) lookUp(clean string) (place, bool) {
	if p.isOwn(clean) {
		return ownPlace, true
	}
	if len(p.named) > 0 && p.isNamed(clean) {
		return namedPlace, true
	}
	if found, ok := builtinPlace(clean); ok {
		return found, true
	}
	return place{}, false
}

// sensitiveName looks for the name of a file among names. Most are ruled out by their
// first letter and length.
func sensitiveName(base string) (place, bool) {
	if base == "" || nameShapes()[base[0]]&shapeOf(base) == 0 {
		return place{}, false
	}
	found, ok := names[base]
	return found, ok
}

// shapeOf is a bit for the length of a text, and one for all that are long.
func shapeOf(text string) uint64 { return 1 << min(len(text), 63) }

// nameShapes are the lengths of names by their first letter.
var nameShapes = sync.OnceValue(func() *[256]uint64 {
	shapes := &[256]uint64{}
	for name := range names {
		shapes[name[0]] |= shapeOf(name)
	}
	return shapes
})

// treeShapes are the lengths of what trees begin with, by the first letter.
var treeShapes = sync.OnceValue(func() *[256]uint64 {
	shapes := &[256]uint64{}
	for first := range treeIndex() {
		shapes[first[0]] |= shapeOf(first)
	}
	return shapes
})

func builtinPlace(clean string) (place, bool) {
	base := clean[strings.LastIndexByte(clean, '/')+1:]
	if found, ok := sensitiveName(base); ok {
		return found, true
	}
	if dot := strings.LastIndexByte(base, '.'); dot > 0 {
		if found, ok := extensions[base[dot:]]; ok {
			return found, true
		}
	}
	if isDotenv(base) {
		return dotenvPlace, true
	}
	if isImported(clean, base) {
		return importedPlace, true
	}
	if strings.HasPrefix(clean, "/proc/") {
		if found, ok := procPlace(clean); ok {
			return found, true
		}
	}
	if strings.HasSuffix(base, ".pub") && strings.Contains(clean, ".ssh/") || base == "known_hosts" {
		return place{}, false
	}
	return treePlace(clean)
}

// treeIndex finds the trees by the part of a path that they begin with.
var treeIndex = sync.OnceValue(func() map[string][]int {
	index := map[string][]int{}
	for i, tree := range trees {
		first := firstPart(tree.path)
		index[first] = append(index[first], i)
	}
	return index
})

// firstPart is a path up to its first slash; of an absolute one up to the second.
func firstPart(name string) string {
	if cut := strings.IndexByte(name[1:], '/'); cut >= 0 {
		return name[:cut+1]
	}
	return name
}

// treePlace looks at every position in the path where a tree can begin.
func treePlace(clean string) (place, bool) {
	index, shapes := treeIndex(), treeShapes()
	if clean == "" {
		return place{}, false
	}
	best := -1
	look := func(rest string) {
		first := firstPart(rest)
		if shapes[first[0]]&shapeOf(first) == 0 {
			return
		}
		for _, i := range index[first] {
			if within(rest, trees[i].path) && (best < 0 || i < best) {
				best = i
			}
		}
	}
	if clean[0] == '/' || clean[0] == '~' {
		look(clean)
	}
	for at := 0; at < len(clean); {
		if rest := clean[at:]; rest[0] != '/' && rest[0] != '~' {
			look(rest)
		}
		next := strings.IndexByte(clean[at:], '/')
		if next < 0 {
			break
		}
		at += next + 1
	}
	if best < 0 {
		return place{}, false
	}
	return trees[best].place, true
}

// procPlace knows what other processes keep in /proc.
func procPlace(clean string) (place, bool) {
	parts := strings.Split(clean, "/")
	switch last := parts[len(parts)-1]; {
	case len(parts) < 4:
		return place{}, false
	case last == "environ":
		return environPlace, true
	case last == "mem", last == "maps" && parts[2] != "self":
		return memoryPlace, true
	case slices.Contains(parts[3:], "root"), slices.Contains(parts[3:], "cwd") && parts[2] != "self":
		return place{"the files of another process", High, anyUse}, true
	}
	return place{}, false
}

func isDotenv(base string) bool {
	rest, found := strings.CutPrefix(base, ".env.")
	if !found {
		return false
	}
	for _, harmless := range []string{"example", "sample", "template", "dist", "defaults"} {
		if strings.Contains(rest, harmless) {
			return false
		}
	}
	return true
}

// isNamed matches the administrator's globs. One without a beginning is looked for
// at every part of the path; what is below a match is one, too.
func (p *sensitivePaths) isNamed(clean string) bool {
	for _, glob := range p.named {
		anchored := glob[0] == '/' || glob[0] == '~'
		for rest := clean; ; {
			if doublestar.MatchUnvalidated(glob, rest) || doublestar.MatchUnvalidated(glob+"/**", rest) {
				return true
			}
			cut := strings.IndexByte(rest, '/')
			if anchored || cut < 0 {
				break
			}
			rest = rest[cut+1:]
		}
	}
	return false
}

func within(name, dir string) bool {
	return len(name) >= len(dir) && name[:len(dir)] == dir && (len(name) == len(dir) || name[len(dir)] == '/')
}

// fromHome writes the home directories as "~".
func fromHome(name string) string {
	switch {
	case strings.HasPrefix(name, "~") && !strings.HasPrefix(name, "~/") && len(name) > 1: // ~user
		if cut := strings.IndexByte(name, '/'); cut > 0 {
			return "~" + name[cut:]
		}
		return "~"
	case within(name, "/root"):
		return "~" + name[len("/root"):]
	}
	for _, homes := range []string{"/home/", "/Users/"} {
		if rest, found := strings.CutPrefix(name, homes); found && rest != "" {
			if cut := strings.IndexByte(rest, '/'); cut > 0 {
				return "~" + rest[cut:]
			}
			return "~"
		}
	}
	return name
}
