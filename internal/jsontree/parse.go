package jsontree

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

const space = " \t\r\n"

// Parse reads one value of well-formed JSON, such as Encode writes. Duplicate
// names stay as they are.
func Parse(encoded []byte) (*Node, error) {
	r := newReader(encoded, 0, jsontext.AllowDuplicateNames(true))
	node, err := r.document()
	if err != nil {
		return nil, fmt.Errorf("parse JSON: %w", err)
	}
	return node, nil
}

// Repair reads one value as a model wrote it. Trailing commas and raw control
// characters inside strings have one meaning only and are repaired. All else is a
// *SyntaxError: an incomplete text is never completed, and of a duplicate name
// neither value is used. Lists and objects are at most maxDepth deep.
func Repair(text string, maxDepth int) (node *Node, repaired bool, err error) {
	r := newReader([]byte(text), maxDepth)
	if node, err = r.document(); err == nil {
		return node, false, nil
	}
	mended, _ := mend(text, math.MaxInt)
	original := func(at int) int { // the byte of text from which a byte of mended came
		_, at = mend(text, at)
		return at
	}
	if string(mended) == text {
		return nil, false, r.explain(err, text, original)
	}
	r = newReader(mended, maxDepth)
	if node, err = r.document(); err == nil {
		return node, true, nil
	}
	return nil, false, r.explain(err, text, original)
}

// mend blanks trailing commas and escapes control characters inside strings. It
// stops when the output has limit bytes and returns how much of text it consumed.
func mend(text string, limit int) (out []byte, consumed int) {
	out = make([]byte, 0, min(limit, len(text)+len(text)/16))
	comma, before := -1, byte('[') // comma: in out, with only space after it
	for consumed < len(text) && len(out) < limit {
		switch c := text[consumed]; {
		case c == '"':
			out, consumed = mendString(out, text, consumed, limit)
			comma, before = -1, c
			continue
		case strings.IndexByte(space, c) >= 0:
		case c == ',' && strings.IndexByte("[{,:", before) < 0:
			comma, before = len(out), c
		default:
			if comma >= 0 && (c == ']' || c == '}') {
				out[comma] = ' '
			}
			comma, before = -1, c
		}
		out = append(out, text[consumed])
		consumed++
	}
	return out, consumed
}

// mendString is mend for the string that begins at a byte.
func mendString(out []byte, text string, at, limit int) ([]byte, int) {
	out = append(out, '"')
	for at++; at < len(text) && len(out) < limit; at++ {
		c := text[at]
		if c < ' ' {
			out = append(out, escapes[c]...)
			continue
		}
		out = append(out, c)
		if c == '"' {
			return out, at + 1
		}
		if c == '\\' && at+1 < len(text) && text[at+1] >= ' ' {
			at++
			out = append(out, text[at])
		}
	}
	return out, at
}

// reader builds a tree of jsontext's tokens.
type reader struct {
	*jsontext.Decoder
	text     []byte
	maxDepth int // 0: jsontext's own
	open     int // where the innermost open list or object began at a failure
	what     string
}

func newReader(text []byte, maxDepth int, options ...jsontext.Options) *reader {
	options = append(options, jsontext.AllowInvalidUTF8(true))
	return &reader{
		Decoder: jsontext.NewDecoder(bytes.NewBuffer(text), options...),
		text:    text, maxDepth: maxDepth,
	}
}

var (
	errTooDeep = errors.New("nested too deep")
	errTail    = errors.New("text after the value")
)

func (r *reader) document() (*Node, error) {
	node, err := r.value()
	if err != nil {
		return nil, err
	}
	if len(bytes.TrimLeft(r.text[r.InputOffset():], space)) > 0 {
		return nil, errTail
	}
	return node, nil
}

func (r *reader) value() (*Node, error) {
	token, err := r.ReadToken()
	if err != nil {
		return nil, err
	}
	switch token.Kind() {
	case '{':
		return r.items(&Node{Kind: Object}, "object")
	case '[':
		return r.items(&Node{Kind: List}, "list")
	case '"':
		return &Node{Kind: Text, Text: token.String()}, nil
	}
	return &Node{Kind: Literal, Text: token.String()}, nil
}

