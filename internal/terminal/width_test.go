package terminal

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestWidthCountsColumns(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"": 0, "abc": 3, "中文": 4, "ｆｕｌｌ": 8, "é": 1, "e\u0301": 1, "한국": 4, "\u1112\u1161\u11ab": 2, "🙂": 2,
		"a\u200db": 2, "\x1b": 0, "½…": 2,
	} {
		if got := textWidth(text); got != want {
			t.Errorf("%q: %d columns, want %d", text, got, want)
		}
	}
}

func TestCutKeepsToTheColumns(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		text    string
		columns int
		want    string
		front   string
	}{
		{"hello", 5, "hello", "hello"},
		{"hello", 4, "hel…", "…llo"},
		{"hello", 1, "…", "…"},
		{"hello", 0, "", ""},
		{"中文字", 6, "中文字", "中文字"},
		{"中文字", 5, "中文…", "…文字"},
		{"中文字", 4, "中…", "…字"},
		{"e\u0301e\u0301e\u0301", 2, "e\u0301…", "…e\u0301"},
		{"", 3, "", ""},
	} {
		if got := cut(tc.text, tc.columns); got != tc.want {
			t.Errorf("cut(%q, %d) = %q, want %q", tc.text, tc.columns, got, tc.want)
		}
		if got := cutFront(tc.text, tc.columns); got != tc.front {
			t.Errorf("cutFront(%q, %d) = %q, want %q", tc.text, tc.columns, got, tc.front)
		}
	}
}

func TestCleanLeavesNothingThatControlsTheTerminal(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"a\x1b[31mb\x07":            "a[31mb",
		"a\r\nb\tc":                 "a\nb\tc",
		"\u009b31mx\u0085y":         "31mxy",
		"abc\u202edef\u2066\ufeff!": "abcdef!",
		"👩\u200d💻":                  "👩\u200d💻",
		"\xff":                      "\ufffd",
	} {
		if got := clean(text); got != want {
			t.Errorf("clean(%q) = %q, want %q", text, got, want)
		}
	}
	if got := oneLine(" a\n\n b\t\x1bc\u2028d "); got != "a b c d" {
		t.Errorf("oneLine: %q", got)
	}
}

func FuzzCut(f *testing.F) {
	f.Add("hello 中文 e\u0301", 7)
	f.Add("\xff\x1b[1m", 2)
	f.Fuzz(func(t *testing.T, text string, columns int) {
		text = oneLine(text)
		for _, got := range []string{cut(text, columns), cutFront(text, columns)} {
			if textWidth(got) > max(0, columns) || !utf8.ValidString(got) {
				t.Errorf("%q in %d columns: %q takes %d", text, columns, got, textWidth(got))
			}
			if textWidth(text) <= columns && columns > 0 && got != text {
				t.Errorf("%q fits into %d columns, but became %q", text, columns, got)
			}
			if strings.ContainsFunc(got, controls) {
				t.Errorf("%q holds a control character", got)
			}
		}
	})
}
