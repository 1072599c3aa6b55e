package config

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

var utf8BOM = []byte("\xef\xbb\xbf")

// parseYAML turns text into a tree. Where the text is not YAML, the tree is nil
// and problems says where; a repeated key is a problem beside a whole tree.
func parseYAML(data []byte, name string) (root *node, problems Problems) {
	at := position{origin: FromFile, source: name}
	refuse := func(message string) (*node, Problems) {
		return nil, Problems{{File: name, Message: message}}
	}
	if len(data) > maxFileSize {
		return refuse("is larger than 256 KiB, which no configuration is")
	}
	if !utf8.Valid(data) {
		return refuse("is not UTF-8 text: save it as UTF-8")
	}
	if bytes.IndexByte(data, 0) >= 0 {
		return refuse("holds a NUL character, which no text has")
	}
	// The parser is foreign code on a text that may come over the API: a panic of
	// its own is a text that it cannot read.
	defer func() {
		if r := recover(); r != nil {
			root, problems = refuse("cannot be read as YAML")
		}
	}()
	data = bytes.TrimPrefix(data, utf8BOM)
	data = bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))
	tokens := lexer.Tokenize(string(data))
	if tk, why := tooMuch(tokens); tk != nil {
		return nil, Problems{{File: name, Line: tk.Position.Line, Column: tk.Position.Column, Message: why}}
	}
	file, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		return nil, Problems{syntaxProblem(err, data, name)}
	}
	b := treeBuilder{at: at, anchors: map[string]*node{}}
	for _, doc := range file.Docs {
		if doc == nil || doc.Body == nil {
			continue
		}
		if root != nil {
			b.problem(doc.Body, "", "a second document begins here: keep one, without a line of ---")
			break
		}
		root = b.build(doc.Body, "", 0)
	}
	if root == nil {
		root = &node{kind: nullNode, pos: at}
	}
	return root, b.problems
}

// syntaxProblem takes only the message and the place of the parser's error: its
// own text quotes the lines around it.
func syntaxProblem(err error, data []byte, name string) Problem {
	p := Problem{File: name, Message: "is not YAML"}
	var yamlErr yaml.Error
	if errors.As(err, &yamlErr) {
		p.Message = "is not YAML: " + yamlErr.GetMessage()
		if tk := yamlErr.GetToken(); tk != nil && tk.Position != nil {
			p.Line, p.Column = tk.Position.Line, tk.Position.Column
		}
	}
	lines := bytes.Split(data, []byte("\n"))
	if p.Line > 0 && p.Line <= len(lines) && bytes.Contains(lines[p.Line-1], []byte("${")) {
		p.Message += `; inside { } and [ ], put "${NAME}" in quotes`
	}
	return p
}

type treeBuilder struct {
	at       position
	anchors  map[string]*node
	problems Problems
}

func (b *treeBuilder) problem(n ast.Node, key, message string) {
	pos := b.position(n)
	b.problems = append(b.problems, Problem{File: pos.source, Line: pos.line, Column: pos.col, Key: key, Message: message})
}

func (b *treeBuilder) position(n ast.Node) position {
	switch x := n.(type) {
	case *ast.MappingNode: // its token is the first colon
		if len(x.Values) > 0 && x.GetToken() != nil && x.GetToken().Type != token.MappingStartType {
			return b.position(x.Values[0].Key)
		}
	case *ast.MappingValueNode:
		return b.position(x.Key)
	}
	return b.tokenPosition(n.GetToken())
}

func (b *treeBuilder) tokenPosition(tk *token.Token) position {
	pos := b.at
	if tk != nil && tk.Position != nil {
		pos.line, pos.col = tk.Position.Line, tk.Position.Column
	}
	return pos
}

