package visible

import (
	"encoding/json"
	"strings"
	"testing"
)

// TG4: what draws nothing, reorders text or pushes the rest out of view is marked, in
// every string of a JSON text, which stays JSON.
func TestNothingOfATextGoesUnseen(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"rm cod.\u202egpj": "rm cod.⟨U+202E⟩gpj", "a" + strings.Repeat(" ", 3000) + "b": "a⟨3000 blanks⟩b",
		"a\u200b\u00ad\ufeff": "a⟨U+200B⟩⟨U+00AD⟩⟨U+FEFF⟩", "größer 日本語 🙂\n\tx": "größer 日本語 🙂\n\tx",
		"\x1b[31m\r": "⟨U+001B⟩[31m⟨U+000D⟩", "": "",
	} {
		if got := Text(text); got != want {
			t.Errorf("%q is shown as %q, want %q", text, got, want)
		}
	}
	arguments, err := json.Marshal(
		map[string]any{"command": "x \u202e" + strings.Repeat(" ", 50), "n\u200b": 12345678901234567},
	)
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(
		map[string]any{"approval": map[string]any{"arguments": string(arguments), "list": []string{"\u2066"}}},
	)
	if err != nil {
		t.Fatal(err)
	}
	var shown struct {
		Approval struct {
			Arguments string
			List      []string
		}
	}
	var inner map[string]any
	if err := json.Unmarshal(JSON(data), &shown); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(shown.Approval.Arguments), &inner); err != nil {
		t.Fatal(err)
	}
	if inner["command"] != "x ⟨U+202E⟩⟨50 blanks⟩" || inner["n⟨U+200B⟩"] == nil ||
		shown.Approval.List[0] != "⟨U+2066⟩" ||
		!strings.Contains(shown.Approval.Arguments, "12345678901234567") {
		t.Errorf("shown as %+v", shown)
	}
	if got := string(JSON([]byte("no {json \u202e"))); got != "no {json ⟨U+202E⟩" {
		t.Errorf("what is not JSON is shown as %q", got)
	}
}
