package config

import (
	"reflect"
	"slices"
	"strings"
)

// Change is one key that differs between two configurations. From and To are as
// config.yml would say them, secrets covered (two secrets that differ both show
// "***"); "" is absent.
type Change struct {
	Key  string
	From string
	To   string
}

// String is "sub_agent.max_tasks: 5 → 8".
func (c Change) String() string {
	from, to := c.From, c.To
	if from == "" {
		from = "(absent)"
	}
	if to == "" {
		to = "(absent)"
	}
	return c.Key + ": " + from + " → " + to
}

// Diff is what differs from a to b, in the order in which keys are declared.
// Entries of lists are told apart by their id where they have one.
func Diff(a, b *Config) []Change {
	d := differ{a: renderer{meta: a.meta}, b: renderer{meta: b.meta}}
	d.compare(side{reflect.ValueOf(a).Elem(), ""}, side{reflect.ValueOf(b).Elem(), ""}, "")
	return d.changes
}

type differ struct {
	a, b    renderer
	changes []Change
}

// A side is a value with its path in its own configuration. An invalid value is absent.
type side struct {
	v    reflect.Value
	path string
}

func (s side) child(v reflect.Value, path string) side { return side{v, path} }

func (d *differ) compare(a, b side, key string) {
	if !a.v.IsValid() || !b.v.IsValid() {
		d.change(a, b, key)
		return
	}
	switch a.v.Kind() {
	case reflect.Struct:
		for _, f := range fieldsOf(a.v.Type()).list {
			d.compare(
				a.child(a.v.Field(f.index), joinPath(a.path, f.name)),
				b.child(b.v.Field(f.index), joinPath(b.path, f.name)),
				joinPath(key, f.name))
		}
	case reflect.Map:
		keys := append(sortedKeys(a.v), sortedKeys(b.v)...)
		slices.Sort(keys)
		for _, k := range slices.Compact(keys) {
			name := reflect.ValueOf(k)
			d.compare(
				a.child(a.v.MapIndex(name), joinPath(a.path, k)),
				b.child(b.v.MapIndex(name), joinPath(b.path, k)),
				joinPath(key, k))
		}
	case reflect.Slice:
		if a.v.Type().Elem().Kind() == reflect.Struct {
			d.compareLists(a, b, key)
			return
		}
		if !(a.v.Len() == 0 && b.v.Len() == 0) && !reflect.DeepEqual(a.v.Interface(), b.v.Interface()) {
			d.change(a, b, key)
		}
	default:
		if !reflect.DeepEqual(a.v.Interface(), b.v.Interface()) {
			d.change(a, b, key)
		}
	}
}

func (d *differ) compareLists(a, b side, key string) {
	namesA, namesB := elementNames(a.v), elementNames(b.v)
	all := append(slices.Clone(namesA), namesB...)
	for i, name := range all {
		if slices.Index(all, name) != i {
			continue
		}
		d.compare(a.element(namesA, name), b.element(namesB, name), key+"["+name+"]")
	}
	var common [2][]string
	for i, names := range [][]string{namesA, namesB} {
		for _, n := range names {
			if slices.Contains(namesA, n) && slices.Contains(namesB, n) {
				common[i] = append(common[i], n)
			}
		}
	}
	if !slices.Equal(common[0], common[1]) {
		d.changes = append(d.changes, Change{key, "[" + strings.Join(namesA, ", ") + "]", "[" + strings.Join(namesB,
			", ") + "]"})
	}
}

func (s side) element(names []string, name string) side {
	i := slices.Index(names, name)
	if i < 0 {
		return side{}
	}
	return side{s.v.Index(i), indexPath(s.path, i)}
}

// elementNames is the ids of a list's structs, or their numbers where they have none.
func elementNames(list reflect.Value) []string {
	id, hasID := fieldsOf(list.Type().Elem()).byName["id"]
	names := make([]string, list.Len())
	for i := range names {
		if hasID {
			names[i] = list.Index(i).Field(id.index).String()
		} else {
			names[i] = indexPath("", i)
			names[i] = names[i][1 : len(names[i])-1]
		}
	}
	return names
}

func (d *differ) change(a, b side, key string) {
	c := Change{Key: key}
	last := key[strings.LastIndexByte(key, '.')+1:]
	if a.v.IsValid() {
		c.From = onOneLine(d.a.element(last, a.v, a.path))
	}
	if b.v.IsValid() {
		c.To = onOneLine(d.b.element(last, b.v, b.path))
	}
	d.changes = append(d.changes, c)
}
