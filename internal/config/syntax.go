package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
	"go.yaml.in/yaml/v4/plugin/loaderlimits"
)

// Limits of a text, far above what a configuration needs.
const (
	maxFileSize = 256 << 10 // bytes
	maxDepth    = 64        // levels of nesting
	maxNodes    = 20_000    // keys and values, aliases followed
)

var (
	nestedTooDeep = fmt.Sprintf("is nested deeper than %d levels", maxDepth)
	tooManyNodes  = fmt.Sprintf("has more than %d keys and values, which no configuration has", maxNodes)
)

var utf8BOM = []byte("\xef\xbb\xbf")

// parseYAML reads the one document of a text. The root of an empty text is a null.
func parseYAML(data []byte, name string) (root *yaml.Node, problems Problems) {
	refuse := func(line, column int, message string) (*yaml.Node, Problems) {
		return nil, Problems{{File: name, Line: line, Column: column, Message: message}}
	}
	switch {
	case len(data) > maxFileSize:
		return refuse(0, 0, "is larger than 256 KiB, which no configuration is")
	case !utf8.Valid(data):
		return refuse(0, 0, "is not UTF-8 text: save it as UTF-8")
	case bytes.IndexByte(data, 0) >= 0:
		return refuse(0, 0, "holds a NUL character, which no text has")
	}
	doc, err := parseDocument(bytes.TrimPrefix(data, utf8BOM))
	if err != nil {
		return nil, Problems{syntaxProblem(err, data, name)}
	}
	left := maxNodes
	if n := beyond(doc, &left); n != nil {
		return refuse(n.Line, n.Column, tooManyNodes)
	}
	return doc.Content[0], nil
}

// parseDocument reads the one document of a text; an empty one holds a null.
func parseDocument(data []byte) (doc *yaml.Node, err error) {
	// The parser is foreign code on a text that may come over the API: a panic of
	// its own is a text that it cannot read.
	defer func() {
		if r := recover(); r != nil {
			err = errors.New("the parser panicked")
		}
	}()
	limits := loaderlimits.New(loaderlimits.DepthValue(maxDepth), loaderlimits.AliasNone())
	loader, err := yaml.NewLoader(bytes.NewReader(data), yaml.WithUniqueKeys(false), yaml.WithPlugin(limits))
	if err != nil {
		return nil, err
	}
	doc = &yaml.Node{}
	if err := loader.Load(doc); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if len(doc.Content) == 0 {
		return &yaml.Node{Kind: yaml.DocumentNode, Content: []*yaml.Node{scalarNode(nullTag, "")}}, nil
	}
	var second yaml.Node
	switch err := loader.Load(&second); {
	case err == nil:
		return nil, secondDocument{&second}
	case !errors.Is(err, io.EOF):
		return nil, err
	}
	return doc, nil
}

type secondDocument struct{ doc *yaml.Node }

func (secondDocument) Error() string {
	return "a second document begins here: keep one, without a line of ---"
}

// beyond is the node at which a tree has more nodes than are left.
func beyond(n *yaml.Node, left *int) *yaml.Node {
	if *left--; *left < 0 {
		return n
	}
	for _, below := range n.Content {
		if at := beyond(below, left); at != nil {
			return at
		}
	}
	return nil
}

// syntaxProblem passes on the parser's words, which are fixed, but not what it
// quotes of the text.
func syntaxProblem(err error, data []byte, name string) Problem {
	p := Problem{File: name, Message: "is not YAML"}
	var second secondDocument
	if errors.As(err, &second) {
		return Problem{File: name, Line: second.doc.Line, Column: second.doc.Column, Message: err.Error()}
	}
	var at *yaml.LoadError
	if !errors.As(err, &at) {
		return p
	}
	p.Line, p.Column = at.Mark.Line, at.Mark.Column
	switch {
	case strings.Contains(at.Message, "max depth"):
		p.Message = nestedTooDeep
		return p
	case strings.HasPrefix(at.Message, "unknown anchor"):
		p.Message = "refers to an anchor that is not defined above"
		return p
	case at.Stage == yaml.ScannerStage, at.Stage == yaml.ParserStage:
		p.Message += ": " + at.Message
		if begin := at.ContextMark.Line; begin > 0 && begin < p.Line {
			p.Message += fmt.Sprintf(", %s that begins in line %d", at.ContextMsg, begin)
		}
	}
	lines := bytes.Split(data, []byte("\n"))
	if p.Line < 1 || p.Line > len(lines) {
		return p
	}
	line := lines[p.Line-1]
	if indent := line[:len(line)-len(bytes.TrimLeft(line, " \t"))]; bytes.IndexByte(indent, '\t') >= 0 {
		p.Message = "is not YAML: the line is indented with a tab: use spaces"
	}
	if bytes.Contains(line, []byte("${")) {
		p.Message += `; inside { } and [ ], put "${NAME}" in quotes`
	}
	return p
}

const (
	nullTag  = "!!null"
	textTag  = "!!str"
	mergeTag = "!!merge"
)

// follow is a node, or what it is an alias of.
func follow(n *yaml.Node) *yaml.Node {
	for n != nil && n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return n
}

func isNull(n *yaml.Node) bool {
	return n == nil || n.Kind == yaml.ScalarNode && n.ShortTag() == nullTag
}

// isPlain reports whether a scalar is written without quotes, so that it may be a
// number or a boolean.
func isPlain(n *yaml.Node) bool {
	const quoted = yaml.SingleQuotedStyle | yaml.DoubleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle
	return n.Style&quoted == 0 && !(n.Style&yaml.TaggedStyle != 0 && n.ShortTag() == textTag)
}

func kindOf(n *yaml.Node) string {
	switch {
	case isNull(n):
		return "nothing"
	case n.Kind == yaml.MappingNode:
		return "a mapping"
	case n.Kind == yaml.SequenceNode:
		return "a list"
	default:
		return "a single value"
	}
}

// valueOf is the value of a mapping's own key; nil where it has none.
func valueOf(n *yaml.Node, key string) *yaml.Node {
	if i := indexOf(n, key); i >= 0 {
		return n.Content[i+1]
	}
	return nil
}

// indexOf is the place of a mapping's own key in its content; -1 where it has none.
func indexOf(n *yaml.Node, key string) int {
	if n == nil || n.Kind != yaml.MappingNode {
		return -1
	}
	for i := 0; i < len(n.Content); i += 2 {
		if n.Content[i].Kind == yaml.ScalarNode && n.Content[i].Value == key {
			return i
		}
	}
	return -1
}

// textNode is a text that is read as it stands: $ is a dollar sign.
func textNode(text string, at *yaml.Node) *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode, Tag: textTag, Style: yaml.DoubleQuotedStyle, Value: escapeDollar(text)}
	if at != nil {
		n.Line, n.Column = at.Line, at.Column
	}
	return n
}
