package builtin

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// BT6: whatever the text and the limit, the parts that follow one another make
// up the text, and each keeps to the limit.
func FuzzBT6WindowsMakeUpTheText(f *testing.F) {
	f.Add("one\ntwo\n", 4)
	f.Add("one\r\n\n\nlong line 🦀 here", 5)
	f.Add("\n\n\n", 4)
	f.Add("没有换行的一长行没有换行的一长行", 7)
	f.Fuzz(func(t *testing.T, text string, limit int) {
		if !utf8.ValidString(text) || len(text) > 2000 {
			return
		}
		limit = 4 + abs(limit)%40
		var got strings.Builder
		line, column := 1, 1
		for range len(text) + 2 {
			w := window{firstLine: line, firstColumn: column, limit: limit}
			if err := w.read(strings.NewReader(text)); err != nil {
				t.Fatal(err)
			}
			if len(w.content) > limit || !utf8.Valid(w.content) {
				t.Fatalf("a part of %d bytes with limit %d", len(w.content), limit)
			}
			got.Write(w.content)
			if w.nextLine == 0 {
				break
			}
			line, column = w.nextLine, w.nextColumn
		}
		if got.String() != text {
			t.Fatalf("limit %d: %q became %q", limit, text, got.String())
		}
	})
}

func abs(n int) int {
	if n < 0 {
		return -(n + 1)
	}
	return n
}