func (b *treeBuilder) build(n ast.Node, path string, depth int) *node {
	if n == nil {
		return &node{kind: nullNode, pos: b.at}
	}
	out := &node{kind: nullNode, pos: b.position(n)}
	if depth > maxDepth {
		b.problem(n, path, nestedTooDeep)
		return out
	}
	switch x := n.(type) {
	case *ast.NullNode:
	case *ast.MappingNode:
		out.kind, out.flow, out.end = mappingNode, x.IsFlowStyle, b.tokenPosition(x.End)
		seen := make(map[string]int, len(x.Values))
		for _, v := range x.Values {
			b.entry(out, v, path, depth, seen)
		}
	case *ast.MappingValueNode:
		out.kind = mappingNode
		b.entry(out, x, path, depth, map[string]int{})
	case *ast.SequenceNode:
		out.kind, out.flow, out.end = sequenceNode, x.IsFlowStyle, b.tokenPosition(x.End)
		for _, e := range x.Entries {
			out.dashes = append(out.dashes, b.tokenPosition(e.Start))
		}
		for i, v := range x.Values {
			out.items = append(out.items, b.build(v, indexPath(path, i), depth+1))
		}
	case *ast.AnchorNode:
		out = b.build(x.Value, path, depth+1)
		b.anchors[x.Name.GetToken().Value] = out
	case *ast.AliasNode:
		name := x.Value.GetToken().Value
		target, ok := b.anchors[name]
		if !ok {
			b.problem(n, path, "refers to an anchor that is not defined above")
			return out
		}
		return target
	case *ast.TagNode:
		out = b.build(x.Value, path, depth+1)
		switch tag := x.GetToken().Value; tag {
		case "!!str":
			if out.kind == nullNode {
				out.kind = scalarNode
			}
			out.style = quoted
		case "!!int", "!!float", "!!bool", "!!null", "!!map", "!!seq":
		default:
			b.problem(n, path, "has a YAML tag that has no meaning here: remove it")
		}
	case *ast.LiteralNode:
		out.kind, out.style, out.text = scalarNode, quoted, x.Value.Value
	case *ast.StringNode:
		out.kind, out.text = scalarNode, x.Value
		if t := x.GetToken().Type; t == token.DoubleQuoteType || t == token.SingleQuoteType {
			out.style = quoted
		}
	case ast.ScalarNode: // numbers, booleans, infinities: read by the type that is wanted
		out.kind, out.text = scalarNode, strings.TrimSpace(x.GetToken().Value)
	default:
		b.problem(n, path, "is a kind of YAML that has no meaning here")
	}
	return out
}

// entry adds a key to a mapping; seen is the place of each key that it has.
func (b *treeBuilder) entry(out *node, v *ast.MappingValueNode, path string, depth int, seen map[string]int) {
	if v.Key.IsMergeKey() {
		b.merge(out, v, path, depth, seen)
		return
	}
	var key ast.Node = v.Key
	if explicit, ok := key.(*ast.MappingKeyNode); ok { // "? key"
		key = explicit.Value
	}
	name := ""
	switch k := key.(type) {
	case *ast.StringNode:
		name = k.Value
	case ast.ScalarNode:
		name = k.GetToken().Value
	default:
		b.problem(v.Key, path, "has a key that is not a name")
		return
	}
	e := entry{key: name, pos: b.position(v.Key), value: b.build(v.Value, joinPath(path, name), depth+1)}
	i, has := seen[name]
	switch {
	case !has:
		seen[name] = len(out.entries)
		out.entries = append(out.entries, e)
	case out.entries[i].merged:
		out.entries[i] = e
	default:
		b.problem(v.Key, joinPath(path, name), fmt.Sprintf("is already given in line %d: keep one of them", out.entries[i].pos.line))
	}
}

func (b *treeBuilder) merge(out *node, v *ast.MappingValueNode, path string, depth int, seen map[string]int) {
	from := b.build(v.Value, path, depth+1)
	sources := []*node{from}
	if from.kind == sequenceNode {
		sources = from.items
	}
	for _, src := range sources {
		if src.kind != mappingNode {
			b.problem(v.Key, path, "merges (<<) something that is not a mapping")
			return
		}
		for _, e := range src.entries {
			if _, has := seen[e.key]; !has {
				seen[e.key] = len(out.entries)
				e.merged = true
				out.entries = append(out.entries, e)
			}
		}
	}
}
