package config

import (
	"reflect"
	"strings"
)

// Key describes one key that config.yml may hold, for documentation and for
// forms that edit it.
type Key struct {
	Path    string   `json:"path"`    // "sub_agent.max_tasks"; "models[].id"; "tools.<name>.timeout"
	Type    string   `json:"type"`    // text, secret, number, whole number, true or false, time, size, mapping, list …
	Default string   `json:"default"` // as config.yml would say it; of an entry's key, what holds where it is absent
	Allowed []string `json:"allowed,omitempty"`
	Range   string   `json:"range,omitempty"` // "1 to 64"
	Restart bool     `json:"restart"`         // a change holds only after a restart
	Doc     string   `json:"doc"`
}

// Keys is every key that this version can honour, in the order in which config.yml
// lists them.
func Keys() []Key {
	var k keyLister
	k.structKeys(reflect.ValueOf(Default()).Elem(), "", false)
	return k.keys
}

type keyLister struct {
	keys []Key
}

func (k *keyLister) structKeys(v reflect.Value, path string, restart bool) {
	for _, f := range fieldsOf(v.Type()).list {
		if !f.isOffered() {
			continue
		}
		p := f.name
		if path != "" {
			p = path + "." + f.name
		}
		k.key(f, v.Field(f.index), p, restart || f.restart)
	}
}

func (k *keyLister) key(f field, v reflect.Value, path string, restart bool) {
	key := Key{Path: path, Type: kindName(f.typ), Doc: f.doc, Restart: restart, Range: f.rules.span()}
	if key.Range == notNegative {
		key.Range = ""
	}
	if f.typ.Kind() == reflect.Map {
		key.Allowed = f.rules.keys
	}
	if f.rules.oneOf != nil {
		key.Allowed = f.rules.offered()
	}
	if f.typ.Kind() != reflect.Struct {
		key.Default = onOneLine(renderer{}.value(f.name, v, ""))
	}
	k.keys = append(k.keys, key)
	switch elem, elemPath := elementOf(f.typ, path); {
	case f.typ.Kind() == reflect.Struct:
		k.structKeys(v, path, restart)
	case elem != nil && elem.Kind() == reflect.Struct:
		k.structKeys(newElement(elem), elemPath, restart)
	}
}

// elementOf is the type of a list's or map's entries and how their path is written.
func elementOf(t reflect.Type, path string) (reflect.Type, string) {
	switch t.Kind() {
	case reflect.Slice:
		return t.Elem(), path + "[]"
	case reflect.Map:
		return t.Elem(), path + ".<name>"
	default:
		return nil, ""
	}
}

func kindName(t reflect.Type) string {
	switch {
	case t == secretType:
		return "secret"
	case t == durationType:
		return "time"
	case t == sizeType:
		return "size"
	}
	switch t.Kind() {
	case reflect.Struct:
		return "mapping"
	case reflect.Slice:
		return "list of " + plural(t.Elem())
	case reflect.Map:
		return "mapping of names to " + plural(t.Elem())
	case reflect.Pointer:
		return kindName(t.Elem())
	case reflect.Interface:
		return "any"
	default:
		return strings.TrimPrefix(typeName(t), "a ")
	}
}

func plural(t reflect.Type) string {
	switch name := kindName(t); name {
	case "text", "any":
		return name
	case "mapping of names to any":
		return "mappings"
	default:
		if rest, ok := strings.CutPrefix(name, "list of "); ok {
			return "lists of " + rest
		}
		return name + "s"
	}
}
