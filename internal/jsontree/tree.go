// Package jsontree holds JSON as a tree that keeps the order of properties, the
// text of numbers and, where asked, duplicate names. Tool arguments, tool results
// and what is shown of them are read and written with it. It knows nothing of
// what the JSON means.
package jsontree

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// Kind is the kind of a node.
type Kind byte

// The kinds of nodes.
const (
	Literal Kind = iota // a number, true, false, null
	Text
	List
	Object
)

// Node is a JSON value.
type Node struct {
	Kind  Kind
	Text  string   // Text: its value; Literal: its JSON
	Keys  []string // Object: the name of each item
	Items []*Node  // List, Object
}

// Encode encodes a Go value with < > & as they are.
func Encode(value any) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}

// Append appends the tree as JSON without spaces.
func (n *Node) Append(out []byte) []byte {
	var open, end byte = '[', ']'
	switch n.Kind {
	case Literal:
		return append(out, n.Text...)
	case Text:
		return AppendString(out, n.Text)
	case Object:
		open, end = '{', '}'
	}
	out = append(out, open)
	for i, item := range n.Items {
		if i > 0 {
			out = append(out, ',')
		}
		if n.Kind == Object {
			out = append(AppendString(out, n.Keys[i]), ':')
		}
		out = item.Append(out)
	}
	return append(out, end)
}

// Value is the tree as encoding/json decodes it, with numbers as json.Number. Of
// properties with the same name the last one counts.
func (n *Node) Value() any {
	switch n.Kind {
	case Text:
		return n.Text
	case List:
		list := make([]any, len(n.Items))
		for i, item := range n.Items {
			list[i] = item.Value()
		}
		return list
	case Object:
		object := make(map[string]any, len(n.Items))
		for i, item := range n.Items {
			object[n.Keys[i]] = item.Value()
		}
		return object
	}
	switch n.Text {
	case "null":
		return nil
	case "true", "false":
		return n.Text == "true"
	}
	return json.Number(n.Text)
}

// AppendString appends s as a JSON string with nothing escaped but what must be.
// Bytes that are not UTF-8 become U+FFFD.
func AppendString(out []byte, s string) []byte {
	out = append(out, '"')
	for i := 0; i < len(s); {
		start := i
		for i < len(s) && s[i] >= ' ' && s[i] != '"' && s[i] != '\\' && s[i] < utf8.RuneSelf {
			i++
		}
		out = append(out, s[start:i]...)
		switch {
		case i == len(s):
		case s[i] >= utf8.RuneSelf:
			r, size := utf8.DecodeRuneInString(s[i:])
			out = utf8.AppendRune(out, r)
			i += size
		default:
			out = append(out, escapes[s[i]]...)
			i++
		}
	}
	return append(out, '"')
}

// escapes holds the escape sequence of each character that needs one.
var escapes = func() (table [utf8.RuneSelf]string) {
	for c := range ' ' {
		table[c] = `\u00` + string("0123456789abcdef"[c>>4]) + string("0123456789abcdef"[c&15])
	}
	table['\n'], table['\r'], table['\t'] = `\n`, `\r`, `\t`
	table['"'], table['\\'] = `\"`, `\\`
	return table
}()
