package config

import (
	"reflect"
	"strings"
	"sync"
)

// A field is a key of a struct, as its tags describe it.
type field struct {
	index       int
	name        string
	doc         string
	rules       rules
	restart     bool
	envOptional bool
	typ         reflect.Type
}

// A fieldSet is the keys of a struct in the order in which they are declared.
type fieldSet struct {
	list   []field
	byName map[string]field
}

var fieldSets sync.Map // reflect.Type → *fieldSet

func fieldsOf(t reflect.Type) *fieldSet {
	if set, ok := fieldSets.Load(t); ok {
		return set.(*fieldSet)
	}
	set := &fieldSet{byName: map[string]field{}}
	for i := range t.NumField() {
		sf := t.Field(i)
		name, _, _ := strings.Cut(sf.Tag.Get("yaml"), ",")
		if !sf.IsExported() || name == "" || name == "-" {
			continue
		}
		f := field{
			index:       i,
			name:        name,
			doc:         sf.Tag.Get("doc"),
			rules:       parseRules(sf.Tag.Get("check"), sf.Type),
			restart:     sf.Tag.Get("reload") == "restart",
			envOptional: sf.Tag.Get("env") == "optional",
			typ:         sf.Type,
		}
		set.list = append(set.list, f)
		set.byName[name] = f
	}
	actual, _ := fieldSets.LoadOrStore(t, set)
	return actual.(*fieldSet)
}
