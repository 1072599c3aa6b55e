package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
)

// ShortArguments is the JSON text of a call's arguments with long strings cut: a
// row of the audit says what was done, it does not keep every file that was
// written. What is cut is named by its size and SHA-256. limit is in bytes.
func ShortArguments(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return ShortText(text, limit)
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(shortValue(value, limit)); err != nil {
		return ShortText(text, limit)
	}
	return strings.TrimSuffix(out.String(), "\n")
}

func shortValue(value any, limit int) any {
	switch value := value.(type) {
	case string:
		return ShortText(value, limit)
	case []any:
		for i := range value {
			value[i] = shortValue(value[i], limit)
		}
	case map[string]any:
		for name := range value {
			value[name] = shortValue(value[name], limit)
		}
	}
	return value
}

// ShortText cuts a text as ShortArguments does.
func ShortText(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	sum := sha256.Sum256([]byte(text))
	return fmt.Sprintf("%s… (%d bytes, sha256 %s)", strings.ToValidUTF8(text[:limit], ""), len(text),
		hex.EncodeToString(sum[:]))
}
