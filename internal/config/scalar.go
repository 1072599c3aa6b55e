package config

import (
	"errors"
	"reflect"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

// text is a scalar's text with its variables replaced. It is false where a
// variable is missing, which is noted.
func (d *decoder) text(n *yaml.Node, path string, at *yaml.Node) (text string, expanded, ok bool) {
	if !strings.Contains(n.Value, "$") {
		return n.Value, false, true
	}
	out, err := expand(n.Value, d.env)
	if err != nil {
		d.problem(at, path, "%s", err)
		return "", true, false
	}
	for _, name := range out.used {
		_, isSecret := d.meta.secrets[name]
		d.meta.variables[path] = d.meta.variables[path] || isSecret || soundsSecret(name)
	}
	if d.optional && out.text == "" {
		out.missing = append(out.missing, out.used...)
	}
	if len(out.missing) == 0 {
		if len(out.used) == 1 && n.Value == "${"+out.used[0]+"}" {
			d.meta.references[path] = n.Value
		}
		return out.text, len(out.used) > 0, true
	}
	if d.optional {
		d.missing = append(d.missing, out.missing...)
		return "", true, false
	}
	for _, name := range out.missing {
		d.problem(at, path, "needs the environment variable %[1]s, which is not set: "+
			"set it, or write ${%[1]s:-default}", name)
	}
	return "", true, false
}

// assign sets a single value from its text. canBeNumber is false for what is written
// in quotes; isWord says that the text stands in the file without quotes.
func assign(v reflect.Value, text string, canBeNumber, isWord bool) (err error) {
	var whole int64
	switch v.Type() {
	case durationType:
		var d Duration
		d, err = ParseDuration(text)
		whole = int64(d)
	case sizeType:
		var s Size
		s, err = ParseSize(text)
		whole = int64(s)
	default:
		return assignKind(v, text, canBeNumber, isWord)
	}
	if err == nil {
		v.SetInt(whole)
	}
	return err
}

func assignKind(v reflect.Value, text string, canBeNumber, isWord bool) error {
	switch v.Kind() {
	case reflect.String:
		if _, isBool := boolWord(text); isBool && isWord {
			return errors.New("has to be text: put it in quotes if the word is meant")
		}
		v.SetString(text)
	case reflect.Bool:
		b, known := boolWord(text)
		if !known || !canBeNumber {
			return errors.New("has to be true or false")
		}
		v.SetBool(b)
	case reflect.Int:
		i, err := strconv.ParseInt(text, 10, strconv.IntSize)
		if err != nil || !canBeNumber {
			return errors.New("has to be a whole number, without quotes or unit")
		}
		v.SetInt(i)
	case reflect.Float64:
		f, err := strconv.ParseFloat(text, 64)
		if err != nil || !canBeNumber || f-f != 0 {
			return errors.New("has to be a number, without quotes or unit")
		}
		v.SetFloat(f)
	default:
		panic("config: a key of type " + v.Type().String() + " cannot be read")
	}
	return nil
}

// plainValue is what YAML's core schema makes of an unquoted scalar.
func plainValue(text string) any {
	if b, ok := boolWord(text); ok {
		return b
	}
	if i, err := strconv.ParseInt(text, 10, 64); err == nil {
		return i
	}
	if strings.ContainsAny(text, "0123456789") && !strings.ContainsAny(text, "xX_pP") {
		if f, err := strconv.ParseFloat(text, 64); err == nil {
			return f
		}
	}
	return text
}

func boolWord(text string) (value, known bool) {
	switch text {
	case "true", "True", "TRUE":
		return true, true
	case "false", "False", "FALSE":
		return false, true
	}
	return false, false
}

func typeName(t reflect.Type) string {
	switch {
	case t == durationType:
		return "a time"
	case t == sizeType:
		return "a size"
	case t == secretType, t.Kind() == reflect.String:
		return "text"
	case t.Kind() == reflect.Bool:
		return "true or false"
	case t.Kind() == reflect.Int:
		return "a whole number"
	default:
		return "a number"
	}
}
