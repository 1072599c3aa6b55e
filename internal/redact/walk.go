package redact

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
)

// Value redacts secrets in the strings of a decoded JSON value, keys included; the
// name of a field counts as in a text: {"password": "…"}. It changes nothing in
// place: where something is found it returns a copy, else the value itself. Other
// Go values (structs, typed maps) are read in their JSON form, and come back in
// it where something is found.
func (r *Redactor) Value(value any) any {
	redacted, _ := r.rules.Load().walk("", value)
	return redacted
}

// walk redacts a value that stands under a name.
func (r *ruleSet) walk(name string, value any) (redacted any, changed bool) {
	switch v := value.(type) {
	case nil, bool:
		return v, false
	case string:
		s := r.field(name, v)
		return s, s != v
	case []byte:
		b := r.bytes(v)
		return b, !bytes.Equal(b, v)
	case json.Number:
		return r.number(name, v, string(v))
	case float64:
		return r.number(name, v, strconv.FormatFloat(v, 'f', -1, 64))
	case int:
		return r.number(name, v, strconv.Itoa(v))
	case int64:
		return r.number(name, v, strconv.FormatInt(v, 10))
	case map[string]any:
		return r.object(v)
	case []any:
		return r.list(name, v)
	case json.RawMessage:
		redacted, changed := r.encoded(name, v)
		if raw, err := json.Marshal(redacted); changed && err == nil {
			return json.RawMessage(raw), true
		}
		return v, false
	}
	return r.other(name, value)
}

// number redacts a number whose digits are a secret; the place then holds a string.
func (r *ruleSet) number(name string, value any, digits string) (any, bool) {
	if s := r.field(name, digits); s != digits {
		return s, true
	}
	return value, false
}

func (r *ruleSet) object(object map[string]any) (any, bool) {
	var out map[string]any
	named := pairName(object)
	for key, value := range object {
		name := r.string(key)
		meaning := key
		if named != "" && (key == "value" || key == "Value") {
			meaning = named
		}
		redacted, changed := r.walk(meaning, value)
		if out == nil && (changed || name != key) {
			out = make(map[string]any, len(object))
			for k, v := range object {
				out[k] = v
			}
		}
		if name != key {
			delete(out, key)
			out[free(out, name)] = redacted
		} else if changed {
			out[key] = redacted
		}
	}
	if out == nil {
		return object, false
	}
	return out, true
}

// pairName is the name in {"name": "DB_PASSWORD", "value": …}, or empty.
func pairName(object map[string]any) string {
	for _, key := range [...]string{"name", "Name", "key", "Key"} {
		if name, ok := object[key].(string); ok {
			return name
		}
	}
	return ""
}

// free is a key that the object does not have yet: two secrets as keys must not
// make one entry.
func free(object map[string]any, key string) string {
	name := key
	for i := 2; ; i++ {
		if _, taken := object[name]; !taken {
			return name
		}
		name = key + " (" + strconv.Itoa(i) + ")"
	}
}

func (r *ruleSet) list(name string, list []any) (any, bool) {
	var out []any
	for i, value := range list {
		redacted, changed := r.walk(name, value)
		if !changed {
			continue
		}
		if out == nil {
			out = append(out, list...)
		}
		out[i] = redacted
	}
	if out == nil {
		return list, false
	}
	return out, true
}

func (r *ruleSet) encoded(name string, raw json.RawMessage) (any, bool) {
	var value any
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		s := r.string(string(raw))
		return s, s != string(raw)
	}
	redacted, changed := r.walk(name, value)
	if !changed {
		return raw, false
	}
	return redacted, true
}

func (r *ruleSet) other(name string, value any) (any, bool) {
	switch reflect.ValueOf(value).Kind() {
	case reflect.Struct, reflect.Pointer, reflect.Map, reflect.Slice, reflect.Array, reflect.String:
	case reflect.Chan, reflect.Func, reflect.Complex64, reflect.Complex128, reflect.UnsafePointer:
		return r.walk(name, fmt.Sprint(value))
	default:
		return r.number(name, value, fmt.Sprint(value))
	}
	raw, err := json.Marshal(value)
	if err != nil {
		return r.string(fmt.Sprintf("%+v", value)), true
	}
	redacted, changed := r.encoded(name, raw)
	if !changed {
		return value, false
	}
	return redacted, true
}
