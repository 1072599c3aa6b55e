// Package visible shows texts that a person decides on so that nothing in them goes
// unseen, as web/src/chat/visible.ts does in the browser. It knows nothing of what the
// texts are about.
package visible

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
)

// Text is a text that a person decides on, with nothing in it unseen: a mark such
// as ⟨U+202E⟩ stands for what draws nothing or reorders text, and blanks that would
// push the rest out of view are counted. Line breaks and tabs stay.
func Text(s string) string {
	var b strings.Builder
	blanks := 0
	flush := func() {
		if blanks > blanksShown {
			fmt.Fprintf(&b, "⟨%d blanks⟩", blanks)
		} else {
			b.WriteString(strings.Repeat(" ", blanks))
		}
		blanks = 0
	}
	for _, r := range s {
		if r == ' ' {
			blanks++
			continue
		}
		flush()
		if r != '\n' && r != '\t' && unseen(r) {
			fmt.Fprintf(&b, "⟨U+%04X⟩", r)
			continue
		}
		b.WriteRune(r)
	}
	flush()
	return b.String()
}

// blanksShown is as many as an indentation or a column takes; more hide what follows.
const blanksShown = 40

// unseen says whether a character draws nothing, or something other than it is: all
// but letters, marks, numbers, punctuation, symbols and the space, and of those the
// few that have no shape.
func unseen(r rune) bool {
	switch {
	case r == ' ':
		return false
	case !unicode.IsGraphic(r), unicode.Is(unicode.Z, r):
		return true
	case r == 0x034f, r == 0x115f, r == 0x1160, r == 0x17b4, r == 0x17b5, r >= 0x180b && r <= 0x180f, r == 0x2800,
		r == 0x3164, r == 0xffa0,
		r >= 0xfe00 && r <= 0xfe0f, r >= 0xe0100 && r <= 0xe01ef:
		return true
	}
	return false
}

// Value is a decoded JSON value with each string in it, and each name, as Text shows it.
func Value(v any) any {
	switch v := v.(type) {
	case string:
		return Text(v)
	case []any:
		shown := make([]any, len(v))
		for i, item := range v {
			shown[i] = Value(item)
		}
		return shown
	case map[string]any:
		shown := make(map[string]any, len(v))
		for name, item := range v {
			shown[Text(name)] = Value(item)
		}
		return shown
	}
	return v
}

// JSON is a JSON text with each string in it as Text shows it; what is not JSON is a text.
// Strings that hold JSON, as the arguments of a call do, stay JSON.
func JSON(data []byte) []byte {
	decoder := json.NewDecoder(strings.NewReader(string(data)))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return []byte(Text(string(data)))
	}
	var out strings.Builder
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(Value(value)); err != nil {
		return []byte(Text(string(data)))
	}
	return []byte(strings.TrimSuffix(out.String(), "\n"))
}
