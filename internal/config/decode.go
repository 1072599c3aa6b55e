package config

import (
	"fmt"
	"reflect"
	"strings"
)

// A decoder fills a Config from a tree and notes everything that does not fit.
type decoder struct {
	env      func(string) (string, bool)
	meta     *meta
	problems Problems
	warnings Warnings

	nodes    int      // visited so far; aliases can make a small text huge
	optional bool     // an unset ${NAME} disables instead of failing
	missing  []string // the unset ones met while optional
}

const maxNodes = 50_000

var (
	secretType   = reflect.TypeFor[Secret]()
	durationType = reflect.TypeFor[Duration]()
	sizeType     = reflect.TypeFor[Size]()
)

// A defaulter is an element of a list or map that does not begin empty.
type defaulter interface{ setDefaults() }

// An envMisser wants to know which variables its env:"optional" keys lacked.
type envMisser interface{ setMissingEnv(names string) }

func (d *decoder) problem(pos position, path, format string, args ...any) {
	d.problems = append(d.problems, problemAt(pos, path, fmt.Sprintf(format, args...)))
}

func (d *decoder) warn(pos position, path, format string, args ...any) {
	d.warnings = append(d.warnings, problemAt(pos, path, fmt.Sprintf(format, args...)))
}

func problemAt(pos position, path, message string) Problem {
	return Problem{File: pos.source, Line: pos.line, Column: pos.col, Key: path, Message: message}
}

// decode sets v, which is addressable and holds the default, from n. pos is
// where the key stands. A null leaves the default.
func (d *decoder) decode(n *node, v reflect.Value, path string, pos position) {
	if d.tooMany(path, pos) || n.kind == nullNode {
		return
	}
	d.meta.at[path] = pos
	switch {
	case v.Type() == secretType, v.Type() == durationType, v.Type() == sizeType:
		d.decodeScalar(n, v, path, pos)
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		d.decodeStruct(n, v, path, pos)
	case reflect.Map:
		d.decodeMap(n, v, path, pos)
	case reflect.Slice:
		d.decodeSlice(n, v, path, pos)
	case reflect.Pointer:
		elem := reflect.New(v.Type().Elem())
		d.decode(n, elem.Elem(), path, pos)
		v.Set(elem)
	case reflect.Interface:
		if value := d.decodeAny(n, path, pos); value != nil {
			v.Set(reflect.ValueOf(value))
		}
	default:
		d.decodeScalar(n, v, path, pos)
	}
}

// tooMany counts a node, and notes once that there are too many.
func (d *decoder) tooMany(path string, pos position) bool {
	d.nodes++
	if d.nodes == maxNodes+1 {
		d.problem(pos, path, "is where the file grows too large: it repeats aliases too often")
	}
	return d.nodes > maxNodes
}

func (d *decoder) decodeStruct(n *node, v reflect.Value, path string, pos position) {
	if n.kind != mappingNode {
		d.problem(pos, path, "has to be a mapping (name: value lines), not %s", n.kind)
		return
	}
	outer := d.missing
	d.missing = nil
	fields := fieldsOf(v.Type())
	for _, e := range n.entries {
		f, known := fields.byName[e.key]
		if !known {
			d.problem(e.pos, joinPath(path, e.key), "%s", unknownKey(path, e.key, fields))
			continue
		}
		wasOptional := d.optional
		d.optional = wasOptional || f.envOptional
		d.decode(e.value, v.Field(f.index), joinPath(path, e.key), e.pos)
		d.optional = wasOptional
	}
	if m, ok := v.Addr().Interface().(envMisser); ok {
		m.setMissingEnv(strings.Join(d.missing, ", "))
		d.missing = nil
	}
	d.missing = append(outer, d.missing...)
}

func (d *decoder) decodeMap(n *node, v reflect.Value, path string, pos position) {
	if n.kind != mappingNode {
		d.problem(pos, path, "has to be a mapping (name: value lines), not %s", n.kind)
		return
	}
	if v.IsNil() {
		v.Set(reflect.MakeMapWithSize(v.Type(), len(n.entries)))
	}
	for _, e := range n.entries {
		elem := newElement(v.Type().Elem())
		d.decode(e.value, elem, joinPath(path, e.key), e.pos)
		v.SetMapIndex(reflect.ValueOf(e.key), elem)
	}
}

func (d *decoder) decodeSlice(n *node, v reflect.Value, path string, pos position) {
	if n.kind != sequenceNode {
		d.problem(pos, path, "has to be a list ([a, b], or lines that begin with a dash), not %s", n.kind)
		return
	}
	list := reflect.MakeSlice(v.Type(), 0, len(n.items))
	for i, item := range n.items {
		itemPath := indexPath(path, i)
		if item.kind == nullNode {
			d.problem(item.pos, itemPath, "is empty: give a value or remove the line")
		}
		elem := newElement(v.Type().Elem())
		d.decode(item, elem, itemPath, item.pos)
		list = reflect.Append(list, elem)
	}
	v.Set(list)
}

func newElement(t reflect.Type) reflect.Value {
	p := reflect.New(t)
	if e, ok := p.Interface().(defaulter); ok {
		e.setDefaults()
	}
	return p.Elem()
}
