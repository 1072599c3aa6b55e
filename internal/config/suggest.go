package config

import (
	"reflect"
	"slices"
	"strings"
	"sync"

	"nanoclaw/internal/nearest"
)

// unknownKey is the message for a key that does not exist, with the one that was
// probably meant.
func unknownKey(parent, key string, siblings *fieldSet) string {
	const message = "is not a key that exists"
	names := make([]string, len(siblings.list))
	for i, f := range siblings.list {
		names[i] = f.name
	}
	if near := nearest.Name(key, names); near != "" {
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

// nearestElsewhere is the paths of the keys of that name, or of one that differs
// in a single character.
func nearestElsewhere(key string) []string {
	named := keysNamed()
	if paths := named[key]; len(paths) > 0 {
		return paths
	}
	var out []string
	for name, paths := range named {
		if len(name) > 4 && nearest.Distance(strings.ToLower(key), name) == 1 {
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
