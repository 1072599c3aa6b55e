package runs

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// CH7: a title is suggested from the first message.
func TestATitleIsTheBeginningOfTheFirstMessage(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Compute 12*(3+4)":                         "Compute 12*(3+4)",
		"Compute 12*(3+4), then say \"done\"":      "Compute 12*(3+4), then say \"done\"",
		"  what is\n the time?  ":                  "what is the time",
		"Look at main.go. Then mend what is wrong": "Look at main.go",
		"列出文件，然后告诉我结果。谢谢":                          "列出文件，然后告诉我结果",
		"Hello...": "Hello",
		"":         "",
		"?!":       "",
	} {
		if got := titleOf(text); got != want {
			t.Errorf("titleOf(%q) = %q, want %q", text, got, want)
		}
	}
	long := titleOf(strings.Repeat("many words, ", 30))
	if n := utf8.RuneCountInString(long); n > titleLength || !strings.HasSuffix(long, "words…") &&
		!strings.HasSuffix(long, "many…") {
		t.Errorf("%q has %d characters", long, n)
	}
}
