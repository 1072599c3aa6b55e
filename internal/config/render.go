package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"

	"go.yaml.in/yaml/v4"
)

// Print writes the configuration in force as YAML, with secrets redacted and a
// comment behind every value that says where it comes from.
func (c *Config) Print(w io.Writer) error {
	r := renderer{meta: c.meta, origins: true}
	_, err := io.WriteString(w, printYAML(r.section(reflect.ValueOf(c).Elem(), "")))
	if err != nil {
		return fmt.Errorf("print configuration: %w", err)
	}
	return nil
}

// Tree is what Print writes, as maps, lists and single values.
func (c *Config) Tree() (map[string]any, error) {
	var tree map[string]any
	r := renderer{meta: c.meta}
	if err := r.section(reflect.ValueOf(c).Elem(), "").Decode(&tree); err != nil {
		return nil, fmt.Errorf("read the printed configuration: %w", err)
	}
	return tree, nil
}

// ErrNoKey says that a text is not a key, or that the configuration has none by that name.
var ErrNoKey = errors.New("is not a key: write it like sub_agent.max_tasks or models[0].id")

// Value is one key as Print writes it, a list or a section as YAML; false: there is none.
func (c *Config) Value(key string) (text string, found bool, err error) {
	steps, ok := splitPath(key)
	if !ok {
		return "", false, ErrNoKey
	}
	n := renderer{meta: c.meta}.section(reflect.ValueOf(c).Elem(), "")
	for _, step := range steps {
		if step.inList {
			i := place{node: n}.item(step.name)
			if i < 0 {
				return "", false, nil
			}
			n = n.Content[i]
		} else if n = valueOf(n, step.name); n == nil {
			return "", false, nil
		}
	}
	if n.Kind == yaml.ScalarNode {
		return n.Value, true, nil
	}
	n.Style &^= yaml.FlowStyle
	return strings.TrimSuffix(printYAML(n), "\n"), true, nil
}

// printYAML is a tree as text.
func printYAML(n *yaml.Node) string {
	var b bytes.Buffer
	dumper, err := yaml.NewDumper(&b, yaml.WithIndent(2), yaml.WithCompactSeqIndent(false), yaml.WithLineWidth(-1),
		yaml.WithQuotePreference(yaml.QuoteDouble))
	if err == nil {
		err = errors.Join(dumper.Dump(clone(n)), dumper.Close()) // Dump changes the tree that it is given
	}
	if err != nil {
		// a mistake in the code: it was built or parsed here
		panic("config: a tree that cannot be written: " + err.Error())
	}
	return b.String()
}

func clone(n *yaml.Node) *yaml.Node {
	out := *n
	out.Content = make([]*yaml.Node, len(n.Content))
	for i, below := range n.Content {
		out.Content[i] = clone(below)
	}
	return &out
}

// onOneLine is a value in the form that Diff and Keys show.
func onOneLine(n *yaml.Node) string {
	if n.Kind != yaml.ScalarNode {
		n.Style = yaml.FlowStyle
	}
	return strings.TrimSuffix(printYAML(n), "\n")
}

// A renderer makes trees of values, keys in the order in which they are declared.
type renderer struct {
	meta    *meta
	origins bool // say behind each value where it comes from
	docs    bool // write documentation and examples around each key
}

// section is every key of a struct.
func (r renderer) section(v reflect.Value, path string) *yaml.Node {
	n := &yaml.Node{Kind: yaml.MappingNode}
	for _, f := range fieldsOf(v.Type()).list {
		r.add(n, f, v.Field(f.index), joinPath(path, f.name))
	}
	return n
}

// entry is the keys of a list's or map's entry that say something.
func (r renderer) entry(v reflect.Value, path string) *yaml.Node {
	r.docs = false
	n := &yaml.Node{Kind: yaml.MappingNode}
	byDefault := newElement(v.Type())
	for _, f := range fieldsOf(v.Type()).list {
		if !v.Field(f.index).IsZero() || !byDefault.Field(f.index).IsZero() {
			r.add(n, f, v.Field(f.index), joinPath(path, f.name))
		}
	}
	return n
}

// add appends a key with its value.
func (r renderer) add(n *yaml.Node, f field, v reflect.Value, path string) {
	key := scalarNode(textTag, f.name)
	if r.docs {
		depth := strings.Count(path, ".")
		key.HeadComment = comment(wrap(describe(f), commentWidth-2*depth))
		if example := Example(path); example != "" {
			key.FootComment = comment(strings.Split("Example:\n"+strings.TrimSuffix(example, "\n"), "\n"))
		}
	}
	n.Content = append(n.Content, key, r.value(f.name, v, path))
}

// value is a value under a name.
func (r renderer) value(name string, v reflect.Value, path string) *yaml.Node {
	for (v.Kind() == reflect.Interface || v.Kind() == reflect.Pointer) && !v.IsNil() {
		v = v.Elem()
	}
	if v.Kind() == reflect.Struct {
		return r.section(v, path)
	}
	isList := v.Kind() == reflect.Slice || v.Kind() == reflect.Map
	onLine := !isList || v.Len() == 0 || isLeafList(v)
	origin := ""
	if onLine && r.origins {
		origin, r.origins = "# "+string(r.meta.origin(path)), false
	}
	render := r.single
	if isList {
		render = r.list
	}
	made := render(name, v, path)
	made.LineComment = origin
	if isList && onLine {
		made.Style = yaml.FlowStyle
	}
	return made
}

// list is a list, or a mapping with free names.
func (r renderer) list(name string, v reflect.Value, path string) *yaml.Node {
	if v.Kind() == reflect.Slice {
		n := &yaml.Node{Kind: yaml.SequenceNode}
		for i := range v.Len() {
			n.Content = append(n.Content, r.element(name, v.Index(i), indexPath(path, i)))
		}
		return n
	}
	n := &yaml.Node{Kind: yaml.MappingNode}
	for _, key := range sortedKeys(v) {
		below := r.element(key, v.MapIndex(reflect.ValueOf(key)), joinPath(path, key))
		n.Content = append(n.Content, scalarNode(textTag, key), below)
	}
	return n
}

// element is a value in a list or in a mapping with free names.
func (r renderer) element(name string, v reflect.Value, path string) *yaml.Node {
	if v.Kind() == reflect.Struct {
		return r.entry(v, path)
	}
	return r.value(name, v, path)
}

// isLeafList reports whether a list or map fits on one line: single values, or
// arguments that only a tool understands.
func isLeafList(v reflect.Value) bool {
	elem := v.Type().Elem()
	return elem.Kind() == reflect.Interface || v.Kind() == reflect.Slice && elem.Kind() != reflect.Struct
}

// single is a single value. name is the one that the user chose for it.
func (r renderer) single(name string, v reflect.Value, path string) *yaml.Node {
	switch {
	case v.Kind() == reflect.Interface || v.Kind() == reflect.Pointer:
		return scalarNode(nullTag, "null")
	case v.Kind() != reflect.String && v.Type() != durationType && v.Type() != sizeType:
		return scalarNode("", plainText(v)) // a number, true or false
	case isFreeName(path) && soundsSecret(name) && v.Kind() == reflect.String && v.Len() > 0:
		return scalarNode(textTag, covered)
	}
	return scalarNode(textTag, escapeDollar(r.meta.shown(v, path)))
}

func scalarNode(tag, text string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: tag, Value: text}
}

// escapeDollar keeps a text that holds ${ or $$ from being read as a variable.
func escapeDollar(text string) string {
	return strings.NewReplacer("$$", "$$$$", "${", "$${").Replace(text)
}
