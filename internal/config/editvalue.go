package config

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// A place is what stands where a value is to be set: in the file, and as GET of the
// configuration shows it. The two differ by defaults, variables and secrets.
type place struct {
	node    *node // in the file; nil: nothing
	shown   any   // as Print writes it
	isShown bool
	inEntry bool // inside of an entry of a list or of a mapping with free names
}

// makeNode is a value as a tree. What is the same as shown stays as it stands in the
// file, which for a default inside of an entry is not at all: then the result is nil.
func makeNode(value any, at place, t reflect.Type) (*node, error) {
	if at.isShown && sameValue(value, at.shown) {
		if at.node != nil && at.node.kind != nullNode {
			return at.node, nil
		}
		if at.inEntry {
			return nil, nil
		}
	}
	old := at.node
	switch v := value.(type) {
	case nil:
		return &node{}, nil
	case Secret:
		return textNode(v.Reveal(), old)
	case string:
		return textNode(v, old)
	case Duration:
		return &node{kind: scalarNode, style: quoted, text: v.String()}, nil
	case Size:
		return &node{kind: scalarNode, style: quoted, text: v.String()}, nil
	case json.Number:
		return &node{kind: scalarNode, text: v.String()}, nil
	}
	v := reflect.ValueOf(value)
	switch v.Kind() {
	case reflect.String:
		return textNode(v.String(), old)
	case reflect.Bool:
		return &node{kind: scalarNode, text: strconv.FormatBool(v.Bool())}, nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return &node{kind: scalarNode, text: strconv.FormatInt(v.Int(), 10)}, nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return &node{kind: scalarNode, text: strconv.FormatUint(v.Uint(), 10)}, nil
	case reflect.Float32, reflect.Float64:
		if f := v.Float(); !math.IsNaN(f) && !math.IsInf(f, 0) {
			return &node{kind: scalarNode, text: strconv.FormatFloat(f, 'f', -1, 64)}, nil
		}
	case reflect.Slice:
		return makeList(v, at, t)
	case reflect.Map:
		if v.Type().Key().Kind() == reflect.String {
			return makeMapping(v, at, t)
		}
	}
	return nil, fmt.Errorf("cannot be set to a value of this kind: give text, a number, true or false, a list or a mapping")
}

// textNode keeps what is there where the text is a covered one.
func textNode(text string, old *node) (*node, error) {
	isCovered := text == covered || strings.Contains(text, ":"+covered+"@")
	if !isCovered {
		return &node{kind: scalarNode, style: quoted, text: text}, nil
	}
	if old != nil && old.kind == scalarNode && (text == covered || coverAddress(old.text) == text) {
		return old, nil
	}
	return nil, fmt.Errorf("is given as %s, which only shows that there is a secret: give the secret itself", covered)
}

func makeList(v reflect.Value, at place, t reflect.Type) (*node, error) {
	out := &node{kind: sequenceNode}
	var elem reflect.Type
	if t != nil && t.Kind() == reflect.Slice {
		elem = t.Elem()
	}
	shown, _ := at.shown.([]any)
	for i := range v.Len() {
		value := v.Index(i).Interface()
		item, err := makeNode(value, counterpart(value, i, at.node, shown), elem)
		if err != nil {
			return nil, fmt.Errorf("[%d] %w", i, err)
		}
		if item != nil { // an entry that the server added by itself is not written
			out.items = append(out.items, item)
		}
	}
	return out, nil
}

// counterpart is the entry of the old list that a new one continues: the one of the
// same id; without ids the one that says the same, or that of the same number.
func counterpart(value any, i int, old *node, shown []any) place {
	at := place{inEntry: true}
	var items []*node
	if old != nil && old.kind == sequenceNode {
		items = old.items
	}
	if m, ok := value.(map[string]any); ok && m["id"] != nil {
		id := fmt.Sprint(m["id"])
		for j, one := range shown {
			if entry, ok := one.(map[string]any); ok && fmt.Sprint(entry["id"]) == id {
				at.shown, at.isShown = one, true
				if j < len(items) {
					at.node = items[j] // its id may be a variable in the file
				}
			}
		}
		for _, item := range items {
			if en, ok := item.get("id"); ok && en.value.text == id {
				at.node = item
			}
		}
		if at.node == nil && at.isShown && !sameValue(value, at.shown) {
			return place{} // one that the server added by itself is written as a whole
		}
		return at
	}
	if same := slices.IndexFunc(shown, func(one any) bool { return sameValue(value, one) }); same >= 0 && same < len(items) {
		i = same
	}
	if i < len(items) {
		at.node = items[i]
		if i < len(shown) {
			at.shown, at.isShown = shown[i], true
		}
	}
	return at
}

// makeMapping changes the keys that a section's value has, and replaces an entry or
// a mapping with free names as a whole. What it never showed stays in the file: a
// variable that is not set.
func makeMapping(v reflect.Value, at place, t reflect.Type) (*node, error) {
	out := &node{kind: mappingNode}
	shown, _ := at.shown.(map[string]any)
	free := t == nil || t.Kind() != reflect.Struct
	given := sortedKeys(v)
	if at.node != nil {
		for _, en := range at.node.entries {
			_, wasShown := shown[en.key]
			replaced := (free || at.inEntry) && (wasShown || !at.isShown)
			if !en.merged && !slices.Contains(given, en.key) && !replaced {
				out.entries = append(out.entries, en)
			}
		}
	}
	for _, key := range inFileOrder(given, t) {
		below := place{inEntry: at.inEntry || free}
		if at.node != nil {
			if en, ok := at.node.get(key); ok {
				below.node = en.value
			}
		}
		below.shown, below.isShown = shown[key]
		value := v.MapIndex(reflect.ValueOf(key).Convert(v.Type().Key())).Interface()
		if value == nil {
			continue
		}
		made, err := makeNode(value, below, typeOfKey(t, key))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", key, err)
		}
		if made != nil {
			out.entries = append(out.entries, entry{key: key, value: made})
		}
	}
	return out, nil
}

// sameValue compares a value that was given with one that was shown.
func sameValue(given, shown any) bool { return reflect.DeepEqual(jsonValue(given), jsonValue(shown)) }

// jsonValue is a value in the form of JSON: numbers are float64, and types of this
// package their text. A secret is never shown, so it is like nothing else.
func jsonValue(value any) any {
	switch v := value.(type) {
	case Secret:
		return v
	case Duration:
		return v.String()
	case Size:
		return v.String()
	case json.Number:
		f, _ := v.Float64()
		return f
	}
	v := reflect.ValueOf(value)
	switch v.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return float64(v.Int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return float64(v.Uint())
	case reflect.Float32:
		return v.Float()
	case reflect.Slice:
		list := make([]any, v.Len())
		for i := range list {
			list[i] = jsonValue(v.Index(i).Interface())
		}
		return list
	case reflect.Map:
		m := make(map[string]any, v.Len())
		for it := v.MapRange(); it.Next(); {
			m[fmt.Sprint(it.Key().Interface())] = jsonValue(it.Value().Interface())
		}
		return m
	}
	return value
}

// inFileOrder sorts keys as the struct declares them; unknown ones come last.
func inFileOrder(keys []string, t reflect.Type) []string {
	if t == nil || t.Kind() != reflect.Struct {
		return keys
	}
	place := func(key string) int {
		if f, ok := fieldsOf(t).byName[key]; ok {
			return f.index
		}
		return math.MaxInt
	}
	slices.SortStableFunc(keys, func(a, b string) int { return place(a) - place(b) })
	return keys
}
