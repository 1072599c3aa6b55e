package config

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
)

// Edit sets keys in the text of a configuration and leaves every other byte,
// comments included, as it was. A key is a dotted path: "sub_agent.max_tasks",
// "models[0].name" or, by id, "models[deepseek].name". A value is what JSON has
// (text, number, bool, list, map) or a value type of this package; nil removes the
// key, so that its default holds. A map changes those keys of a section that it has.
// A list, an entry of a list and a mapping with free names are replaced as a whole.
// What is given as Print shows it stays as it stands in the text: a default that is
// not there, a variable, an entry that was added by itself.
//
// Text is written as it would be typed into the file: ${NAME} is a variable, $$ a
// dollar sign. The text "***", which is how a secret is shown, leaves what is there.
//
// The result is a valid configuration, or the error is Problems. What is written
// with YAML anchors, aliases or tags has to be changed by hand.
func Edit(source []byte, changes map[string]any) ([]byte, error) {
	return Source{}.Edit(source, changes)
}

// Edit is the function Edit with the variables and the file name of s.
func (s Source) Edit(source []byte, changes map[string]any) ([]byte, error) {
	name, _ := s.File()
	e, err := newEditor(source, name)
	if err != nil {
		return nil, err
	}
	var shown map[string]any
	if c, _, err := s.parse(e.text, name, nil); err == nil {
		if shown, err = c.Tree(); err != nil {
			return nil, err
		}
	}
	want, problems := e.target(changes, shown)
	if len(problems) > 0 {
		return nil, problems
	}
	if err := e.reach(want); err != nil {
		return nil, err
	}
	if _, _, err := s.parse(e.text, name, nil); err != nil {
		return nil, err
	}
	return e.text, nil
}

// An editor changes a text in small steps. After each the text is parsed again,
// so that no position is ever stale and every step is seen to do what it should.
type editor struct {
	name  string
	text  []byte
	eol   string
	lines []int // offset of each line
	root  *node
}

func newEditor(text []byte, name string) (*editor, error) {
	e := &editor{name: name, eol: "\n"}
	if bytes.Contains(text, []byte("\r\n")) {
		e.eol = "\r\n"
	}
	return e, e.load(slices.Clone(text))
}

func (e *editor) load(text []byte) error {
	root, problems := parseYAML(text, e.name)
	if len(problems) > 0 {
		return problems
	}
	if root.kind != mappingNode && root.kind != nullNode {
		return Problems{{File: e.name, Message: "has to be a mapping (name: value lines), not " + root.kind.String()}}
	}
	e.text, e.root, e.lines = text, root, []int{0}
	for i, c := range text {
		if c == '\n' {
			e.lines = append(e.lines, i+1)
		}
	}
	return nil
}

// maxSteps is far above what any change of a configuration takes.
const maxSteps = 2000

var errByHand = errors.New("is written in a way that cannot be changed safely from here (an anchor, an alias, a tag, or an unusual layout): change it by hand in the file")

// reach makes the text say what the tree want says.
func (e *editor) reach(want *node) error {
	for range maxSteps {
		before := e.text
		done, err := e.converge(e.root, want, slot{kind: rootSlot}, "", configType)
		if err != nil {
			return err
		}
		if !done {
			return nil
		}
		if bytes.Equal(before, e.text) {
			break
		}
	}
	return Problems{{File: e.name, Message: errByHand.Error()}}
}

// A splice replaces text[start:end].
type splice struct {
	start, end int
	text       string
}

// apply makes splices, which do not overlap, at once. What is no YAML afterwards
// is an error that blames the place, and the text stays.
func (e *editor) apply(key string, pos position, splices ...splice) error {
	slices.SortFunc(splices, func(a, b splice) int { return a.start - b.start })
	var out []byte
	last := 0
	for _, s := range splices {
		if s.start < last || s.end < s.start || s.end > len(e.text) {
			return e.byHand(key, pos)
		}
		out = append(append(out, e.text[last:s.start]...), s.text...)
		last = s.end
	}
	out = append(out, e.text[last:]...)
	if err := e.load(out); err != nil {
		return e.byHand(key, pos)
	}
	return nil
}

func (e *editor) byHand(key string, pos position) error {
	return Problems{{File: e.name, Line: pos.line, Column: pos.col, Key: key, Message: errByHand.Error()}}
}

func editProblem(name, key, format string, args ...any) Problem {
	return Problem{File: name, Key: key, Message: fmt.Sprintf(format, args...)}
}
