package config

import (
	"reflect"
	"strconv"
	"strings"
)

func (d *decoder) decodeScalar(n *node, v reflect.Value, path string, pos position) {
	if n.kind != scalarNode {
		d.problem(pos, path, "has to be %s, not %s", typeName(v.Type()), n.kind)
		return
	}
	text, expanded, ok := d.text(n, path, pos)
	if !ok {
		return
	}
	isNumber := n.style == plain || expanded
	fail := func(err error) { d.problem(pos, path, "%s", err) }
	switch {
	case v.Type() == durationType:
		dur, err := ParseDuration(text)
		if err != nil {
			fail(err)
			return
		}
		v.SetInt(int64(dur))
		return
	case v.Type() == sizeType:
		size, err := ParseSize(text)
		if err != nil {
			fail(err)
			return
		}
		v.SetInt(int64(size))
		return
	}
	switch v.Kind() {
	case reflect.String:
		if n.style == plain && !expanded && isBoolWord(text) {
			d.problem(pos, path, "has to be text: put it in quotes if the word is meant")
			return
		}
		v.SetString(text)
	case reflect.Bool:
		b, known := boolWord(text)
		if !known || !isNumber {
			d.problem(pos, path, "has to be true or false")
			return
		}
		v.SetBool(b)
	case reflect.Int:
		i, err := strconv.ParseInt(text, 10, strconv.IntSize)
		if err != nil || !isNumber {
			d.problem(pos, path, "has to be a whole number, without quotes or unit")
			return
		}
		v.SetInt(i)
	case reflect.Float64:
		f, err := strconv.ParseFloat(text, 64)
		if err != nil || !isNumber || f-f != 0 {
			d.problem(pos, path, "has to be a number, without quotes or unit")
			return
		}
		v.SetFloat(f)
	default:
		panic("config: a key of type " + v.Type().String() + " cannot be read: " + path)
	}
}

// text is a scalar's text with its variables replaced. It is false where a
// variable is missing, which is noted.
func (d *decoder) text(n *node, path string, pos position) (text string, expanded, ok bool) {
	if n.expanded || !strings.Contains(n.text, "$") {
		return n.text, false, true
	}
	out, err := expand(n.text, d.env)
	if err != nil {
		d.problem(pos, path, "%s", err)
		return "", true, false
	}
	for _, name := range out.used {
		d.meta.variables[path] = d.meta.variables[path] || soundsSecret(name)
	}
	if d.optional && out.text == "" {
		out.missing = append(out.missing, out.used...)
	}
	if len(out.missing) == 0 {
		return out.text, len(out.used) > 0, true
	}
	if d.optional {
		d.missing = append(d.missing, out.missing...)
		return "", true, false
	}
	for _, name := range out.missing {
		d.problem(pos, path, "needs the environment variable %[1]s, which is not set: set it, or write ${%[1]s:-default}", name)
	}
	return "", true, false
}

// decodeAny is YAML as it is: for arguments that only a tool understands.
func (d *decoder) decodeAny(n *node, path string, pos position) any {
	if d.tooMany(path, pos) {
		return nil
	}
	switch n.kind {
	case mappingNode:
		m := make(map[string]any, len(n.entries))
		for _, e := range n.entries {
			m[e.key] = d.decodeAny(e.value, joinPath(path, e.key), e.pos)
		}
		return m
	case sequenceNode:
		list := make([]any, len(n.items))
		for i, item := range n.items {
			list[i] = d.decodeAny(item, indexPath(path, i), item.pos)
		}
		return list
	case scalarNode:
		text, expanded, ok := d.text(n, path, pos)
		if !ok {
			return nil
		}
		if n.style == quoted || expanded {
			return text
		}
		return plainValue(text)
	default:
		return nil
	}
}

// plainValue is what YAML's core schema makes of an unquoted scalar.
func plainValue(text string) any {
	if b, ok := boolWord(text); ok {
		return b
	}
	if i, err := strconv.ParseInt(text, 10, 64); err == nil {
		return i
	}
	if strings.ContainsAny(text, "0123456789") && !strings.ContainsAny(text, "xX_pP") {
		if f, err := strconv.ParseFloat(text, 64); err == nil {
			return f
		}
	}
	return text
}

func boolWord(text string) (value, known bool) {
	switch text {
	case "true", "True", "TRUE":
		return true, true
	case "false", "False", "FALSE":
		return false, true
	}
	return false, false
}

func isBoolWord(text string) bool {
	_, known := boolWord(text)
	return known
}

func typeName(t reflect.Type) string {
	switch {
	case t == durationType:
		return "a time"
	case t == sizeType:
		return "a size"
	case t == secretType, t.Kind() == reflect.String:
		return "text"
	case t.Kind() == reflect.Bool:
		return "true or false"
	case t.Kind() == reflect.Int:
		return "a whole number"
	default:
		return "a number"
	}
}
