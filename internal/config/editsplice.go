package config

import (
	"bytes"
	"reflect"
	"strings"
)

// replaceValue puts another value in the place of one.
func (e *editor) replaceValue(have, want *node, s slot, path string) error {
	sp, ok := e.find(have, s)
	if !ok {
		return e.byHand(path, s.pos)
	}
	if s.flow || want.fitsOnLine() {
		text := want.inline(e.quoteAt(sp.start))
		restOfLine := e.text[sp.end:e.lineEnd(sp.end)]
		if sp.below {
			restOfLine = e.text[sp.after:sp.start]
		}
		if !s.flow && len(bytes.TrimSpace(restOfLine)) == 0 && want.fitsLiteral() {
			text = strings.Join(want.literal(s.depth+2), e.eol)
		}
		if sp.below {
			return e.apply(path, s.pos, splice{sp.after, sp.after, " " + text}, splice{sp.start, sp.end, ""})
		}
		if sp.start == sp.after && !(s.flow && s.kind == itemSlot) {
			text = " " + text
		}
		return e.apply(path, s.pos, splice{sp.start, sp.end, text})
	}
	lines := want.block(s.depth + 2)
	if s.kind == itemSlot {
		lines[0] = " " + strings.TrimLeft(lines[0], " ")
		return e.apply(path, s.pos, splice{sp.after, sp.end, strings.Join(lines, e.eol)})
	}
	text := e.eol + strings.Join(lines, e.eol)
	switch {
	case sp.below:
		return e.apply(path, s.pos, splice{sp.start, sp.end, text})
	case bytes.ContainsRune(e.text[sp.start:sp.end], '\n'):
		return e.apply(path, s.pos, splice{sp.after, sp.end, text})
	default: // a comment behind the old value stays on the line of the key
		end := e.lineEnd(sp.end)
		return e.apply(path, s.pos, splice{sp.after, sp.end, ""}, splice{end, end, text})
	}
}

// quoteAt is the quote character that stands at a place; 0 for none.
func (e *editor) quoteAt(i int) byte {
	if i < len(e.text) && (e.text[i] == '"' || e.text[i] == '\'') {
		return e.text[i]
	}
	return 0
}

// appendToFile writes the keys of a file that has none.
func (e *editor) appendToFile(want *node) error {
	text := strings.Join(want.block(0), e.eol) + e.eol
	if n := len(e.text); n > 0 && e.text[n-1] != '\n' {
		text = e.eol + text
	}
	return e.apply("", position{}, splice{len(e.text), len(e.text), text})
}

// addEntry writes a key that is missing, behind the one that is declared before it.
func (e *editor) addEntry(parent *node, en entry, path string, t reflect.Type) error {
	if parent.flow {
		last := parent.entries[len(parent.entries)-1]
		sp, ok := e.find(last.value, e.entrySlot(parent, last))
		if !ok || last.merged {
			return e.byHand(path, parent.pos)
		}
		return e.apply(path, parent.pos, splice{sp.end, sp.end, ", " + yamlText(en.key) + ": " + en.value.inline(0)})
	}
	before, ok := e.entryBefore(parent, en.key, t)
	if !ok {
		return e.byHand(path, parent.pos)
	}
	s := e.entrySlot(parent, before)
	end, ok := e.slotEnd(before.value, s)
	if !ok {
		return e.byHand(path, s.pos)
	}
	lines := (&node{kind: mappingNode, entries: []entry{en}}).block(s.depth)
	return e.apply(path, s.pos, splice{end, end, e.eol + strings.Join(lines, e.eol)})
}

// entryBefore is the entry behind which a new key is written.
func (e *editor) entryBefore(parent *node, key string, t reflect.Type) (before entry, ok bool) {
	place := -1
	if t != nil && t.Kind() == reflect.Struct {
		if f, known := fieldsOf(t).byName[key]; known {
			place = f.index
		}
	}
	best := -1
	for _, en := range parent.entries {
		if en.merged {
			continue
		}
		at := -1
		if place >= 0 {
			if f, known := fieldsOf(t).byName[en.key]; known && f.index < place {
				at = f.index
			}
		}
		if !ok || place < 0 || at > best {
			before, ok, best = en, true, at
		}
	}
	return before, ok
}

