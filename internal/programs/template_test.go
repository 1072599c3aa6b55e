package programs

import (
	"context"
	"strings"
	"testing"

	"nanoclaw/internal/config"
)

// BT10: what a template calls a success is asked of the exit status, the output, files and
// JSON, and an unmet one is told.
func TestWhatACommandHasToLeadToIsAsked(t *testing.T) {
	t.Parallel()
	for _, one := range []struct {
		name   string
		wanted config.Success
		got    outcome
		told   string // empty: a success
	}{
		{"status 0", config.Success{}, outcome{}, ""},
		{"another status", config.Success{}, outcome{exitCode: 3}, "exit status is 3, expected was 0"},
		{"listed status", config.Success{ExitCodes: []int{0, 1}}, outcome{exitCode: 1}, ""},
		{"unlisted 0", config.Success{ExitCodes: []int{1, 2}}, outcome{}, "expected was 1 or 2"},
		{"output there", config.Success{Output: `^ok`}, outcome{stdout: "ok  x"}, ""},
		{"output in stderr", config.Success{Output: `done`}, outcome{stderr: "done"}, ""},
		{"output missing", config.Success{Output: `^ok`}, outcome{stdout: "FAIL"}, "nothing that matches ^ok"},
		{"forbidden output", config.Success{NotOutput: `(?i)warning`}, outcome{stderr: "x: Warning: y"}, `"Warning"`},
		{"nothing forbidden", config.Success{NotOutput: `warning`}, outcome{stdout: "fine"}, ""},
		{"cut output", config.Success{NotOutput: `warning`}, outcome{stdout: "fine", cut: true}, "too long to know"},
		{"file there", config.Success{Files: []string{"there"}}, outcome{}, ""},
		{"file missing", config.Success{Files: []string{"there", "gone"}}, outcome{}, "the file gone"},
		{"json", config.Success{JSON: `.errors == 0`}, outcome{stdout: `{"errors":0}`}, ""},
		{"json unmet", config.Success{JSON: `.errors == 0`}, outcome{stdout: `{"errors":2}`}, "does not hold"},
		{"json null", config.Success{JSON: `.id`}, outcome{stdout: `{}`}, "does not hold"},
		{"no json", config.Success{JSON: `.id`}, outcome{stdout: `oops`}, "not JSON"},
		{"json of another shape", config.Success{JSON: `.id.x`}, outcome{stdout: `{"id":"s"}`}, "cannot be told"},
		{"json for ever", config.Success{JSON: `def f: f; f`}, outcome{stdout: `{}`}, "cannot be told"},
		{"no environment", config.Success{JSON: `env | length > 0`}, outcome{stdout: `{}`}, "does not hold"},
	} {
		made, err := newSuccess(one.wanted)
		if err != nil {
			t.Fatalf("%s: %v", one.name, err)
		}
		one.got.exists = func(_ context.Context, path string) (bool, error) { return path == "there", nil }
		told, err := made.unmet(t.Context(), one.got)
		if err != nil || (told == "") != (one.told == "") || !strings.Contains(told, one.told) {
			t.Errorf("%s: told %q, %v; want %q", one.name, told, err, one.told)
		}
	}
}

// BT10: arguments become the values of a command by their types, and what is none of a
// parameter's is refused.
func TestArgumentsOfATemplateAreTyped(t *testing.T) {
	t.Parallel()
	least, most := 1.0, 9.0
	made, err := newTemplate(config.Template{Name: "t", Command: "tool {{file}} --n={{n}} --deep={{deep}} -- {{word}}",
		Parameters: []config.TemplateParameter{
			{Name: "file", Type: "path", MaxLength: 100}, {Name: "n", Type: "integer", Minimum: &least, Maximum: &most},
			{Name: "deep", Type: "boolean", Default: "false"},
			{Name: "word", Type: "text", Pattern: "[a-z']+|-x", Enum: []string{"it's", "-x", "B"}, MaxLength: 5},
		}})
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range []struct {
		args map[string]any
		want string // a line, or a part of the error behind !
	}{
		{map[string]any{"file": "a b.txt", "n": 3.0, "word": "it's"}, `tool 'a b.txt' --n='3' --deep='false' -- 'it'\''s'`},
		{map[string]any{"file": "-rf", "n": 3.0, "deep": true, "word": "-x"}, `tool './-rf' --n='3' --deep='true' -- '-x'`},
		{map[string]any{"file": "../x", "n": 3.0, "word": "it's"}, "!file: "},
		{map[string]any{"file": "/etc/passwd", "n": 3.0, "word": "it's"}, "!file: "},
		{map[string]any{"file": "x", "n": 10.0, "word": "it's"}, "!n: 10 is out of the range"},
		{map[string]any{"file": "x", "n": 2.5, "word": "it's"}, "!n: \"2.5\" is not an integer"},
		{map[string]any{"file": "x", "n": "3; id", "word": "it's"}, "!n: \"3; id\" is not a number"},
		{map[string]any{"file": "x", "n": 1.0, "word": "B"}, "!word: \"B\" does not match"},
		{map[string]any{"file": "x", "n": 1.0, "word": "nope"}, "!word: \"nope\" is none of"},
		{map[string]any{"file": "x", "n": 1.0, "deep": "maybe", "word": "-x"}, "!deep: "},
		{map[string]any{"file": "x", "n": 1.0}, "!word: it is missing"},
		{map[string]any{"file": []any{"x"}, "n": 1.0, "word": "-x"}, "!file: it is neither"},
		{map[string]any{"file": strings.Repeat("x", 101), "n": 1.0, "word": "-x"}, "!file: is longer"},
	} {
		line, err := made.fill(one.args)
		if want, fails := strings.CutPrefix(one.want, "!"); fails {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v became %q, %v; want the error %q", one.args, line, err, want)
			}
		} else if err != nil || line != want {
			t.Errorf("%v became %q, %v; want %q", one.args, line, err, want)
		}
	}
}
