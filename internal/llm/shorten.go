package llm

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"unicode/utf8"
)

// Shorten returns a text of about limit bytes at most: its head and its tail, and
// between them how much was cut. JSON stays JSON where its long strings and lists
// are what makes it long. A text that is not longer than the limit is returned as it is.
func Shorten(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	if short, ok := shortenJSON(text, limit); ok && len(short) <= limit+limit/2 {
		return short
	}
	return cutMiddle(text, limit)
}

// cutMiddle keeps two thirds of the limit from the head and one third from the tail.
func cutMiddle(text string, limit int) string {
	head, tail := limit*2/3, len(text)-limit/3
	for head > 0 && !utf8.RuneStart(text[head]) {
		head--
	}
	for tail < len(text) && !utf8.RuneStart(text[tail]) {
		tail++
	}
	marker := fmt.Sprintf("\n[… %d of %d bytes were cut here to fit the context window …]\n", tail-head, len(text))
	if head+len(text)-tail+len(marker) >= len(text) {
		return text
	}
	return text[:head] + marker + text[tail:]
}

// shortenJSON shortens the strings and lists inside a JSON object or array, more
// and more, until the whole is short enough.
func shortenJSON(text string, limit int) (string, bool) {
	if text[0] != '{' && text[0] != '[' {
		return "", false
	}
	decoder := json.NewDecoder(bytes.NewReader([]byte(text)))
	decoder.UseNumber()
	var value any
	if decoder.Decode(&value) != nil {
		return "", false
	}
	if _, err := decoder.Token(); err != io.EOF {
		return "", false
	}
	for share := limit; share >= 40; share /= 2 {
		short, err := encodePlain(shortenValue(value, share))
		if err != nil {
			return "", false
		}
		if len(short) <= limit {
			return short, true
		}
	}
	return "", false
}

// shortenValue cuts strings to share bytes and lists to share/40 elements.
func shortenValue(value any, share int) any {
	switch v := value.(type) {
	case string:
		if len(v) > share {
			return cutMiddle(v, share)
		}
	case map[string]any:
		short := make(map[string]any, len(v))
		for key, element := range v {
			short[key] = shortenValue(element, share)
		}
		return short
	case []any:
		keep := max(share/40, 2)
		short := make([]any, 0, min(len(v), keep+1))
		for i, element := range v {
			switch {
			case len(v) <= keep+1 || i < keep*2/3 || i >= len(v)-keep/3:
				short = append(short, shortenValue(element, share))
			case i == keep*2/3:
				short = append(short, fmt.Sprintf("[… %d of %d elements were cut here to fit the context window …]",
					len(v)-keep*2/3-keep/3, len(v)))
			}
		}
		return short
	}
	return value
}

// encodePlain is json.Marshal without the escapes that only HTML needs.
func encodePlain(value any) (string, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return "", err
	}
	return string(bytes.TrimRight(out.Bytes(), "\n")), nil
}
