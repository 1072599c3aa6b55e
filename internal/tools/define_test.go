package tools

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
)

type searchArgs struct {
	Path      string   `json:"path" access:"read" jsonschema:"path relative to the project root"`
	Mode      string   `json:"mode,omitempty" enum:"text,links"`
	Limit     int      `json:"limit" minimum:"1" maximum:"10" default:"5"`
	Globs     []string `json:"globs,omitempty" minItems:"1" maxItems:"3"`
	Tasks     []task   `json:"tasks,omitempty"`
	Exact     *bool    `json:"exact,omitempty"`
	ProjectID string   `json:"project_id" inject:"project_id,required"`
	Model     string   `json:"_model" inject:"model"`
}

type task struct {
	Name  string   `json:"name" minLength:"1"`
	Tools []string `json:"tools,omitempty" enum:"a,b"`
}

func search(context.Context, Call, searchArgs) (string, error) { return "", nil }

// TS1, TS2, TS5
func TestDefinitionIsGeneratedFromTheArgumentStructWithoutInjectedFields(t *testing.T) {
	t.Parallel()
	tool := Define("search", "Searches.", search, Category("file"), Effect(Reads))
	encoded, err := json.Marshal(tool.ToDefinition())
	if err != nil {
		t.Fatal(err)
	}
	want := `{"type":"function","function":{"name":"search","description":"Searches.","parameters":` +
		`{"type":"object","properties":{` +
		`"path":{"type":"string","description":"path relative to the project root"},` +
		`"mode":{"type":"string","enum":["text","links"]},` +
		`"limit":{"type":"integer","default":5,"minimum":1,"maximum":10},` +
		`"globs":{"type":"array","items":{"type":"string"},"minItems":1,"maxItems":3},` +
		`"tasks":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},` +
		`"tools":{"type":"array","items":{"type":"string","enum":["a","b"]}}},"required":["name"]}},` +
		`"exact":{"type":"boolean"}},"required":["path"]}}}`
	if string(encoded) != want {
		t.Errorf("definition\n got %s\nwant %s", encoded, want)
	}
	if len(tool.Injected) != 2 || tool.Injected[0] != (Injection{"project_id", "project_id", true}) ||
		tool.Injected[1] != (Injection{"_model", "model", false}) {
		t.Errorf("injected: %+v", tool.Injected)
	}
}

// TS1
func TestDefinePanicsOnAMistakeInTheDeclaration(t *testing.T) {
	t.Parallel()
	type none struct{}
	type badEnum struct {
		On bool `json:"on" enum:"a"`
	}
	type badDefault struct {
		N int `json:"n" default:"11" maximum:"10"`
	}
	type badInject struct {
		P string `json:"p" inject:"project_id,optional"`
	}
	type unknownInject struct {
		P string `json:"p" inject:"project"`
	}
	type nestedInject struct {
		Inner struct {
			P string `json:"p" inject:"project_id"`
		} `json:"inner"`
	}
	type badPattern struct {
		P string `json:"p" pattern:"("`
	}
	run := func(context.Context, Call, none) (int, error) { return 0, nil }
	cases := map[string]struct {
		define func()
		say    string
	}{
		"an empty name":       {func() { Define("", "doc", run, Effect(Pure)) }, `"" is not valid`},
		"a name with a space": {func() { Define("a b", "doc", run, Effect(Pure)) }, `"a b" is not valid`},
		"a name too long":     {func() { Define(strings.Repeat("x", 65), "doc", run, Effect(Pure)) }, "is not valid"},
		"no doc":              {func() { Define("x", "", run, Effect(Pure)) }, "no description"},
		"a nil function":      {func() { Define[none, int]("x", "doc", nil, Effect(Pure)) }, "nil function"},
		"no effect":           {func() { Define("x", "doc", run) }, "no effect"},
		"an unknown effect":   {func() { Define("x", "doc", run, Effect("reading")) }, `unknown effect "reading"`},
		"an enum of booleans": {func() {
			Define("x", "doc", func(context.Context, Call, badEnum) (int, error) { return 0, nil }, Effect(Pure))
		}, `enum:"a"`},
		"a default out of bounds": {func() {
			Define("x", "doc", func(context.Context, Call, badDefault) (int, error) { return 0, nil }, Effect(Pure))
		}, "maximum"},
		"a bad inject tag": {func() {
			Define("x", "doc", func(context.Context, Call, badInject) (int, error) { return 0, nil }, Effect(Pure))
		}, `inject:"project_id,optional"`},
		"an unknown context value": {func() {
			Define("x", "doc", func(context.Context, Call, unknownInject) (int, error) { return 0, nil }, Effect(Pure))
		}, "the context values are project_id, model"},
		"an inject tag in a nested struct": {func() {
			Define("x", "doc", func(context.Context, Call, nestedInject) (int, error) { return 0, nil }, Effect(Pure))
		}, "nested struct"},
		"a pattern that does not compile": {func() {
			Define("x", "doc", func(context.Context, Call, badPattern) (int, error) { return 0, nil }, Effect(Pure))
		}, "pattern"},
		"arguments that are no struct": {func() {
			Define("x", "doc", func(context.Context, Call, string) (int, error) { return 0, nil }, Effect(Pure))
		}, "not a struct"},
		"a stamp on a tool that does not read": {func() {
			Define("x", "doc", run, Effect(Pure), Stamp(func(context.Context, Call, none) (string, error) {
				return "",
					nil
			}))
		}, "only a tool that reads"},
		"a stamp with other arguments": {func() {
			Define("x", "doc", run, Effect(Reads), Stamp(func(context.Context, Call, task) (string, error) {
				return "",
					nil
			}))
		}, "the tool's arguments are"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if said := panicText(c.define); !strings.Contains(said, c.say) {
				t.Errorf("panic says %q, want %q in it", said, c.say)
			}
		})
	}
}

func panicText(f func()) (text string) {
	defer func() {
		if p := recover(); p != nil {
			text, _ = p.(string)
		}
	}()
	f()
	return "no panic"
}
