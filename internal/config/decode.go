package config

import (
	"fmt"
	"reflect"
	"strings"

	"go.yaml.in/yaml/v4"
)

// A decoder fills a Config from a tree and notes everything that does not fit.
type decoder struct {
	file     string
	env      func(string) (string, bool)
	meta     *meta
	problems Problems
	warnings Warnings

	nodes    int      // visited so far; aliases can make a small text huge
	depth    int      // of the node at hand; an alias can hold itself
	optional bool     // an unset ${NAME} disables instead of failing
	missing  []string // the unset ones met while optional
}

var (
	secretType   = reflect.TypeFor[Secret]()
	durationType = reflect.TypeFor[Duration]()
	sizeType     = reflect.TypeFor[Size]()
)

// A defaulter is an element of a list or map that does not begin empty.
type defaulter interface{ setDefaults() }

// An envMisser wants to know which variables its env:"optional" keys lacked.
type envMisser interface{ setMissingEnv(names string) }

func (d *decoder) position(n *yaml.Node) position {
	return position{FromFile, d.file, n.Line, n.Column}
}

func (d *decoder) problem(at *yaml.Node, path, format string, args ...any) {
	d.problems = append(d.problems, problemAt(d.position(at), path, fmt.Sprintf(format, args...)))
}

func (d *decoder) warn(pos position, path, format string, args ...any) {
	d.warnings = append(d.warnings, problemAt(pos, path, fmt.Sprintf(format, args...)))
}

func problemAt(pos position, path, message string) Problem {
	return Problem{File: pos.source, Line: pos.line, Column: pos.col, Key: path, Message: message}
}

// decode sets v, which is addressable and holds the default, from n. at is the key
// or the entry that problems name. A null leaves the default.
func (d *decoder) decode(n *yaml.Node, v reflect.Value, path string, at *yaml.Node) {
	n = follow(n)
	d.depth++
	defer func() { d.depth-- }()
	switch {
	case d.isExhausted(path, at):
		return
	case d.depth > maxDepth:
		d.problem(at, path, "%s", nestedTooDeep)
		d.nodes = maxNodes + 1 // an alias that holds itself has no end
		return
	case !isKnownTag(n):
		d.problem(at, path, "has a YAML tag that has no meaning here: remove it")
		return
	case isNull(n):
		return
	}
	d.meta.at[path] = d.position(at)
	switch v.Kind() {
	case reflect.Struct:
		d.decodeStruct(n, v, path, at)
	case reflect.Map:
		d.decodeMap(n, v, path, at)
	case reflect.Slice:
		d.decodeSlice(n, v, path, at)
	case reflect.Pointer:
		elem := reflect.New(v.Type().Elem())
		d.decode(n, elem.Elem(), path, at)
		v.Set(elem)
	case reflect.Interface:
		d.decodeAny(n, v, path, at)
	default:
		if n.Kind != yaml.ScalarNode {
			d.problem(at, path, "has to be %s, not %s", typeName(v.Type()), kindOf(n))
			return
		}
		text, expanded, ok := d.text(n, path, at)
		if !ok {
			return
		}
		if err := assign(v, text, isPlain(n) || expanded, isPlain(n) && !expanded); err != nil {
			d.problem(at, path, "%s", err)
		}
	}
}

// isExhausted counts a node, and notes once that there are too many.
func (d *decoder) isExhausted(path string, at *yaml.Node) bool {
	d.nodes++
	if d.nodes == maxNodes+1 {
		d.problem(at, path, "is where the file grows too large: it repeats aliases too often")
	}
	return d.nodes > maxNodes
}

// isKnownTag accepts the tags that YAML itself gives to values.
func isKnownTag(n *yaml.Node) bool {
	if n.Style&yaml.TaggedStyle == 0 {
		return true
	}
	switch n.ShortTag() {
	case textTag, nullTag, "!!int", "!!float", "!!bool", "!!map", "!!seq":
		return true
	}
	return false
}

// An entry is a key of a mapping with its value. A merged one came through <<.
type entry struct {
	name       string
	key, value *yaml.Node
	merged     bool
}

// entries is the keys of a mapping, merge keys resolved: its own keys win.
func (d *decoder) entries(n *yaml.Node, path string) []entry {
	var out []entry
	seen := map[string]int{}
	for i := 0; i < len(n.Content); i += 2 {
		key, value := follow(n.Content[i]), n.Content[i+1]
		switch {
		case d.isExhausted(path, n.Content[i]):
			return out
		case key.Kind != yaml.ScalarNode:
			d.problem(n.Content[i], path, "has a key that is not a name")
			continue
		case key.ShortTag() == "!!merge":
			d.merge(key, value, path, &out, seen)
			continue
		}
		e := entry{name: key.Value, key: n.Content[i], value: value}
		switch at, has := seen[e.name]; {
		case !has:
			seen[e.name] = len(out)
			out = append(out, e)
		case out[at].merged:
			out[at] = e
		default:
			d.problem(e.key, joinPath(path, e.name), "is already given in line %d: keep one of them", out[at].key.Line)
		}
	}
	return out
}

