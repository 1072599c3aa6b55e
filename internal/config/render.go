package config

import (
	"bytes"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
)

// Print writes the configuration in force as YAML, with secrets covered and a
// comment behind every value that says where it comes from.
func (c *Config) Print(w io.Writer) error {
	r := renderer{meta: c.meta, behind: func(path string) string { return string(c.Origin(path)) }}
	r.fields(reflect.ValueOf(c).Elem(), "", 0)
	if _, err := io.WriteString(w, r.b.String()); err != nil {
		return fmt.Errorf("print configuration: %w", err)
	}
	return nil
}

// Tree is what Print writes, as maps, lists and single values.
func (c *Config) Tree() (map[string]any, error) {
	var text bytes.Buffer
	if err := c.Print(&text); err != nil {
		return nil, err
	}
	var tree map[string]any
	if err := yaml.Unmarshal(text.Bytes(), &tree); err != nil {
		return nil, fmt.Errorf("read the printed configuration: %w", err)
	}
	return tree, nil
}

// A renderer writes values as YAML in block style, keys in the order in which
// they are declared.
type renderer struct {
	b      strings.Builder
	meta   *meta
	above  func(path string, f field, depth int) // writes what stands before a key
	behind func(path string) string              // comment behind a value; "" for none
	below  func(path string, depth int)          // writes what stands after a key
}

func (r *renderer) indent(depth int) { r.b.WriteString(strings.Repeat("  ", depth)) }

// fields writes every key of a struct.
func (r *renderer) fields(v reflect.Value, path string, depth int) {
	for _, f := range fieldsOf(v.Type()).list {
		if !f.isOffered() {
			continue // it has its default, and nothing else is possible
		}
		p := joinPath(path, f.name)
		if r.above != nil {
			r.above(p, f, depth)
		}
		r.indent(depth)
		r.value(f.name, v.Field(f.index), p, depth)
		if r.below != nil {
			r.below(p, depth)
		}
	}
}

// value writes "name: value"; what comes before name on the line is there already.
func (r *renderer) value(name string, v reflect.Value, path string, depth int) {
	r.b.WriteString(yamlText(name) + ":")
	switch {
	case v.Kind() == reflect.Struct:
		r.b.WriteByte('\n')
		r.fields(v, path, depth+1)
	case v.Kind() == reflect.Map && v.Len() > 0 && !isLeafList(v):
		r.b.WriteByte('\n')
		r.entries(v, path, depth+1)
	case v.Kind() == reflect.Slice && v.Len() > 0 && !isLeafList(v):
		r.b.WriteByte('\n')
		for i := range v.Len() {
			r.indent(depth + 1)
			r.b.WriteString("- ")
			r.sparse(v.Index(i), indexPath(path, i), depth+2)
		}
	default:
		r.b.WriteString(" " + r.named(name, v, path))
		if r.behind != nil {
			if comment := r.behind(path); comment != "" {
				r.b.WriteString("  # " + comment)
			}
		}
		r.b.WriteByte('\n')
	}
}

// entries writes a map, whose names the user chose.
func (r *renderer) entries(v reflect.Value, path string, depth int) {
	for _, key := range sortedKeys(v) {
		entry, p := v.MapIndex(reflect.ValueOf(key)), joinPath(path, key)
		r.indent(depth)
		if entry.Kind() != reflect.Struct {
			r.value(key, entry, p, depth)
			continue
		}
		r.b.WriteString(yamlText(key) + ":\n")
		r.indent(depth + 1)
		r.sparse(entry, p, depth+1)
	}
}

// sparse writes the keys of a list's or map's entry that say something. The
// indentation of the first one is there already.
func (r *renderer) sparse(v reflect.Value, path string, depth int) {
	byDefault := newElement(v.Type())
	first := true
	for _, f := range fieldsOf(v.Type()).list {
		if v.Field(f.index).IsZero() && byDefault.Field(f.index).IsZero() {
			continue
		}
		if !first {
			r.indent(depth)
		}
		first = false
		r.value(f.name, v.Field(f.index), joinPath(path, f.name), depth)
	}
	if first {
		r.b.WriteString("{}\n")
	}
}