func (r *reader) items(n *Node, what string) (_ *Node, err error) {
	start := int(r.InputOffset()) - 1
	defer func() {
		if err != nil && r.what == "" {
			r.open, r.what = start, what
		}
	}()
	if r.maxDepth > 0 && r.StackDepth() > r.maxDepth {
		return nil, errTooDeep
	}
	for {
		if kind := r.PeekKind(); kind == '}' || kind == ']' {
			_, err := r.ReadToken()
			return n, err
		}
		if n.Kind == Object {
			name, err := r.ReadToken()
			if err != nil {
				return nil, err
			}
			n.Keys = append(n.Keys, name.String())
		}
		item, err := r.value()
		if err != nil {
			return nil, err
		}
		n.Items = append(n.Items, item)
	}
}

// SyntaxError says where a text is not the JSON that it should be. Its text
// completes "the arguments are …".
type SyntaxError struct {
	Character int // counted from 1
	problem   string
}

func (e *SyntaxError) Error() string { return e.problem }

// failedAt is the byte at which reading failed.
func (r *reader) failedAt(err error) int {
	at, skipped := int(r.InputOffset()), space // the end of the last token that was read
	var syntax *jsontext.SyntacticError
	switch {
	case errors.Is(err, errTooDeep):
		return at - 1
	case errors.Is(err, io.ErrUnexpectedEOF):
		skipped += ",:"
	case errors.As(err, &syntax):
		at = int(syntax.ByteOffset)
	}
	return at + len(r.text[at:]) - len(bytes.TrimLeft(r.text[at:], skipped))
}

// explain makes an error for a model of what failed. It speaks of the original text.
func (r *reader) explain(err error, text string, original func(at int) int) *SyntaxError {
	at := original(r.failedAt(err))
	character := func(at int) int { return utf8.RuneCountInString(text[:at]) + 1 }
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		where, begun := r.what, original(r.open)
		if at < len(text) && text[at] == '"' {
			where, begun = "string", at
		}
		end := character(len(text))
		problem := fmt.Sprintf("not complete: the JSON ends at character %d", end)
		if where != "" {
			problem += fmt.Sprintf(", before the %s that begins at character %d was closed", where, character(begun))
		}
		return &SyntaxError{end, problem + "; send the whole call again, and split long content into several calls"}
	}
	near := []rune(text[at:min(len(text), at+80)])
	if len(near) > 20 {
		near = near[:20]
	}
	quoted, _ := Encode(string(near)) // a string always encodes
	return &SyntaxError{character(at), fmt.Sprintf("not valid JSON at character %d (near %s): %s", character(at),
		quoted, r.hint(err, text[at:]))}
}

// hints tell what to mend, by a part of jsontext's message.
var hints = []struct{ part, hint string }{
	{"object value", "perhaps a double quote inside a string lacks its backslash, or a number begins with 0"},
	{"array element", "perhaps a double quote inside a string lacks its backslash, or a number begins with 0"},
	{"invalid escape sequence", `a backslash itself is written \\`},
	{"surrogate", `a backslash itself is written \\`},
	{"member name must be", "a property name must stand in double quotes"},
	{"start of value", "this is not a JSON value; strings and property names must stand in double quotes, and true, " +
		"false and null in lower case"},
	{"in literal", "true, false and null are written in lower case, all other text in double quotes"},
}

func (r *reader) hint(err error, rest string) string {
	switch {
	case errors.Is(err, errTooDeep):
		return fmt.Sprintf("lists and objects are nested more than %d deep", r.maxDepth)
	case errors.Is(err, errTail) && rest[0] == '{':
		return "a second object begins; send exactly one object per call"
	case errors.Is(err, errTail):
		return "there is text after the end of the JSON value; send nothing but one object"
	}
	var syntax *jsontext.SyntacticError
	if !errors.As(err, &syntax) {
		return err.Error()
	}
	message := syntax.Err.Error()
	if errors.Is(err, jsontext.ErrDuplicateName) {
		name, _ := json.Marshal(syntax.JSONPointer.LastToken()) // a string always encodes
		return fmt.Sprintf("the property %s is there twice; send each property once", name)
	}
	for _, h := range hints {
		if strings.Contains(message, h.part) {
			return message + "; " + h.hint
		}
	}
	return message
}