func (e *editor) deleteEntry(parent *node, i int, path string) error {
	en := parent.entries[i]
	s := e.entrySlot(parent, en)
	sp, ok := e.find(en.value, s)
	start := e.offset(en.pos)
	if !ok || en.merged || start < 0 {
		return e.byHand(path, en.pos)
	}
	if i+1 < len(parent.entries) && (parent.flow || !e.isFirstOnLine(start)) {
		return e.apply(path, en.pos, splice{start, e.offset(parent.entries[i+1].pos), ""})
	}
	if parent.flow {
		if i > 0 {
			if before, ok := e.find(parent.entries[i-1].value, e.entrySlot(parent, parent.entries[i-1])); ok {
				start = before.end
			}
		}
		return e.apply(path, en.pos, splice{start, sp.end, ""})
	}
	end, _ := e.slotEnd(en.value, s)
	if !e.isFirstOnLine(start) {
		return e.apply(path, en.pos, splice{start, end, "{}"})
	}
	return e.apply(path, en.pos, splice{e.lines[en.pos.line-1], e.nextLine(end), ""})
}

func (e *editor) insertItem(parent *node, at int, item *node, path string) error {
	if parent.flow {
		if at == 0 {
			i := e.offset(parent.items[0].pos)
			if i < 0 {
				return e.byHand(path, parent.pos)
			}
			return e.apply(path, parent.pos, splice{i, i, item.inline(0) + ", "})
		}
		sp, ok := e.find(parent.items[at-1], e.itemSlot(parent, at-1))
		if !ok {
			return e.byHand(path, parent.pos)
		}
		return e.apply(path, parent.pos, splice{sp.end, sp.end, ", " + item.inline(0)})
	}
	near := max(at-1, 0)
	s := e.itemSlot(parent, near)
	indent := strings.Repeat(" ", s.depth)
	lines := item.block(s.depth + 2)
	lines[0] = "- " + strings.TrimLeft(lines[0], " ")
	text := strings.Join(lines, e.eol)
	if at == 0 {
		i := e.offset(s.pos)
		if i < 0 {
			return e.byHand(path, s.pos)
		}
		return e.apply(path, s.pos, splice{i, i, text + e.eol + indent})
	}
	end, ok := e.slotEnd(parent.items[near], s)
	if !ok {
		return e.byHand(path, s.pos)
	}
	return e.apply(path, s.pos, splice{end, end, e.eol + indent + text})
}

func (e *editor) deleteItem(parent *node, i int, path string) error {
	s := e.itemSlot(parent, i)
	sp, ok := e.find(parent.items[i], s)
	start := e.offset(s.pos)
	if !ok || start < 0 {
		return e.byHand(path, s.pos)
	}
	if s.flow {
		switch {
		case i+1 < len(parent.items):
			return e.apply(path, s.pos, splice{start, e.offset(parent.items[i+1].pos), ""})
		case i > 0:
			if before, ok := e.find(parent.items[i-1], e.itemSlot(parent, i-1)); ok {
				start = before.end
			}
		}
		return e.apply(path, s.pos, splice{start, sp.end, ""})
	}
	if !e.isFirstOnLine(start) {
		return e.byHand(path, s.pos)
	}
	end, _ := e.slotEnd(parent.items[i], s)
	return e.apply(path, s.pos, splice{e.lines[s.pos.line-1], e.nextLine(end), ""})
}

func (e *editor) isFirstOnLine(i int) bool {
	start := bytes.LastIndexByte(e.text[:i], '\n') + 1
	return len(bytes.TrimLeft(bytes.TrimPrefix(e.text[start:i], utf8BOM), " \t")) == 0
}

// nextLine is the beginning of the line behind the one that ends at i.
func (e *editor) nextLine(i int) int {
	if n := bytes.IndexByte(e.text[i:], '\n'); n >= 0 {
		return i + n + 1
	}
	return len(e.text)
}
