package config

import (
	"reflect"
	"slices"
	"strings"
	"sync"
)

// unknownKey is the message for a key that does not exist, with the one that was
// probably meant.
func unknownKey(parent, key string, siblings *fieldSet) string {
	const message = "is not a key that exists"
	names := make([]string, len(siblings.list))
	for i, f := range siblings.list {
		names[i] = f.name
	}
	if near := Nearest(key, names); near != "" {
		return message + ": did you mean " + near + "?"
	}
	if elsewhere := nearestElsewhere(key); len(elsewhere) > 0 {
		return message + " here: did you mean " + strings.Join(elsewhere, " or ") + "?"
	}
	if parent == "" {
		return message + ": remove it, or look it up in docs/configuration.md"
	}
	return message + ": " + parent + " has " + strings.Join(names, ", ")
}

// Nearest is the name that was probably meant by one that does not exist; empty:
// none is like it.
func Nearest(name string, names []string) string {
	best, bestDistance := "", 1+max(1, len(name)/3)
	for _, candidate := range names {
		if d := editDistance(strings.ToLower(name), candidate); d < bestDistance {
			best, bestDistance = candidate, d
		}
	}
	return best
}

// nearestElsewhere is the paths of the keys of that name, or of one that differs
// in a single character.
func nearestElsewhere(key string) []string {
	named := keysNamed()
	if paths := named[key]; len(paths) > 0 {
		return paths
	}
	var out []string
	for name, paths := range named {
		if len(name) > 4 && editDistance(strings.ToLower(key), name) == 1 {
			out = append(out, paths...)
		}
	}
	slices.Sort(out)
	return out
}

// keysNamed is the paths of all keys outside lists and maps, by their last name.
var keysNamed = sync.OnceValue(func() map[string][]string {
	out := map[string][]string{}
	var walk func(t reflect.Type, path string)
	walk = func(t reflect.Type, path string) {
		for _, f := range fieldsOf(t).list {
			p := joinPath(path, f.name)
			out[f.name] = append(out[f.name], p)
			if f.typ.Kind() == reflect.Struct {
				walk(f.typ, p)
			}
		}
	}
	walk(reflect.TypeFor[Config](), "")
	return out
})

// editDistance is the number of insertions, deletions, replacements and swaps of
// neighbours (optimal string alignment) that make b of a.
func editDistance(a, b string) int {
	if len(a) > 64 || len(b) > 64 {
		return 64
	}
	var rows [3][65]int
	older, old, row := &rows[0], &rows[1], &rows[2]
	for j := range len(b) + 1 {
		old[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(old[j]+1, row[j-1]+1, old[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], older[j-2]+1)
			}
		}
		older, old, row = old, row, older
	}
	return old[len(b)]
}
