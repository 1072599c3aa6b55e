package tools

import (
	"encoding/json"
	"fmt"
	"strings"

	"nanoclaw/internal/jsontree"
)

// Bounds of the arguments of one call.
const (
	// MaxArgumentsBytes is the longest JSON text of arguments.
	MaxArgumentsBytes = 16 << 20
	// MaxArgumentsDepth is how deep lists and objects may be nested.
	MaxArgumentsDepth = 64
)

// ParseArguments reads the arguments of a call as a model wrote them: one JSON
// object. Numbers come as json.Number, so they keep their precision.
//
// What is broken in only one possible way is repaired: no text at all and null
// (no arguments), a trailing comma, a code fence around the object, an object
// that was encoded as a string once more, raw control characters inside strings.
// Everything else is an *Error that tells the model what to mend and where: a
// text that was cut off is never completed, and of a duplicate property neither
// value is used.
func ParseArguments(raw string) (args map[string]any, repaired bool, err error) {
	if len(raw) > MaxArgumentsBytes {
		return nil, false, Errorf(CodeInvalidArguments,
			"the arguments are %d bytes long, at most %d are accepted: pass less in one call", len(raw),
			MaxArgumentsBytes)
	}
	text, marked := strings.CutPrefix(raw, "\uFEFF")
	text, fenced := cutFence(text)
	if strings.Trim(text, jsonSpace) == "" {
		return map[string]any{}, true, nil
	}
	value, mended, err := parseText(text)
	if err != nil {
		return nil, false, Errorf(CodeInvalidArguments, "the arguments are %v", err)
	}
	repaired = mended || fenced || marked
	for range 2 { // some models encode twice
		inner, isString := value.(string)
		if start := strings.TrimLeft(inner, jsonSpace); !isString || start == "" || start[0] != '{' && start[0] != '"' {
			break
		}
		repaired = true
		if value, _, err = parseText(inner); err != nil {
			return nil, false, Errorf(CodeInvalidArguments,
				"the arguments are a string instead of an object, and the text in it is %v", err)
		}
	}
	switch value := value.(type) {
	case map[string]any:
		return value, repaired, nil
	case nil:
		return map[string]any{}, true, nil
	default:
		return nil, false, Errorf(CodeInvalidArguments,
			"the arguments must be one JSON object like {\"name\": value}, not %s", describe(value))
	}
}

const jsonSpace = " \t\r\n"

// cutFence removes a Markdown code fence that encloses the whole text.
func cutFence(text string) (string, bool) {
	trimmed := strings.Trim(text, jsonSpace)
	if len(trimmed) < 6 || !strings.HasPrefix(trimmed, "```") || !strings.HasSuffix(trimmed, "```") {
		return text, false
	}
	inside := strings.TrimLeft(trimmed[3:len(trimmed)-3], jsonSpace)
	if len(inside) >= 4 && strings.EqualFold(inside[:4], "json") {
		inside = inside[4:]
	}
	return inside, true
}

func parseText(text string) (value any, repaired bool, err error) {
	tree, repaired, err := jsontree.Repair(text, MaxArgumentsDepth)
	if err != nil {
		return nil, false, err
	}
	value = tree.Value()
	return value, repaired, checkNumbers(value)
}

// checkNumbers refuses numbers that no type can hold.
func checkNumbers(value any) error {
	switch value := value.(type) {
	case json.Number:
		if parseDecimal(string(value)).text != "" {
			return fmt.Errorf("not usable: the exponent of %s is too large", quoted(value))
		}
	case []any:
		for _, item := range value {
			if err := checkNumbers(item); err != nil {
				return err
			}
		}
	case map[string]any:
		for name, item := range value {
			if err := checkNumbers(item); err != nil {
				return fmt.Errorf("%w (in %s)", err, quoted(name))
			}
		}
	}
	return nil
}