// isLeafList reports whether a list or map fits on one line: single values, or
// arguments that only a tool understands.
func isLeafList(v reflect.Value) bool {
	elem := v.Type().Elem()
	return elem.Kind() == reflect.Interface || v.Kind() == reflect.Slice && elem.Kind() != reflect.Struct
}

// flow is a value on one line.
func (r *renderer) flow(v reflect.Value, path string) string {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return "null"
		}
		return r.flow(v.Elem(), path)
	case reflect.Slice:
		parts := make([]string, v.Len())
		for i := range parts {
			parts[i] = r.flow(v.Index(i), indexPath(path, i))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case reflect.Map:
		parts := make([]string, 0, v.Len())
		for _, key := range sortedKeys(v) {
			parts = append(parts, yamlText(key)+": "+r.named(key, v.MapIndex(reflect.ValueOf(key)), joinPath(path, key)))
		}
		return flowMapping(parts)
	case reflect.Struct:
		var parts []string
		for _, f := range fieldsOf(v.Type()).list {
			if fv := v.Field(f.index); !fv.IsZero() {
				parts = append(parts, f.name+": "+r.flow(fv, joinPath(path, f.name)))
			}
		}
		return flowMapping(parts)
	case reflect.String:
		return yamlText(escapeDollar(r.meta.shown(v, path)))
	default:
		return r.meta.shown(v, path)
	}
}

// named is flow for a value under a name that the user chose.
func (r *renderer) named(name string, v reflect.Value, path string) string {
	for v.Kind() == reflect.Interface && !v.IsNil() {
		v = v.Elem()
	}
	if isFreeName(path) && soundsSecret(name) && v.Kind() == reflect.String && v.Len() > 0 {
		return yamlText(covered)
	}
	return r.flow(v, path)
}

func flowMapping(parts []string) string {
	if len(parts) == 0 {
		return "{}"
	}
	return "{ " + strings.Join(parts, ", ") + " }"
}

// escapeDollar keeps a text that holds ${ or $$ from being read as a variable.
func escapeDollar(text string) string {
	text = strings.ReplaceAll(text, "$$", "$$$$")
	return strings.ReplaceAll(text, "${", "$${")
}

// yamlText is a text as a YAML scalar: plain where no reader could take it for
// something else, in a list or mapping on one line too; in double quotes otherwise.
func yamlText(text string) string {
	if isPlainSafe(text) {
		return text
	}
	return doubleQuoted(text)
}

func doubleQuoted(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, c := range text {
		switch {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteRune(c)
		case c == '\n':
			b.WriteString(`\n`)
		case c == '\t':
			b.WriteString(`\t`)
		case c == '\r':
			b.WriteString(`\r`)
		case c > 0xffff && !strconv.IsPrint(c):
			fmt.Fprintf(&b, `\U%08X`, c)
		case !strconv.IsPrint(c):
			fmt.Fprintf(&b, `\u%04X`, c)
		default:
			b.WriteRune(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

var ambiguousWords = []string{"null", "~", "yes", "no", "on", "off", "y", "n", ".inf", "-.inf", ".nan", "<<"}

func isPlainSafe(text string) bool {
	if text == "" || strings.HasSuffix(text, ":") || slices.Contains(ambiguousWords, strings.ToLower(text)) {
		return false
	}
	if _, isText := plainValue(text).(string); !isText {
		return false
	}
	for i, c := range text {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '/' || c == '.'
		inside := c >= '0' && c <= '9' || i > 0 && strings.ContainsRune("-:@%+=~", c)
		if !letter && !inside {
			return i > 0 && c == ' ' && !strings.HasSuffix(text, " ") && isPlainPhrase(text)
		}
	}
	return true
}

// isPlainPhrase reports whether a text with spaces is words and nothing else.
func isPlainPhrase(text string) bool {
	return !strings.ContainsFunc(text, func(c rune) bool {
		return c != ' ' && c != '-' && c != '.' && c != '/' && !(c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z')
	}) && !strings.Contains(text, " -")
}
