package tools

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
)

// TS8
func TestValidateReportsEveryProblemAtOnceInWordsForTheModel(t *testing.T) {
	t.Parallel()
	tool := Define("search", "Searches.", search, Effect(Reads))
	cases := map[string]struct{ raw, want string }{
		"a missing argument": {`{}`,
			`invalid arguments: "path" is required (a string: path relative to the project root)`},
		"a wrong type": {`{"path":5}`, `invalid arguments: "path" must be a string, not 5`},
		"a value not listed": {`{"path":"x","mode":"html"}`,
			`invalid arguments: "mode" must be one of "text", "links", not "html"`},
		"an unknown argument": {`{"path":"x","file":"y"}`,
			`invalid arguments: "file" is not an argument here; allowed are "path", "mode", "limit", "globs", "tasks", "exact"`},
		"an argument in another case": {`{"Path":"x","path":"y"}`,
			`invalid arguments: "Path" is not an argument here; allowed are "path", "mode", "limit", "globs", "tasks", "exact"`},
		"a fraction for an integer": {`{"path":"x","limit":1.5}`,
			`invalid arguments: "limit" must be an integer, not 1.5`},
		"a number as text": {`{"path":"x","limit":"5"}`,
			`invalid arguments: "limit" must be an integer, not a string ("5")`},
		"null where it is required": {`{"path":null}`, `invalid arguments: "path" must be a string, not null`},
		"everything at once": {`{"limit":11,"globs":[],"tasks":[{"name":""},{"tools":["a","c"]},"x"],"more":1}`,
			"invalid arguments:\n" +
				`- "globs" must have at least 1 item, it has 0` + "\n" +
				`- "limit" must be at most 10, not 11` + "\n" +
				`- "more" is not an argument here; allowed are "path", "mode", "limit", "globs", "tasks", "exact"` +
				"\n" +
				`- "path" is required (a string: path relative to the project root)` + "\n" +
				`- "tasks[0].name" must not be empty` + "\n" +
				`- "tasks[1].name" is required (a string)` + "\n" +
				`- "tasks[1].tools[1]" must be one of "a", "b", not "c"` + "\n" +
				`- "tasks[2]" must be an object, not a string ("x")`},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			args, _, err := ParseArguments(c.raw)
			if err != nil {
				t.Fatal(err)
			}
			if err := tool.Validate(args); err == nil || err.Error() != c.want || CodeOf(err) != CodeInvalidArguments {
				t.Errorf("\n got %v\nwant %s", err, c.want)
			}
		})
	}
}

// TS8
func TestValidateFillsInDefaultsAndDropsANullForAnOptionalArgument(t *testing.T) {
	t.Parallel()
	tool := Define("search", "Searches.", search, Effect(Reads))
	args, _, err := ParseArguments(`{"path":"x","mode":null,"exact":null,"limit":null}`)
	if err != nil {
		t.Fatal(err)
	}
	if err := tool.Validate(args); err != nil {
		t.Fatal(err)
	}
	if got, _ := Canonical(args); string(got) != `{"limit":5,"path":"x"}` {
		t.Errorf("got %s", got)
	}
}

// TS7, TS8
func TestASchemaFromElsewhereIsCheckedInFull(t *testing.T) {
	t.Parallel()
	var schema jsonschema.Schema
	if err := json.Unmarshal([]byte(`{"type":"object","properties":{
		"n":{"anyOf":[{"type":"integer"},{"type":"null"}]},
		"kind":{"$ref":"#/$defs/kind"}},
		"$defs":{"kind":{"type":"string","enum":["a","b"]}},"required":["n"]}`), &schema); err != nil {
		t.Fatal(err)
	}
	for raw, problem := range map[string]string{
		`{"n":1}`:              "",
		`{"n":null}`:           "",
		`{"n":"1"}`:            `matches none of the allowed forms: "n" must be an integer, not a string ("1"); or "n"`,
		`{}`:                   `"n" is required`,
		`{"n":1,"kind":"a"}`:   "",
		`{"n":1,"kind":"c"}`:   `"kind" must be one of "a", "b", not "c"`,
		`{"n":1.5,"kind":"c"}`: `- "n" matches none`, // all problems at once
	} {
		args, _, err := ParseArguments(raw)
		if err != nil {
			t.Fatal(err)
		}
		err = Validate(&schema, args)
		if (err == nil) != (problem == "") || err != nil && !strings.Contains(err.Error(), problem) {
			t.Errorf("%s: %v, want %q", raw, err, problem)
		}
	}
}

// TS8
func TestTheErrorOfALongListIsShort(t *testing.T) {
	t.Parallel()
	tool := Define("search", "Searches.", search, Effect(Reads))
	args, _, err := ParseArguments(`{"path":"x","tasks":[` + strings.Repeat("1,", 100_000) + `]}`)
	if err != nil {
		t.Fatal(err)
	}
	if err := tool.Validate(args); err == nil || len(err.Error()) > 2_000 || !strings.HasSuffix(err.Error(),
		"- and 99980 more") {
		t.Errorf("error of %d bytes: %.300v", len(err.Error()), err)
	}
}

// TS7
func TestASchemaThatCannotBeCheckedHereIsLeftToItsServer(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`{"type":"object","properties":{"n":{"$ref":"https://example.com/other.json"}}}`,
		`{"type":"object","properties":{"n":{"$ref":"file:///etc/hostname"}}}`,
		`{"type":"object","properties":{"n":{"$ref":"#/$defs/missing"}}}`,
		`{"type":"object","properties":{"n":{"pattern":"(?=x)"}}}`,
	} {
		var schema jsonschema.Schema
		if err := json.Unmarshal([]byte(text), &schema); err != nil {
			t.Fatal(err)
		}
		if err := Validate(&schema, map[string]any{"n": "y"}); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TS8
func TestANumberWithALargeExponentIsComparedAtOnce(t *testing.T) {
	t.Parallel()
	tool := Define("search", "Searches.", search, Effect(Reads))
	for _, number := range []string{"1e999999", "-1e999999", "1e-999999"} {
		args, _, err := ParseArguments(`{"path":"x","limit":` + number + `}`)
		if err != nil {
			t.Fatal(err)
		}
		if err := tool.Validate(args); err == nil || !strings.Contains(err.Error(), `"limit" must be`) {
			t.Errorf("%s: %v", number, err)
		}
	}
}

func BenchmarkCompileAndValidate(b *testing.B) {
	tool := Define("search", "Searches.", search, Effect(Reads))
	args := map[string]any{"path": "x", "globs": []any{"a"}}
	for b.Loop() {
		if err := Validate(tool.Schema, args); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkValidate(b *testing.B) {
	tool := Define("search", "Searches.", search, Effect(Reads))
	args := map[string]any{"path": "x", "globs": []any{"a"}}
	for b.Loop() {
		if err := tool.Validate(args); err != nil {
			b.Fatal(err)
		}
	}
}