func (d *decoder) merge(key, value *yaml.Node, path string, out *[]entry, seen map[string]int) {
	sources := []*yaml.Node{value}
	if from := follow(value); from.Kind == yaml.SequenceNode {
		sources = from.Content
	}
	d.depth++
	defer func() { d.depth-- }()
	for _, source := range sources {
		source = follow(source)
		if source.Kind != yaml.MappingNode || d.depth > maxDepth {
			d.problem(key, path, "merges (<<) something that is not a mapping")
			return
		}
		for _, e := range d.entries(source, path) {
			if _, has := seen[e.name]; !has {
				seen[e.name] = len(*out)
				e.merged = true
				*out = append(*out, e)
			}
		}
	}
}

func (d *decoder) decodeStruct(n *yaml.Node, v reflect.Value, path string, at *yaml.Node) {
	if n.Kind != yaml.MappingNode {
		d.problem(at, path, "has to be a mapping (name: value lines), not %s", kindOf(n))
		return
	}
	outer, wasOptional := d.missing, d.optional
	d.missing = nil
	fields := fieldsOf(v.Type())
	for _, e := range d.entries(n, path) {
		f, known := fields.byName[e.name]
		if !known {
			d.problem(e.key, joinPath(path, e.name), "%s", unknownKey(path, e.name, fields))
			continue
		}
		d.optional = wasOptional || f.envOptional
		d.decode(e.value, v.Field(f.index), joinPath(path, e.name), e.key)
	}
	d.optional = wasOptional
	if m, ok := v.Addr().Interface().(envMisser); ok {
		m.setMissingEnv(strings.Join(d.missing, ", "))
		d.missing = nil
	}
	d.missing = append(outer, d.missing...)
}

func (d *decoder) decodeMap(n *yaml.Node, v reflect.Value, path string, at *yaml.Node) {
	if n.Kind != yaml.MappingNode {
		d.problem(at, path, "has to be a mapping (name: value lines), not %s", kindOf(n))
		return
	}
	if v.IsNil() {
		v.Set(reflect.MakeMap(v.Type()))
	}
	for _, e := range d.entries(n, path) {
		elem := newElement(v.Type().Elem())
		d.decode(e.value, elem, joinPath(path, e.name), e.key)
		v.SetMapIndex(reflect.ValueOf(e.name), elem)
	}
}

func (d *decoder) decodeSlice(n *yaml.Node, v reflect.Value, path string, at *yaml.Node) {
	if n.Kind != yaml.SequenceNode {
		d.problem(at, path, "has to be a list ([a, b], or lines that begin with a dash), not %s", kindOf(n))
		return
	}
	list := reflect.MakeSlice(v.Type(), 0, len(n.Content))
	for i, item := range n.Content {
		itemPath := indexPath(path, i)
		elem := newElement(v.Type().Elem())
		if isNull(follow(item)) && elem.Kind() != reflect.Interface {
			d.problem(item, itemPath, "is empty: give a value or remove the line")
		}
		d.decode(item, elem, itemPath, item)
		list = reflect.Append(list, elem)
	}
	v.Set(list)
}

// decodeAny is YAML as it is: for arguments that only a tool understands.
func (d *decoder) decodeAny(n *yaml.Node, v reflect.Value, path string, at *yaml.Node) {
	switch n.Kind {
	case yaml.MappingNode:
		m := reflect.ValueOf(&map[string]any{}).Elem()
		d.decodeMap(n, m, path, at)
		v.Set(m)
	case yaml.SequenceNode:
		list := reflect.ValueOf(&[]any{}).Elem()
		d.decodeSlice(n, list, path, at)
		v.Set(list)
	default:
		text, expanded, ok := d.text(n, path, at)
		switch {
		case !ok:
		case isPlain(n) && !expanded:
			v.Set(reflect.ValueOf(plainValue(text)))
		default:
			v.Set(reflect.ValueOf(text))
		}
	}
}

func newElement(t reflect.Type) reflect.Value {
	p := reflect.New(t)
	if e, ok := p.Interface().(defaulter); ok {
		e.setDefaults()
	}
	return p.Elem()
}
