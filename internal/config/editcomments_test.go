package config

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// CF4: wherever comments stand, an edit keeps every one, or it is refused and changes nothing.
func TestNoCommentIsLostByAnEdit(t *testing.T) {
	t.Parallel()
	const text = "sub_agent:\n  max_tasks: 5\n  timeout: 60s\nguard:\n  level: auto\n  denied_tools:\n    " +
		"- a\n    - b\n" +
		"  permissions:\n    - allow: [read]\n      paths: [x,\n        y]\n    - deny: [\n      write\n      ]\n" +
		"models:\n  - id: m\n    base_url: http://x\n    price:\n      input: 1\n    headers: {a: b,\n      c: d}\n" +
		"system_prompt: |\n  hello\n  you\n"
	changes := []map[string]any{
		{"sub_agent.max_tasks": 6}, {"guard.denied_tools": []string{"a", "b", "c"}}, {"guard.level": "smart"},
		{"guard.permissions[0].allow": []string{"read", "write"}}, {"models[m].name": "X"},
		{"models[m].price.input": 2},
	}
	r := rand.New(rand.NewPCG(1, 2))
	edited, refused := 0, 0
	for i := range 600 {
		var b strings.Builder
		for line := range strings.Lines(text) {
			line = strings.TrimSuffix(line, "\n")
			switch r.IntN(6) {
			case 0:
				fmt.Fprintf(&b, "%s# above %d\n", strings.Repeat(" ", r.IntN(8)), r.IntN(1000))
			case 1:
				b.WriteByte('\n')
			case 2:
				line += fmt.Sprintf(" # behind %d", r.IntN(1000))
			}
			b.WriteString(line + "\n")
		}
		source := b.String()
		if _, _, err := Parse([]byte(source), "config.yml", nil); err != nil {
			continue // a comment that stands where none may
		}
		got, err := Source{Env: environment()}.Edit([]byte(source), changes[i%len(changes)])
		if err != nil {
			wantProblem(t, err, "guard", "by hand")
			refused++
			continue
		}
		edited++
		if was, is := commentsOf(source), commentsOf(string(got)); !slices.Equal(was, is) {
			t.Fatalf("%v: comments %v became %v in\n%s", changes[i%len(changes)], was, is, got)
		}
	}
	if edited < 10*refused || refused == 0 {
		t.Errorf("%d edits, %d refused: the texts are not what this test is about", edited, refused)
	}
}

// commentsOf is the comments of a text, sorted.
func commentsOf(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		for _, comment := range strings.SplitAfter(line, "# ")[1:] {
			out = append(out, strings.TrimSpace(strings.TrimSuffix(comment, "# ")))
		}
	}
	slices.Sort(out)
	return out
}
