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

// makeNode is a value as a tree. old is what stands there now: it gives what a
// covered secret stands for.
func makeNode(value any, old *node, t reflect.Type) (*node, error) {
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
		return makeList(v, old, t)
	case reflect.Map:
		if v.Type().Key().Kind() == reflect.String {
			return makeMapping(v, old, t)
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

func makeList(v reflect.Value, old *node, t reflect.Type) (*node, error) {
	out := &node{kind: sequenceNode}
	var elem reflect.Type
	if t != nil && t.Kind() == reflect.Slice {
		elem = t.Elem()
	}
	for i := range v.Len() {
		value := v.Index(i).Interface()
		item, err := makeNode(value, counterpart(value, i, old), elem)
		if err != nil {
			return nil, fmt.Errorf("[%d] %w", i, err)
		}
		out.items = append(out.items, item)
	}
	return out, nil
}

// counterpart is the entry of the old list that a new one continues: the one of
// the same id, or of the same number where there are no ids.
func counterpart(value any, i int, old *node) *node {
	if old == nil || old.kind != sequenceNode {
		return nil
	}
	if m, ok := value.(map[string]any); ok && m["id"] != nil {
		for _, item := range old.items {
			if id, ok := item.get("id"); ok && id.value.text == fmt.Sprint(m["id"]) {
				return item
			}
		}
		return nil
	}
	if i < len(old.items) {
		return old.items[i]
	}
	return nil
}

func makeMapping(v reflect.Value, old *node, t reflect.Type) (*node, error) {
	out := &node{kind: mappingNode}
	for _, key := range inFileOrder(sortedKeys(v), t) {
		var before *node
		if old != nil {
			if en, ok := old.get(key); ok {
				before = en.value
			}
		}
		value := v.MapIndex(reflect.ValueOf(key).Convert(v.Type().Key())).Interface()
		if value == nil {
			continue
		}
		made, err := makeNode(value, before, typeOfKey(t, key))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", key, err)
		}
		out.entries = append(out.entries, entry{key: key, value: made})
	}
	return out, nil
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
