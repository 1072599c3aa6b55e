package config

import (
	"bytes"
	"errors"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

var errByHand = errors.New("is written with an anchor, an alias or a tag, so that a change would reach further: " +
	"change it by hand in the file")

var errLayout = errors.New("is laid out in a way that cannot be changed safely from here: " +
	"change it by hand in the file")

// Edit sets keys in the text of a configuration. Sections of the top level that do
// not change keep every byte, and in one that does so do the lines that do not, where
// the rest can be written among them. A key is a dotted path:
// "sub_agent.max_tasks", "models[0].name" or, by id, "models[deepseek].name". A value
// is what JSON has (text, number, bool, list, map) or a value type of this package;
// nil removes the key, so that its default holds. A map changes those keys of a
// section that it has. A list, and a mapping with free names, is replaced as a whole.
// What is given as Print shows it stays as it stands in the text: a default that is
// not there, a variable, an entry that was added by itself.
//
// Text is written as it would be typed into the file: ${NAME} is a variable, $$ a
// dollar sign. The text "***", which is how a secret is shown, leaves what is there.
//
// The result is a valid configuration, or the error is Problems. What is written
// with YAML anchors, aliases or tags has to be changed by hand.
func (s Source) Edit(source []byte, changes map[string]any) ([]byte, error) {
	s, err := s.withSecrets()
	if err != nil {
		return nil, err
	}
	name, _ := s.File()
	sheet, problems := newSheet(source, name)
	if len(problems) > 0 {
		return nil, problems
	}
	whole := place{t: configType, isShown: true}
	if c, _, err := s.parse(source, name, nil); err == nil {
		tree, err := c.Tree()
		if err != nil {
			return nil, err
		}
		if whole.shown, err = plain(tree); err != nil {
			return nil, err
		}
	}
	// Shorter keys first: a mapping before what is set inside it.
	keys := slices.SortedFunc(maps.Keys(changes), func(a, b string) int {
		if len(a) != len(b) {
			return len(a) - len(b)
		}
		return strings.Compare(a, b)
	})
	for _, key := range keys {
		if err := sheet.set(whole, key, changes[key]); err != nil {
			problems = append(problems, Problem{File: name, Key: key, Message: err.Error()})
		}
	}
	if len(problems) > 0 {
		return nil, problems
	}
	edited, err := sheet.write()
	if err != nil {
		return nil, err
	}
	if _, _, err := s.parse(edited, name, nil); err != nil {
		return nil, err
	}
	return edited, nil
}

// A sheet is the text of a file, cut into the sections of its top level.
type sheet struct {
	file      string
	bom, crlf bool
	lines     []string // each with its line break
	parts     []*part
}

// A part is the lines of one key of the top level. Where they cannot be told apart,
// as in { } or with an alias to another section, one part is the whole file.
type part struct {
	name       string
	start, end int        // lines[start:end]
	root       *yaml.Node // a mapping with this key
	text       string
	before     string // the same as the library prints it
}

func newSheet(source []byte, name string) (*sheet, Problems) {
	s := &sheet{file: name, bom: bytes.HasPrefix(source, utf8BOM), crlf: bytes.Contains(source, []byte("\r\n"))}
	text := strings.ReplaceAll(string(bytes.TrimPrefix(source, utf8BOM)), "\r\n", "\n")
	root, problems := parseYAML([]byte(text), name)
	if len(problems) > 0 {
		return nil, problems
	}
	if root.Kind != yaml.MappingNode && !isNull(root) {
		return nil, Problems{{File: name, Message: "has to be a mapping (name: value lines), not " + kindOf(root)}}
	}
	s.lines = slices.Collect(strings.Lines(text))
	if isNull(root) || s.cut(root) {
		return s, nil
	}
	doc, _ := parseDocument([]byte(text))
	s.parts = []*part{{end: len(s.lines), root: doc, text: text, before: printYAML(doc)}}
	return s, nil
}

// cut makes a part of each key, and reports whether that is possible.
func (s *sheet) cut(root *yaml.Node) bool {
	for i := 0; i < len(root.Content); i += 2 {
		key := root.Content[i]
		if key.Kind != yaml.ScalarNode || key.ShortTag() == mergeTag || key.Column != 1 ||
			root.Style&yaml.FlowStyle != 0 {
			return false
		}
		p := &part{name: key.Value, start: key.Line - 1, end: len(s.lines)}
		if i+2 < len(root.Content) {
			p.end = root.Content[i+2].Line - 1
		}
		for p.end > p.start+1 && (strings.TrimSpace(s.lines[p.end-1]) == "" || s.lines[p.end-1][0] == '#') {
			p.end-- // what stands before the next key belongs to it
		}
		if p.end <= p.start {
			return false
		}
		p.text = strings.Join(s.lines[p.start:p.end], "")
		doc, err := parseDocument([]byte(p.text))
		if err != nil {
			return false
		}
		p.root, p.before = doc, printYAML(doc)
		s.parts = append(s.parts, p)
	}
	return true
}

// set changes one key.
func (s *sheet) set(whole place, key string, value any) error {
	steps, ok := splitPath(key)
	if !ok {
		return errors.New("is not a key: write names with dots between them, such as sub_agent.max_tasks")
	}
	value, err := plain(value)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(s.parts, func(p *part) bool { return p.name == steps[0].name || p.name == "" })
	if i < 0 {
		i = s.add(steps[0].name)
	}
	whole.node = s.parts[i].root.Content[0]
	_, err = whole.change(steps, value)
	return err
}

// add makes a part for a key that is missing, behind the one that is declared before it.
func (s *sheet) add(name string) int {
	order := func(name string) int {
		f, known := fieldsOf(configType).byName[name]
		if !known {
			return len(fieldsOf(configType).list)
		}
		return f.index
	}
	i := 0
	for j, p := range s.parts {
		if order(p.name) < order(name) {
			i = j + 1
		}
	}
	at := len(s.lines)
	switch {
	case i > 0:
		at = s.parts[i-1].end
	case len(s.parts) > 0:
		i, at = 1, s.parts[0].end
	}
	root := &yaml.Node{Kind: yaml.MappingNode}
	s.parts = slices.Insert(s.parts, i, &part{name: name, start: at, end: at, root: &yaml.Node{
		Kind: yaml.DocumentNode, Content: []*yaml.Node{root},
	}})
	return i
}

// write is the text with the parts that changed. A part that would not be read again
// as it is meant, or without one of its comments, is an error: nothing is written.
func (s *sheet) write() ([]byte, error) {
	var b strings.Builder
	last := 0
	copyTo := func(line int) {
		b.WriteString(strings.Join(s.lines[last:line], ""))
		last = line
	}
	for _, p := range s.parts {
		after := ""
		if len(p.root.Content[0].Content) > 0 {
			after = printYAML(p.root)
		}
		if after == p.before {
			continue
		}
		// The library loses comments behind an opening bracket: then the number of # differs.
		isKept := strings.Count(p.text, "#") == strings.Count(p.before, "#")
		again, err := parseDocument([]byte(after))
		if !isKept || after != "" && (err != nil || !isSame(p.root, again)) {
			return nil, Problems{{File: s.file, Line: p.start + 1, Key: p.name, Message: errLayout.Error()}}
		}
		if kept, ok := keepLines(p.text, p.before, after); ok && after != "" {
			if again, err := parseDocument([]byte(kept)); err == nil && isSame(p.root, again) {
				after = kept
			}
		}
		copyTo(p.start)
		if text := b.String(); text != "" && !strings.HasSuffix(text, "\n") {
			b.WriteByte('\n')
		}
		b.WriteString(after)
		last = p.end
	}
	copyTo(len(s.lines))
	text := b.String()
	if s.crlf {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	if s.bom {
		text = string(utf8BOM) + text
	}
	return []byte(text), nil
}

// isSame reports whether two trees have the same values and, anywhere, the same comments.
func isSame(a, b *yaml.Node) bool {
	var commentsA, commentsB []string
	same := sameValues(a, b, &commentsA, &commentsB)
	slices.Sort(commentsA)
	slices.Sort(commentsB)
	return same && slices.Equal(commentsA, commentsB)
}

func sameValues(a, b *yaml.Node, commentsA, commentsB *[]string) bool {
	for n, comments := range map[*yaml.Node]*[]string{a: commentsA, b: commentsB} {
		for line := range strings.Lines(n.HeadComment + "\n" + n.LineComment + "\n" + n.FootComment) {
			if line = strings.TrimSpace(line); line != "" {
				*comments = append(*comments, line)
			}
		}
	}
	if a.Kind != b.Kind || a.Value != b.Value || a.Anchor != b.Anchor || len(a.Content) != len(b.Content) ||
		a.Tag != "" && a.ShortTag() != b.ShortTag() {
		return false
	}
	for i := range a.Content {
		if !sameValues(a.Content[i], b.Content[i], commentsA, commentsB) {
			return false
		}
	}
	return true
}
