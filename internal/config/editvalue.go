package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

// merge is what stands at the place when it is given a value. What is given as it is
// shown stays as it stands in the file, which for a default inside of a larger value is
// not at all: then the result is nil.
func (p place) merge(value any) (*yaml.Node, error) {
	if p.isShown && reflect.DeepEqual(value, p.shown) {
		if !isNull(p.node) {
			return p.node, nil
		}
		if p.inEntry || p.inValue {
			return nil, nil
		}
	}
	if p.isShared() {
		return nil, errByHand
	}
	switch v := value.(type) {
	case string:
		return p.text(v)
	case bool:
		return p.inPlace(scalarNode("", strconv.FormatBool(v))), nil
	case float64:
		return p.inPlace(scalarNode("", strconv.FormatFloat(v, 'f', -1, 64))), nil
	case []any:
		return p.list(v)
	case map[string]any:
		return p.mapping(v)
	default: // null in a list
		return scalarNode(nullTag, "null"), nil
	}
}

// text keeps the quotes that stand there, and a text that only shows a secret.
func (p place) text(text string) (*yaml.Node, error) {
	if isRedacted(text) {
		if p.node != nil && p.node.Kind == yaml.ScalarNode && (text == covered || coverAddress(p.node.Value) == text) {
			return p.node, nil
		}
		return nil, fmt.Errorf("is given as %s, which only shows that there is a secret: give the secret itself",
			covered)
	}
	n := scalarNode(textTag, text)
	if p.node != nil && p.node.Kind == yaml.ScalarNode {
		n.Style = p.node.Style & (yaml.SingleQuotedStyle | yaml.DoubleQuotedStyle)
	}
	if strings.Contains(strings.TrimRight(text, "\n"), "\n") {
		n.Style = yaml.LiteralStyle
	}
	return p.inPlace(n), nil
}

func (p place) list(values []any) (*yaml.Node, error) {
	n := p.container(yaml.SequenceNode)
	places := p.counterparts(values)
	items := make([]*yaml.Node, 0, len(values))
	areSingle := true
	for i, value := range values {
		places[i].inEntry = true
		item, err := places[i].merge(value)
		if err != nil {
			return nil, fmt.Errorf("[%d] %w", i, err)
		}
		if item != nil { // an entry that the server added by itself is not written
			items = append(items, item)
			areSingle = areSingle && item.Kind == yaml.ScalarNode
		}
	}
	if len(n.Content) == 0 && areSingle || len(items) == 0 {
		n.Style = yaml.FlowStyle
	}
	n.Content = items
	return n, nil
}

// counterparts is the entries of the old list that new ones continue: those of the
// same id; without ids those that say the same, or those of the same number.
func (p place) counterparts(values []any) []place {
	places := make([]place, len(values))
	var old []*yaml.Node
	if p.node != nil && p.node.Kind == yaml.SequenceNode {
		old = p.node.Content
	}
	shown, _ := p.shown.([]any)
	used := map[int]bool{}
	take := func(i, j int) {
		used[j] = true
		if j < len(old) {
			places[i] = p.element(j)
		} else if j < len(shown) && reflect.DeepEqual(values[i], shown[j]) {
			places[i].shown, places[i].isShown = shown[j], true // the server added it
		}
	}
	for i, value := range values {
		places[i] = place{t: elementType(p.t)}
		if j := p.counterpart(value, i, used); j >= 0 {
			take(i, j)
		}
	}
	for i, value := range values {
		if places[i].node == nil && !places[i].isShown && idOf(value) == "" && i < len(old) && !used[i] {
			take(i, i)
		}
	}
	return places
}

// counterpart is the index of the entry that a value at i continues: that of its id, or an
// unused one that says the same, best at the same place; -1: none.
func (p place) counterpart(value any, i int, used map[int]bool) int {
	if id := idOf(value); id != "" {
		if j := p.itemByID(id); !used[j] {
			return j
		}
		return -1
	}
	shown, _ := p.shown.([]any)
	same := func(j int) bool { return j < len(shown) && !used[j] && reflect.DeepEqual(value, shown[j]) }
	if same(i) {
		return i
	}
	for j := range shown {
		if same(j) {
			return j
		}
	}
	return -1
}

// mapping changes the keys that a section's value has, and replaces an entry or a
// mapping with free names as a whole. What it never showed stays in the file: a
// variable that is not set.
func (p place) mapping(values map[string]any) (*yaml.Node, error) {
	n := p.container(yaml.MappingNode)
	shown, _ := p.shown.(map[string]any)
	isFree := p.t == nil || p.t.Kind() != reflect.Struct
	if p.inEntry || isFree {
		for i := len(n.Content) - 2; i >= 0; i -= 2 {
			name := n.Content[i].Value
			_, isGiven := values[name]
			_, wasShown := shown[name]
			if !isGiven && (wasShown || !p.isShown) && n.Content[i].ShortTag() != mergeTag {
				n.Content = slices.Delete(n.Content, i, i+2)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		below := p.key(name)
		below.inEntry, below.inValue = p.inEntry || isFree, true
		if below.node == nil && values[name] == nil {
			continue
		}
		made, err := below.change(nil, values[name])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		p.set(n, name, made)
	}
	if len(n.Content) == 0 {
		n.Style = yaml.FlowStyle
	}
	return n, nil
}

// plain is a value in the form of JSON: numbers are float64, and types of this
// package their text.
func plain(value any) (any, error) {
	if secret, ok := value.(Secret); ok {
		return secret.Reveal(), nil
	}
	data, err := json.Marshal(value)
	var made any
	if err == nil {
		err = json.Unmarshal(data, &made)
	}
	if err != nil || reflect.ValueOf(value).Kind() == reflect.Struct {
		return nil, errors.New("cannot be set to a value of this kind: " +
			"give text, a number, true or false, a list or a mapping")
	}
	return made, nil
}
