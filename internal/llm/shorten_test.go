package llm_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"nanoclaw/internal/llm"
)

func TestShorteningKeepsHeadAndTailAndSaysHowMuchWasCut(t *testing.T) {
	t.Parallel()
	text := "HEAD" + strings.Repeat("x", 10000) + "TAIL"
	short := llm.Shorten(text, 500)
	if !strings.HasPrefix(short, "HEAD") || !strings.HasSuffix(short, "TAIL") || len(short) > 600 ||
		!strings.Contains(short, "of 10008 bytes were cut") {
		t.Errorf("%d bytes: %q", len(short), short)
	}
	if llm.Shorten("short", 500) != "short" {
		t.Error("a short text was changed")
	}
}

func TestShortenedJSONStaysJSON(t *testing.T) {
	t.Parallel()
	var rows []any
	for i := range 500 {
		rows = append(rows, map[string]any{"line": i, "text": "some text"})
	}
	for name, data := range map[string]any{
		"a long string":   strings.Repeat("你好\n", 4000),
		"a long list":     rows,
		"a list of texts": []any{strings.Repeat("a", 5000), strings.Repeat("b", 5000)},
	} {
		raw, err := json.Marshal(map[string]any{"success": true, "data": data,
			"big": json.Number("12345678901234567890")})
		if err != nil {
			t.Fatal(err)
		}
		short := llm.Shorten(string(raw), 1000)
		var value map[string]any
		if err := json.Unmarshal([]byte(short), &value); err != nil || value["success"] != true {
			t.Errorf("%s: %v in %s", name, err, short)
		}
		if len(short) > 1500 || !strings.Contains(short, "were cut here") || !strings.Contains(short,
			"12345678901234567890") {
			t.Errorf("%s: %d bytes: %s", name, len(short), short)
		}
	}
}

func TestJSONThatIsLongByItsKeysIsCutAsText(t *testing.T) {
	t.Parallel()
	wide := make(map[string]int)
	for i := range 3000 {
		wide[fmt.Sprint("key", i)] = i
	}
	raw, err := json.Marshal(wide)
	if err != nil {
		t.Fatal(err)
	}
	if short := llm.Shorten(string(raw), 1000); len(short) > 1500 {
		t.Errorf("%d bytes", len(short))
	}
}

func FuzzShortenedTextIsShorterAndValid(f *testing.F) {
	f.Add(`{"a":["`+strings.Repeat("你", 500)+`"]}`, 100)
	f.Add(strings.Repeat("好", 300), 7)
	f.Add("[[[", 1)
	f.Fuzz(func(t *testing.T, text string, limit int) {
		if limit < 1 || limit > 1<<20 {
			return
		}
		short := llm.Shorten(text, limit)
		if len(short) > len(text) && len(short) > limit+limit/2 {
			t.Fatalf("%d bytes became %d with limit %d", len(text), len(short), limit)
		}
		if utf8.ValidString(text) && !utf8.ValidString(short) {
			t.Fatalf("%q is not UTF-8", short)
		}
	})
}
