package config

import (
	"reflect"
	"slices"
	"sync"
	"time"
)

// Key describes one key that config.yml may hold, for documentation and for
// forms that edit it.
type Key struct {
	Path    string   // "sub_agent.max_tasks"; "models[].id"; "tools.<name>.timeout"
	Type    string   // text, integer, number, boolean, duration, size, section, list, map or any
	Items   string   // of a list or a map, the type of its entries
	Enum    []string // what the value, or each entry, may be; empty: anything of the type
	Names   []string // of a map, the names that it may have; empty: any
	Minimum *float64 // of the value, or of each entry, in Unit
	Maximum *float64
	Zero    bool   // 0 is allowed below Minimum too
	Unit    string // of Minimum and Maximum: s (seconds), B (bytes), or empty
	Range   string // the same in words: "1s to 24h"
	Secret  bool   // it is never shown
	Restart bool   // a change holds only after a restart
	Default string // as config.yml would say it; of an entry's key, what holds where it is absent
	Doc     string
}

// Keys is every key, in the order in which config.yml
// lists them.
func Keys() []Key { return slices.Clone(allKeys()) }

var allKeys = sync.OnceValue(func() []Key {
	return keysOf(nil, reflect.ValueOf(Default()).Elem(), "", false)
})

func keysOf(keys []Key, v reflect.Value, path string, restart bool) []Key {
	for _, f := range fieldsOf(v.Type()).list {
		below, p, needsRestart := v.Field(f.index), f.name, restart || f.restart
		if path != "" {
			p = path + "." + f.name
		}
		keys = append(keys, keyOf(f, below, p, needsRestart))
		switch {
		case f.typ.Kind() == reflect.Slice:
			p += "[]"
		case f.typ.Kind() == reflect.Map:
			p += ".<name>"
		case f.typ.Kind() == reflect.Struct:
			keys = keysOf(keys, below, p, needsRestart)
			continue
		default:
			continue
		}
		if f.typ.Elem().Kind() == reflect.Struct {
			keys = keysOf(keys, newElement(f.typ.Elem()), p, needsRestart)
		}
	}
	return keys
}

func keyOf(f field, v reflect.Value, path string, restart bool) Key {
	single := f.typ
	for single.Kind() == reflect.Slice || single.Kind() == reflect.Map || single.Kind() == reflect.Pointer {
		single = single.Elem()
	}
	key := Key{
		Path: path, Type: typeWord(f.typ), Names: f.rules.keys, Enum: f.rules.oneOf, Zero: f.rules.zero,
		Range:  f.rules.span(),
		Secret: single == secretType, Restart: restart, Doc: f.doc,
	}
	if key.Range == notNegative {
		key.Range = ""
	}
	if key.Type == "list" || key.Type == "map" {
		key.Items = typeWord(f.typ.Elem())
	}
	scale := 1.0
	switch single {
	case durationType:
		key.Unit, scale = "s", float64(time.Second)
	case sizeType:
		key.Unit = "B"
	}
	for _, bound := range []struct {
		from *float64
		to   **float64
	}{{f.rules.min, &key.Minimum}, {f.rules.max, &key.Maximum}} {
		if bound.from != nil {
			scaled := *bound.from / scale
			*bound.to = &scaled
		}
	}
	if f.typ.Kind() != reflect.Struct {
		key.Default = onOneLine(renderer{}.value(f.name, v, ""))
	}
	return key
}

// typeWord is the type of a value as one word.
func typeWord(t reflect.Type) string {
	switch {
	case t == durationType:
		return "duration"
	case t == sizeType:
		return "size"
	}
	switch t.Kind() {
	case reflect.Struct:
		return "section"
	case reflect.Slice:
		return "list"
	case reflect.Map:
		return "map"
	case reflect.Pointer:
		return typeWord(t.Elem())
	case reflect.Interface:
		return "any"
	case reflect.Bool:
		return "boolean"
	case reflect.Int:
		return "integer"
	case reflect.Float64:
		return "number"
	default:
		return "text"
	}
}
