package builtin

import (
	"bytes"
	"maps"
	"slices"
	"strconv"
	"strings"

	"nanoclaw/internal/tools"
)

// mergeJSON puts other over base: objects are merged property by property,
// anything else of other takes the place of what was there.
func mergeJSON(base, other any) any {
	left, isObject := base.(map[string]any)
	right, isToo := other.(map[string]any)
	if !isObject || !isToo {
		return other
	}
	merged := maps.Clone(left)
	for name, value := range right {
		if before, there := merged[name]; there {
			value = mergeJSON(before, value)
		}
		merged[name] = value
	}
	return merged
}

// jsonChange is one difference. Path is a JSON pointer (RFC 6901), "" for the whole.
type jsonChange struct {
	Change string `json:"change"` // added | removed | changed
	Path   string `json:"path"`
	Old    *any   `json:"old,omitempty"`
	New    *any   `json:"new,omitempty"`
}

const maxChanges = 1000

// jsonDiff collects the differences; items of lists are compared place by place.
type jsonDiff struct {
	list  []jsonChange
	count int      // of all, also of those that are not in the list
	at    []string // the way to what is compared, as parts of a pointer
	paths int      // bytes of the pointers in the list
}

func (d *jsonDiff) changes() []jsonChange {
	if d.list == nil {
		return []jsonChange{}
	}
	return d.list
}

func (d *jsonDiff) add(what string, old, new *any) {
	d.count++
	if len(d.list) == maxChanges || d.paths > maxProcessOutput {
		return
	}
	path := strings.Join(d.at, "")
	d.paths += len(path)
	d.list = append(d.list, jsonChange{Change: what, Path: path, Old: old, New: new})
}

// below does what is to be done one level deeper. The pointer itself is built only
// where it is shown: it may be as long as the text.
func (d *jsonDiff) below(part string, do func()) {
	d.at = append(d.at, "/"+part)
	do()
	d.at = d.at[:len(d.at)-1]
}

func (d *jsonDiff) compare(old, new any) {
	switch before := old.(type) {
	case map[string]any:
		if after, ok := new.(map[string]any); ok {
			d.objects(before, after)
			return
		}
	case []any:
		if after, ok := new.([]any); ok {
			d.lists(before, after)
			return
		}
	}
	if !sameJSON(old, new) {
		d.add("changed", &old, &new)
	}
}

func (d *jsonDiff) objects(old, new map[string]any) {
	names := slices.Collect(maps.Keys(old))
	for name := range new {
		if _, both := old[name]; !both {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		before, was := old[name]
		after, is := new[name]
		d.below(pointerPart.Replace(name), func() {
			switch {
			case was && is:
				d.compare(before, after)
			case was:
				d.add("removed", &before, nil)
			default:
				d.add("added", nil, &after)
			}
		})
	}
}

func (d *jsonDiff) lists(old, new []any) {
	for i := range max(len(old), len(new)) {
		d.below(strconv.Itoa(i), func() {
			switch {
			case i >= len(new):
				d.add("removed", &old[i], nil)
			case i >= len(old):
				d.add("added", nil, &new[i])
			default:
				d.compare(old[i], new[i])
			}
		})
	}
}

var pointerPart = strings.NewReplacer("~", "~0", "/", "~1")

// sameJSON compares two values; 1, 1.0 and 10e-1 are the same number.
func sameJSON(a, b any) bool {
	left, err := tools.Canonical(map[string]any{"v": a})
	if err != nil {
		return false
	}
	right, err := tools.Canonical(map[string]any{"v": b})
	return err == nil && bytes.Equal(left, right)
}
