package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func seedTexts(f *testing.F) {
	f.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "config.yml"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(text))
	f.Add(originalFile)
	f.Add("a: &a [*a]\nb: *b\n<<: *a\n")
	f.Add("sub_agent: {max_tasks: ${X}}\n? a\n: b\n")
	f.Add("models: [{id: a, base_url: 'http://a', headers: {X: $${}}}]\nsystem_prompt: |2\n   x\n")
	f.Add("- 1\n- !!binary aa\n--- x\n...\n")
	f.Add("tools: {a: {preset: {x: [1, 2.5, ~, {y: no}]}}}\nshell: {env: {A: \"\\u0001 : #\"}}\n")
}

// FuzzParse: no text makes Parse panic or answer neither a configuration nor
// problems, and what Print writes is read as the same configuration.
func FuzzParse(f *testing.F) {
	seedTexts(f)
	env := environment("X", "1", "NAME", "a: b # c")
	f.Fuzz(func(t *testing.T, text string) {
		c, _, err := Parse([]byte(text), "config.yml", env)
		if err != nil {
			problems, ok := err.(Problems)
			if !ok || len(problems) == 0 || c != nil {
				t.Fatalf("got %v and %#v", c, err)
			}
			for _, p := range problems {
				if p.Message == "" || strings.ContainsAny(p.Message, "\n\r") {
					t.Errorf("message of no or several lines: %q", p.Message)
				}
			}
			return
		}
		if len(c.Secrets()) > 0 {
			return
		}
		var b strings.Builder
		if err := c.Print(&b); err != nil {
			t.Fatal(err)
		}
		again, _, err := Parse([]byte(b.String()), "printed.yml", nil)
		if err != nil {
			t.Fatalf("what was printed is not read: %v\n%s", err, b.String())
		}
		for _, change := range Diff(c, again) {
			t.Errorf("printed and read again: %s", change)
		}
	})
}

// FuzzEdit: no text and no value makes Edit panic, and what it answers says what
// was asked for and nothing else.
func FuzzEdit(f *testing.F) {
	seed := []string{"sub_agent: {max_tasks: 5} # c\n", "sub_agent:\n  max_tasks: 5 # c\n",
		"system_prompt: >-\n  a\n  b\nagents: []\n", "system_prompt: 'a\n  b'\n"}
	for _, s := range seed {
		f.Add(s, "system_prompt", "x: y\nz #")
		f.Add(s, "sub_agent.max_tasks", "3")
		f.Add(s, "tools.x.preset.y", "***")
	}
	f.Fuzz(func(t *testing.T, text, key, value string) {
		source := Source{Env: environment(), secrets: &secrets{}}
		before, _, err := source.parse([]byte(text), "config.yml", nil)
		if err != nil {
			return
		}
		out, err := source.Edit([]byte(text), map[string]any{key: value})
		if err != nil {
			return
		}
		after, _, err := source.parse(out, "config.yml", nil)
		if err != nil {
			t.Fatalf("the result is not valid: %v", err)
		}
		for _, change := range Diff(before, after) {
			steps, _ := splitPath(key)
			if !strings.HasPrefix(change.Key, steps[0].name) {
				t.Errorf("set %s, and this changed: %s", key, change)
			}
		}
	})
}
