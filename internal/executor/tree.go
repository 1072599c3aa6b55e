package executor

import (
	"bytes"
	"encoding/json"
	"strings"

	"nanoclaw/internal/tools"
)

// node is a JSON value with the order of its properties kept, so that strings
// can be changed without disturbing the rest.
type node struct {
	kind  byte     // one of the constants below
	text  string   // string: its value; literal: its JSON
	keys  []string // object: by item
	items []*node  // list, object
	cost  int      // set by measure
}

const (
	kindLiteral byte = iota // a number, true, false, null
	kindText
	kindList
	kindObject
)

// encodeJSON encodes a value with < > & as they are.
func encodeJSON(value any) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}

// readTree reads the output of encodeJSON.
func readTree(encoded []byte) *node {
	t := treeReader{text: string(encoded)}
	return t.value()
}

// treeReader relies on its text being valid and without spaces.
type treeReader struct {
	text string
	pos  int
}

func (t *treeReader) value() *node {
	switch t.text[t.pos] {
	case '"':
		return &node{kind: kindText, text: t.string()}
	case '[':
		n := &node{kind: kindList}
		t.members(']', func() { n.items = append(n.items, t.value()) })
		return n
	case '{':
		n := &node{kind: kindObject}
		t.members('}', func() {
			n.keys = append(n.keys, t.string())
			t.pos++ // the colon
			n.items = append(n.items, t.value())
		})
		return n
	}
	start := t.pos
	for t.pos < len(t.text) && strings.IndexByte(",]}", t.text[t.pos]) < 0 {
		t.pos++
	}
	return &node{kind: kindLiteral, text: t.text[start:t.pos]}
}

func (t *treeReader) members(closing byte, read func()) {
	t.pos++
	for t.text[t.pos] != closing {
		if t.text[t.pos] == ',' {
			t.pos++
		}
		read()
	}
	t.pos++
}

func (t *treeReader) string() string {
	start := t.pos
	escaped := false
	for t.pos++; t.text[t.pos] != '"'; t.pos++ {
		if t.text[t.pos] == '\\' {
			escaped = true
			t.pos++
		}
	}
	t.pos++
	if !escaped {
		return t.text[start+1 : t.pos-1]
	}
	var decoded string
	if err := json.Unmarshal([]byte(t.text[start:t.pos]), &decoded); err != nil {
		panic("executor: encoding/json does not read its own string: " + err.Error())
	}
	return decoded
}

// append writes the tree as JSON.
func (n *node) append(out []byte) []byte {
	switch n.kind {
	case kindText:
		return tools.AppendString(out, n.text)
	case kindList:
		out = append(out, '[')
		for i, item := range n.items {
			if i > 0 {
				out = append(out, ',')
			}
			out = item.append(out)
		}
		return append(out, ']')
	case kindObject:
		out = append(out, '{')
		for i, item := range n.items {
			if i > 0 {
				out = append(out, ',')
			}
			out = append(tools.AppendString(out, n.keys[i]), ':')
			out = item.append(out)
		}
		return append(out, '}')
	}
	return append(out, n.text...)
}
