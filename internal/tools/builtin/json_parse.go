package builtin

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"nanoclaw/internal/tools"
)

// maxJSONDepth is how deeply lists and objects may be nested in each other: what
// walks over a value calls itself once for each.
const maxJSONDepth = 1000

// jsonPosition is where a text stops being JSON.
type jsonPosition struct {
	Line   int    `json:"line"`   // 1-based
	Column int    `json:"column"` // 1-based, in characters
	Offset int    `json:"offset"` // bytes before it
	Near   string `json:"near,omitempty"`
}

// parseJSON reads exactly one value; numbers keep their digits. The failure
// names the argument and has a *jsonPosition as its data.
func parseJSON(argument, text string) (any, error) {
	if len(text) > maxProcessText {
		return nil, tools.Errorf("too_large", "%s has %d bytes; at most %d are processed at once", argument, len(text),
			maxProcessText)
	}
	if at := tooDeepAt(text); at >= 0 {
		return nil, jsonFailure(argument, text, at, fmt.Sprintf("it is nested more than %d deep", maxJSONDepth))
	}
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	var value any
	err := decoder.Decode(&value)
	if err == nil {
		rest := strings.TrimLeft(text[decoder.InputOffset():], " \t\r\n")
		if rest == "" {
			return value, nil
		}
		return nil, jsonFailure(argument, text, len(text)-len(rest), "there is something behind the value")
	}
	var wrong *json.SyntaxError
	switch {
	case errors.Is(err, io.EOF):
		return nil, jsonFailure(argument, text, len(text), "it is empty")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return nil, jsonFailure(argument, text, len(text), "it ends in the middle of a value")
	case errors.As(err, &wrong):
		return nil, jsonFailure(argument, text, max(0, int(wrong.Offset)-1), wrong.Error())
	}
	return nil, jsonFailure(argument, text, 0, err.Error())
}

// tooDeepAt is the offset of the bracket that exceeds maxJSONDepth, or -1.
func tooDeepAt(text string) int {
	depth, inString := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			inString = !inString
		case c == '\\' && inString:
			i++
		case inString:
		case c == '[' || c == '{':
			if depth++; depth > maxJSONDepth {
				return i
			}
		case c == ']' || c == '}':
			depth--
		}
	}
	return -1
}

// indentedSize is how long a valid JSON text is when it is laid out with two
// spaces for each level.
func indentedSize(text string) int {
	size, depth, opened := 0, 0, false
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c == ' ' || c == '\t' || c == '\r' || c == '\n' {
			continue
		}
		closes := c == ']' || c == '}'
		if opened && !closes {
			size += 1 + 2*depth
		}
		if closes {
			if depth--; !opened {
				size += 1 + 2*depth
			}
		}
		opened = false
		size++
		switch c {
		case '[', '{':
			depth++
			opened = true
		case ',':
			size += 1 + 2*depth
		case ':':
			size++
		case '"':
			start := i
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
			size += i - start
		}
	}
	return size
}

func jsonFailure(argument, text string, offset int, what string) error {
	offset = min(offset, len(text))
	for offset > 0 && offset < len(text) && !utf8.RuneStart(text[offset]) {
		offset--
	}
	before := text[:offset]
	line := strings.Count(before, "\n") + 1
	column := utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:]) + 1
	near := strings.ToValidUTF8(text[max(0, offset-20):min(len(text), offset+20)], "")
	return &tools.Error{
		Code:    tools.CodeInvalidArguments,
		Message: fmt.Sprintf("%s is not valid JSON at line %d, column %d: %s", argument, line, column, what),
		Data:    &jsonPosition{Line: line, Column: column, Offset: offset, Near: near},
	}
}

// namesInOrder is the names of an object's properties, each once, as the text
// has them. The text is valid.
func namesInOrder(text string) ([]string, error) {
	decoder := json.NewDecoder(bytes.NewReader([]byte(text)))
	if _, err := decoder.Token(); err != nil {
		return nil, fmt.Errorf("read the keys: %w", err)
	}
	names, seen := []string{}, map[string]bool{}
	for decoder.More() {
		token, err := decoder.Token()
		if err != nil {
			return nil, fmt.Errorf("read the keys: %w", err)
		}
		if name, ok := token.(string); ok && !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
		var skipped json.RawMessage
		if err := decoder.Decode(&skipped); err != nil {
			return nil, fmt.Errorf("read the keys: %w", err)
		}
	}
	return names, nil
}
