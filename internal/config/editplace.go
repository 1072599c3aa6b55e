package config

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

var configType = reflect.TypeFor[Config]()

// A place is a spot in a file together with what GET of the configuration shows of
// it. The two differ by defaults, variables and secrets.
type place struct {
	node    *yaml.Node // in the file; nil: nothing
	shown   any        // as Print writes it
	isShown bool
	inEntry bool         // inside of an entry of a list or of a mapping with free names
	inValue bool         // inside of a mapping that is given as a whole
	t       reflect.Type // nil: not known
}

// change sets what steps lead to, and answers the node that then stands at the
// place; nil is nothing.
func (p place) change(steps []step, value any) (*yaml.Node, error) {
	switch {
	case len(steps) == 0 && value == nil:
		return nil, nil
	case len(steps) == 0:
		return p.merge(value)
	case value == nil && isNull(p.node):
		return p.node, nil
	case p.isShared():
		return nil, errByHand
	case steps[0].inList:
		return p.changeItem(steps, value)
	case !isNull(p.node) && p.node.Kind != yaml.MappingNode:
		return nil, fmt.Errorf("cannot be set: what stands around it in the file is %s", kindOf(p.node))
	}
	below := p.key(steps[0].name)
	if value == nil && below.node == nil {
		return p.node, nil
	}
	made, err := below.change(steps[1:], value)
	if err != nil {
		return nil, err
	}
	n := p.container(yaml.MappingNode)
	p.set(n, steps[0].name, made)
	return n, nil
}

// changeItem changes an entry of a list, by number or by id; one with a new id is added.
func (p place) changeItem(steps []step, value any) (*yaml.Node, error) {
	name := steps[0].name
	i := p.item(name)
	if i >= 0 {
		made, err := p.element(i).change(steps[1:], value)
		switch {
		case err != nil:
			return nil, err
		case made == nil:
			p.node.Content = slices.Delete(p.node.Content, i, i+1)
		default:
			p.node.Content[i] = made
		}
		return p.node, nil
	}
	added, ok := value.(map[string]any)
	if len(steps) > 1 || !ok || added["id"] != name || !isNull(p.node) && p.node.Kind != yaml.SequenceNode {
		return nil, fmt.Errorf("does not exist: the list in the file has no entry %s", name)
	}
	made, err := place{inEntry: true, t: elementType(p.t)}.merge(value)
	if err != nil {
		return nil, err
	}
	n := p.container(yaml.SequenceNode)
	n.Content = append(n.Content, made)
	return n, nil
}

// isShared reports whether a change would reach further than the place.
func (p place) isShared() bool {
	return p.node != nil && (p.node.Kind == yaml.AliasNode || p.node.Anchor != "" || p.node.Style&yaml.TaggedStyle != 0)
}

// container is the mapping or list at the place, which is made where there is none.
// One that was empty is written over lines.
func (p place) container(kind yaml.Kind) *yaml.Node {
	if p.node != nil && p.node.Kind == kind {
		if len(p.node.Content) == 0 {
			p.node.Style &^= yaml.FlowStyle
		}
		return p.node
	}
	return p.inPlace(&yaml.Node{Kind: kind})
}

// inPlace gives a node the comments of the one whose place it takes.
func (p place) inPlace(n *yaml.Node) *yaml.Node {
	if p.node != nil {
		n.HeadComment, n.LineComment, n.FootComment = p.node.HeadComment, p.node.LineComment, p.node.FootComment
	}
	return n
}

// key is the place of a key of the mapping here.
func (p place) key(name string) place {
	below := place{node: valueOf(p.node, name), t: typeOfKey(p.t, name)}
	if shown, ok := p.shown.(map[string]any); ok {
		below.shown, below.isShown = shown[name]
	}
	return below
}

// element is the place of an entry of the list here.
func (p place) element(i int) place {
	below := place{node: p.node.Content[i], t: elementType(p.t)}
	if shown, ok := p.shown.([]any); ok && i < len(shown) {
		below.shown, below.isShown = shown[i], true
	}
	return below
}

// item is the index of an entry in the file, by number or by id; -1 where there is none.
func (p place) item(name string) int {
	if p.node == nil || p.node.Kind != yaml.SequenceNode {
		return -1
	}
	if i, err := strconv.Atoi(name); err == nil && i >= 0 && i < len(p.node.Content) {
		return i
	}
	if i := p.itemByID(name); i < len(p.node.Content) {
		return i
	}
	return -1 // the server added it
}

// itemByID is the index of an entry in the file, where its id may be a variable, or
// behind the file's entries as it is shown; -1 where there is none.
func (p place) itemByID(id string) int {
	if p.node != nil && p.node.Kind == yaml.SequenceNode {
		for i, item := range p.node.Content {
			if own := valueOf(follow(item), "id"); own != nil && own.Value == id {
				return i
			}
		}
	}
	shown, _ := p.shown.([]any)
	return slices.IndexFunc(shown, func(one any) bool { return idOf(one) == id })
}

// idOf is the id of an entry of a list; "" where it has none.
func idOf(value any) string {
	m, ok := value.(map[string]any)
	if !ok || m["id"] == nil {
		return ""
	}
	return fmt.Sprint(m["id"])
}

// set puts a value under a key of a mapping, where the struct declares it; nil removes it.
func (p place) set(n *yaml.Node, name string, value *yaml.Node) {
	i := indexOf(n, name)
	switch {
	case value == nil && i >= 0:
		n.Content = slices.Delete(n.Content, i, i+2)
	case value == nil:
	case i >= 0:
		n.Content[i+1] = value
		moveComment(n.Content[i], value)
	default:
		n.Content = slices.Insert(n.Content, p.insertAt(n, name), scalarNode(textTag, name), value)
	}
}

// moveComment puts the comment on the line of a key where it belongs: to the key of
// what stands below it, else to the value.
func moveComment(key, value *yaml.Node) {
	from, to := key, value
	if value.Kind != yaml.ScalarNode && value.Style&yaml.FlowStyle == 0 && len(value.Content) > 0 {
		from, to = value, key
	}
	if from.LineComment != "" && to.LineComment == "" {
		from.LineComment, to.LineComment = "", from.LineComment
	}
}

// insertAt is the index for a new key: behind the last one that is declared before it.
func (p place) insertAt(n *yaml.Node, name string) int {
	fields := map[string]field{}
	if p.t != nil && p.t.Kind() == reflect.Struct {
		fields = fieldsOf(p.t).byName
	}
	own, known := fields[name]
	if !known {
		return len(n.Content)
	}
	at := 0
	for i := 0; i < len(n.Content); i += 2 {
		if f, known := fields[n.Content[i].Value]; known && f.index < own.index {
			at = i + 2
		}
	}
	return at
}

func elementType(t reflect.Type) reflect.Type {
	if t == nil || t.Kind() != reflect.Slice {
		return nil
	}
	return t.Elem()
}

// typeOfKey is the Go type of a key inside another one; nil is unknown.
func typeOfKey(t reflect.Type, name string) reflect.Type {
	if t == nil {
		return nil
	}
	switch t.Kind() {
	case reflect.Struct:
		if f, ok := fieldsOf(t).byName[name]; ok {
			return f.typ
		}
	case reflect.Map:
		return t.Elem()
	}
	return nil
}

// isRedacted reports whether a text only shows that there is a secret.
func isRedacted(text string) bool { return text == covered || strings.Contains(text, ":"+covered+"@") }
