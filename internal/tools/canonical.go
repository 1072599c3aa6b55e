package tools

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"unicode/utf8"
)

// Canonical is the one JSON text that all equal arguments share: keys sorted,
// numbers in one form (1, 1.0 and 10e-1 are 1), no spaces, nothing escaped but
// what must be. Keys and hashes are made of it, and tools are run with it. A
// value that JSON does not have (NaN, a function) is an error.
func Canonical(args map[string]any) ([]byte, error) {
	out, err := appendCanonical(nil, args)
	if err != nil {
		return nil, fmt.Errorf("write canonical arguments: %w", err)
	}
	return out, nil
}

// Normalize turns any Go value into what ParseArguments would make of its JSON:
// map[string]any, []any, string, json.Number, bool, nil.
func Normalize(value any) (any, error) {
	switch value.(type) {
	case nil, bool, string, json.Number:
		return value, nil
	}
	encoded, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	return decodeJSON(encoded)
}

func appendCanonical(out []byte, value any) ([]byte, error) {
	var err error
	switch value := value.(type) {
	case nil:
		return append(out, "null"...), nil
	case bool:
		if value {
			return append(out, "true"...), nil
		}
		return append(out, "false"...), nil
	case string:
		return AppendString(out, value), nil
	case json.Number:
		return parseDecimal(string(value)).append(out), nil
	case []any:
		out = append(out, '[')
		for i, item := range value {
			if i > 0 {
				out = append(out, ',')
			}
			if out, err = appendCanonical(out, item); err != nil {
				return nil, err
			}
		}
		return append(out, ']'), nil
	case map[string]any:
		out = append(out, '{')
		for i, name := range sortedKeys(value) {
			if i > 0 {
				out = append(out, ',')
			}
			out = append(AppendString(out, name), ':')
			if out, err = appendCanonical(out, value[name]); err != nil {
				return nil, fmt.Errorf("%q: %w", name, err)
			}
		}
		return append(out, '}'), nil
	}
	normal, err := Normalize(value)
	if err != nil {
		return nil, err
	}
	return appendCanonical(out, normal)
}

const hex = "0123456789abcdef"

// AppendString appends s as a JSON string with nothing escaped but what must be.
// What is not UTF-8 becomes U+FFFD.
func AppendString(out []byte, s string) []byte {
	out = append(out, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' && c < utf8.RuneSelf {
			i++
			continue
		}
		if c >= utf8.RuneSelf {
			if r, size := utf8.DecodeRuneInString(s[i:]); r != utf8.RuneError || size > 1 {
				i += size
				continue
			}
			out = append(append(out, s[start:i]...), "\uFFFD"...)
		} else {
			out = appendEscape(append(out, s[start:i]...), c)
		}
		i++
		start = i
	}
	return append(append(out, s[start:]...), '"')
}

func appendEscape(out []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(out, '\\', c)
	case '\n':
		return append(out, '\\', 'n')
	case '\r':
		return append(out, '\\', 'r')
	case '\t':
		return append(out, '\\', 't')
	}
	return append(out, '\\', 'u', '0', '0', hex[c>>4], hex[c&0xF])
}

// decodeJSON decodes exactly one JSON value, with numbers as json.Number.
func decodeJSON(encoded []byte) (any, error) {
	decoder := json.NewDecoder(bytes.NewReader(encoded))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, fmt.Errorf("there is more than one value")
	}
	return value, nil
}
