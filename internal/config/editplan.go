package config

import (
	"reflect"
	"slices"
)

// A slot is where a value stands.
type slot struct {
	kind  slotKind
	pos   position // of the key or the dash; of the value itself in a flow list
	key   string   // of an entry
	depth int      // characters before the key or the dash
	flow  bool     // inside { } or [ ]
}

type slotKind int

const (
	rootSlot slotKind = iota
	entrySlot
	itemSlot
)

// converge makes the first difference that it finds between two trees go away in
// the text, and reports whether there was one.
func (e *editor) converge(have, want *node, s slot, path string, t reflect.Type) (bool, error) {
	switch {
	case sameNode(have, want):
		return false, nil
	case s.kind != rootSlot && e.isIndirect(s):
		return false, e.byHand(path, s.pos)
	case have.kind == mappingNode && want.kind == mappingNode && len(have.entries) > 0:
		return e.convergeMapping(have, want, s, path, t)
	case have.kind == sequenceNode && want.kind == sequenceNode && len(have.items) > 0:
		return e.convergeList(have, want, s, path, t)
	case s.kind == rootSlot:
		return true, e.appendToFile(want)
	default:
		return true, e.replaceValue(have, want, s, path)
	}
}

func (e *editor) convergeMapping(have, want *node, s slot, path string, t reflect.Type) (bool, error) {
	for _, en := range have.entries {
		next, ok := want.get(en.key)
		if !ok || en.merged {
			continue
		}
		if done, err := e.converge(en.value, next.value, e.entrySlot(have, en), joinPath(path, en.key), typeOfKey(t, en.key)); done || err != nil {
			return done, err
		}
	}
	for i, en := range have.entries {
		if _, ok := want.get(en.key); !ok {
			return true, e.deleteEntry(have, i, joinPath(path, en.key))
		}
	}
	for _, en := range want.entries {
		old, ok := have.get(en.key)
		if !ok || old.merged && !sameNode(old.value, en.value) {
			return true, e.addEntry(have, en, joinPath(path, en.key), t)
		}
	}
	return false, nil
}

// convergeList leaves the entries at both ends that are the same, and changes
// what is between them.
func (e *editor) convergeList(have, want *node, s slot, path string, t reflect.Type) (bool, error) {
	var elem reflect.Type
	if t != nil && t.Kind() == reflect.Slice {
		elem = t.Elem()
	}
	first := 0
	for first < min(len(have.items), len(want.items)) && sameNode(have.items[first], want.items[first]) {
		first++
	}
	last := 0
	for last < min(len(have.items), len(want.items))-first && sameNode(have.items[len(have.items)-1-last], want.items[len(want.items)-1-last]) {
		last++
	}
	oldPart, newPart := have.items[first:len(have.items)-last], want.items[first:len(want.items)-last]
	if len(oldPart) > 0 && len(newPart) > 0 {
		if sameID(oldPart[0], newPart[0]) {
			return e.converge(oldPart[0], newPart[0], e.itemSlot(have, first), indexPath(path, first), elem)
		}
		keeps := slices.ContainsFunc(newPart, func(n *node) bool { return sameID(oldPart[0], n) && hasID(n) })
		if keeps || len(have.items) == 1 {
			return true, e.insertItem(have, first, newPart[0], indexPath(path, first))
		}
	}
	if len(oldPart) > 0 {
		return true, e.deleteItem(have, first, indexPath(path, first))
	}
	return true, e.insertItem(have, first, newPart[0], indexPath(path, first))
}

func hasID(n *node) bool { _, ok := n.get("id"); return ok }

// sameID reports whether an entry of a list may become the other one: it has the
// same id, or neither has one.
func sameID(a, b *node) bool {
	idA, okA := a.get("id")
	idB, okB := b.get("id")
	return okA == okB && (!okA || idA.value.text == idB.value.text)
}

func (e *editor) entrySlot(parent *node, en entry) slot {
	return slot{kind: entrySlot, pos: en.pos, key: en.key, depth: en.pos.col - 1, flow: parent.flow}
}

func (e *editor) itemSlot(parent *node, i int) slot {
	if parent.flow || i >= len(parent.dashes) {
		return slot{kind: itemSlot, pos: parent.items[i].pos, flow: true}
	}
	return slot{kind: itemSlot, pos: parent.dashes[i], depth: parent.dashes[i].col - 1}
}
