package config

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// A checker looks at a whole Config and notes what breaks a rule, at the place
// where it was said.
type checker struct {
	meta     *meta
	problems Problems
}

// check is everything that is wrong with the values of c.
func check(c *Config) Problems {
	ch := &checker{meta: c.meta}
	if ch.meta == nil {
		ch.meta = newMeta()
	}
	ch.walk(reflect.ValueOf(c).Elem(), "", rules{})
	ch.checkServer(c)
	ch.checkModels(c)
	ch.checkSchedules(c)
	ch.checkTemplates(c)
	ch.checkTools(c)
	ch.checkConnections(c)
	return ch.problems
}

// problem notes one problem per path: the first is the cause, others follow from it.
func (ch *checker) problem(path, message string) {
	if slices.ContainsFunc(ch.problems, func(p Problem) bool { return p.Key == path }) {
		return
	}
	ch.problems = append(ch.problems, problemAt(ch.meta.nearest(path), path, message))
}

// walk holds every value against the rules of its key's tag.
func (ch *checker) walk(v reflect.Value, path string, r rules) {
	switch v.Kind() {
	case reflect.Struct:
		for _, f := range fieldsOf(v.Type()).list {
			ch.walk(v.Field(f.index), joinPath(path, f.name), f.rules)
		}
	case reflect.Slice:
		for i := range v.Len() {
			ch.walk(v.Index(i), indexPath(path, i), r)
		}
	case reflect.Map:
		for _, key := range sortedKeys(v) {
			p := joinPath(path, key)
			if r.keys != nil && !slices.Contains(r.keys, key) {
				ch.problem(p, "is not a key that exists: use "+orList(r.keys))
			}
			if r.keyName && !namePattern.MatchString(key) {
				ch.problem(p, "is not a usable name: letters, digits, dots, dashes and underscores, at most 64")
			}
			ch.walk(v.MapIndex(reflect.ValueOf(key)), p, r)
		}
	case reflect.Pointer:
		if !v.IsNil() {
			ch.walk(v.Elem(), path, r)
		}
	case reflect.Interface: // only a tool knows what its arguments may be
	default:
		if err := r.check(v, ch.quotable(v, path)); err != nil {
			ch.problem(path, err.Error())
		}
	}
}

// quotable is how a value may be named in a message; "" where it may not: a
// secret, a value from the environment, something long.
func (ch *checker) quotable(v reflect.Value, path string) string {
	if _, fromEnv := ch.meta.variables[path]; fromEnv || v.Type() == secretType {
		return ""
	}
	text := plainText(v)
	if len(text) > 60 || strings.ContainsRune(text, '@') {
		return ""
	}
	return text
}

// plainText is a single value as config.yml would say it, not covered.
func plainText(v reflect.Value) string {
	switch {
	case v.Type() == durationType:
		return Duration(v.Int()).String()
	case v.Type() == sizeType:
		return Size(v.Int()).String()
	}
	switch v.Kind() {
	case reflect.Bool:
		return strconv.FormatBool(v.Bool())
	case reflect.Int, reflect.Int64:
		return strconv.FormatInt(v.Int(), 10)
	case reflect.Float64:
		return strconv.FormatFloat(v.Float(), 'g', -1, 64)
	default:
		return v.String()
	}
}

func sortedKeys(m reflect.Value) []string {
	keys := make([]string, 0, m.Len())
	for it := m.MapRange(); it.Next(); {
		keys = append(keys, it.Key().String())
	}
	slices.Sort(keys)
	return keys
}
