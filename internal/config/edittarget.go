package config

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

var configType = reflect.TypeFor[Config]()

// target is the tree that the text should have after the changes. shown is the
// configuration as it is shown; nil where the text is not valid.
func (e *editor) target(changes, shown map[string]any) (*node, Problems) {
	budget := maxNodes
	want := cloneNode(e.root, &budget)
	if budget <= 0 {
		return nil, Problems{{File: e.name, Message: "repeats aliases too often to be edited"}}
	}
	want.kind = mappingNode
	var problems Problems
	// Shorter keys first: a mapping before what is set inside it.
	for _, key := range slices.SortedFunc(maps.Keys(changes), func(a, b string) int {
		if len(a) != len(b) {
			return len(a) - len(b)
		}
		return strings.Compare(a, b)
	}) {
		if err := setKey(want, shown, key, changes[key]); err != nil {
			problems = append(problems, editProblem(e.name, key, "%s", err))
		}
	}
	return want, problems
}

func cloneNode(n *node, budget *int) *node {
	if *budget--; *budget <= 0 {
		return &node{}
	}
	out := *n
	out.entries = make([]entry, len(n.entries))
	for i, en := range n.entries {
		en.value = cloneNode(en.value, budget)
		out.entries[i] = en
	}
	out.items = make([]*node, len(n.items))
	for i, item := range n.items {
		out.items[i] = cloneNode(item, budget)
	}
	return &out
}

// setKey changes one key in a tree.
func setKey(root *node, shown any, key string, value any) error {
	steps, ok := splitPath(key)
	if !ok {
		return fmt.Errorf("is not a key: write names with dots between them, such as sub_agent.max_tasks")
	}
	if value == nil && !hasPath(root, steps[:len(steps)-1]) {
		return nil
	}
	at := place{}
	if at.shown, at.isShown = shownAt(shown, steps); !at.isShown {
		at.shown = nil
	}
	n, t := root, configType
	for _, s := range steps[:len(steps)-1] {
		var err error
		if n, t, err = descend(n, t, s); err != nil {
			return err
		}
	}
	last := steps[len(steps)-1]
	if last.inList {
		if added, ok := value.(map[string]any); ok && added["id"] == last.name && (n.kind == nullNode || n.kind == sequenceNode) && !n.hasID(last.name) {
			return addEntry(n, t, added)
		}
		old, itemType, err := descend(n, t, last)
		if err != nil {
			return err
		}
		if value == nil {
			n.items = slices.DeleteFunc(n.items, func(x *node) bool { return x == old })
			return nil
		}
		at.node = old
		made, err := makeNode(value, at, itemType)
		if err != nil {
			return err
		}
		n.items[slices.Index(n.items, old)] = made
		return nil
	}
	if n.kind == nullNode {
		n.kind = mappingNode
	}
	if n.kind != mappingNode {
		return fmt.Errorf("cannot be set: what stands around it in the file is %s", n.kind)
	}
	i := slices.IndexFunc(n.entries, func(en entry) bool { return en.key == last.name })
	switch {
	case value == nil && i >= 0:
		n.entries = slices.Delete(n.entries, i, i+1)
		return nil
	case value == nil:
		return nil
	case i < 0:
		n.entries = append(n.entries, entry{key: last.name, value: &node{}})
		i = len(n.entries) - 1
	}
	at.node = n.entries[i].value
	made, err := makeNode(value, at, typeOfKey(t, last.name))
	if err != nil {
		return err
	}
	n.entries[i].value = made
	return nil
}

// addEntry puts a new entry, which has an id, at the end of a list.
func addEntry(list *node, t reflect.Type, value map[string]any) error {
	var elem reflect.Type
	if t != nil && t.Kind() == reflect.Slice {
		elem = t.Elem()
	}
	made, err := makeNode(value, place{inEntry: true}, elem)
	if err != nil {
		return err
	}
	list.kind = sequenceNode
	list.items = append(list.items, made)
	return nil
}

// hasID reports whether a list has an entry of that id.
func (n *node) hasID(id string) bool {
	return slices.ContainsFunc(n.items, func(item *node) bool {
		en, ok := item.get("id")
		return ok && en.value.text == id
	})
}

// shownAt is what is shown at a path.
func shownAt(shown any, steps []step) (any, bool) {
	for _, s := range steps {
		if !s.inList {
			m, _ := shown.(map[string]any)
			below, ok := m[s.name]
			if !ok {
				return nil, false
			}
			shown = below
			continue
		}
		list, _ := shown.([]any)
		i, err := strconv.Atoi(s.name)
		if err != nil || i < 0 || i >= len(list) {
			i = slices.IndexFunc(list, func(one any) bool {
				m, _ := one.(map[string]any)
				return fmt.Sprint(m["id"]) == s.name
			})
		}
		if i < 0 {
			return nil, false
		}
		shown = list[i]
	}
	return shown, true
}

// hasPath reports whether a mapping or list stands at a path.
func hasPath(n *node, steps []step) bool {
	for _, s := range steps {
		if !s.inList {
			en, ok := n.get(s.name)
			if !ok {
				return false
			}
			n = en.value
			continue
		}
		next, _, err := descend(n, nil, s)
		if err != nil {
			return false
		}
		n = next
	}
	return true
}

// descend goes one step down; a mapping that is missing is made.
func descend(n *node, t reflect.Type, s step) (*node, reflect.Type, error) {
	if !s.inList {
		if n.kind == nullNode {
			n.kind = mappingNode
		}
		if n.kind != mappingNode {
			return nil, nil, fmt.Errorf("cannot be set: what stands around it in the file is %s", n.kind)
		}
		if en, ok := n.get(s.name); ok {
			return en.value, typeOfKey(t, s.name), nil
		}
		made := &node{}
		n.entries = append(n.entries, entry{key: s.name, value: made})
		return made, typeOfKey(t, s.name), nil
	}
	var elem reflect.Type
	if t != nil && t.Kind() == reflect.Slice {
		elem = t.Elem()
	}
	if i, err := strconv.Atoi(s.name); err == nil && i >= 0 && i < len(n.items) {
		return n.items[i], elem, nil
	}
	for _, item := range n.items {
		if id, ok := item.get("id"); ok && id.value.text == s.name {
			return item, elem, nil
		}
	}
	return nil, nil, fmt.Errorf("does not exist: the list in the file has no entry %s", s.name)
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
