package executor

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"nanoclaw/internal/tools"
)

type contextArgs struct {
	Query       string   `json:"query"`
	Limit       int      `json:"limit" default:"5"`
	Model       string   `json:"_model" inject:"model,required"`
	ProjectID   string   `json:"_project_id" inject:"project_id"`
	MaxTokens   int      `json:"_max_tokens" inject:"max_tokens"`
	Temperature *float64 `json:"_temperature" inject:"temperature"`
}

func echo(b *bench) {
	b.registry.Register(tools.Define("echo", "Answers its arguments.", func(_ context.Context, _ tools.Call,
		a contextArgs) (contextArgs, error) {
		return a, nil
	}, tools.Effect(tools.Pure)))
}

// TS5
func TestContextValuesAreInjectedAndTheModelsOwnAreDropped(t *testing.T) {
	t.Parallel()
	warm := 0.5
	cases := map[string]struct {
		inject tools.Call
		call   string
		want   string
	}{
		"all are there": {
			tools.Call{ProjectID: "p", Settings: tools.Settings{Model: "m", MaxTokens: 100, Temperature: &warm}},
			`echo {"query":"q"}`,
			`{"success":true,"data":{"query":"q","limit":5,"_model":"m","_project_id":"p","_max_tokens":100,"_temperature":0.5}}`},
		"the model supplies some": {
			tools.Call{ProjectID: "p", Settings: tools.Settings{Model: "m"}},
			`echo {"query":"q","_model":"evil","_project_id":"evil","_max_tokens":1}`,
			`{"success":true,"data":{"query":"q","limit":5,"_model":"m","_project_id":"p","_max_tokens":0,"_temperature":null}}`},
		"the model supplies one that the context has not": {
			tools.Call{Settings: tools.Settings{Model: "m"}}, `echo {"query":"q","_project_id":"evil"}`,
			`{"success":true,"data":{"query":"q","limit":5,"_model":"m","_project_id":"","_max_tokens":0,"_temperature":null}}`},
		"the model supplies one in another case": {
			tools.Call{Settings: tools.Settings{Model: "m"}}, `echo {"query":"q","_PROJECT_ID":"evil"}`,
			`{"success":true,"data":{"query":"q","limit":5,"_model":"m","_project_id":"","_max_tokens":0,"_temperature":null}}`},
		"a required one is missing": {
			tools.Call{}, `echo {"query":"q","_model":"evil"}`,
			`{"success":false,"error":"echo needs the context value model, which is not set here","code":"unavailable"}`},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			both(t, func(t *testing.T, process func(*bench, Batch) []Outcome) {
				b := newBench(t)
				echo(b)
				b.env.Call.ProjectID, b.env.Call.Settings = c.inject.ProjectID, c.inject.Settings
				if got := results(process(b, calls(c.call)))[0]; got != c.want {
					t.Errorf("\n got %s\nwant %s", got, c.want)
				}
			})
		})
	}
}

// TS5
func TestAModelSuppliedProjectIsIgnored(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, process func(*bench, Batch) []Outcome) {
		b := newBench(t)
		outcomes := process(b, calls(`write {"cell":"x","text":"mine","project_id":"theirs"}`))
		if b.world.get("theirs", "x") != "" || b.world.get("p1", "x") != "mine" {
			t.Errorf("cells: %v", b.world.cells)
		}
		if got := outcomes[0].Record.Function.Arguments; got != `{"cell":"x","text":"mine","project_id":"theirs"}` {
			t.Errorf("the record shows %s, want what the model sent", got)
		}
	})
}

// TS7
func TestPresetsWinOverTheModelAndTheProfilesOverTheConfigurations(t *testing.T) {
	t.Parallel()
	b := newBench(t, func(o *Options) {
		o.Limits = func() Limits {
			return Limits{Presets: map[string]map[string]any{"echo": {"query": "config", "limit": 7,
				"_model": "preset"}}}
		}
	})
	echo(b)
	b.env.Call.Settings.Model = "m"
	run := func() tools.Record {
		outcomes, err := b.Process(t.Context(), b.env, calls(`echo {"query":"model","limit":1}`))
		if err != nil {
			t.Fatal(err)
		}
		return outcomes[0].Record
	}
	if got := run().Result; !strings.Contains(got, `"query":"config","limit":7,"_model":"m"`) {
		t.Errorf("got %s", got)
	}
	b.env.Journal = nil
	b.env.Presets = map[string]map[string]any{"echo": {"query": "profile"}}
	if got := run().Result; !strings.Contains(got, `"query":"profile","limit":7`) {
		t.Errorf("got %s", got)
	}
	b.env.Presets = map[string]map[string]any{"echo": {"limit": "many"}}
	if got := run().Result; !strings.Contains(got, `must be an integer`) || !strings.Contains(got,
		`set by the configuration, whatever you pass: limit, query`) {
		t.Errorf("got %s", got)
	}
}

// TS8, TS4
func TestBrokenArgumentsAreRepairedOrExplained(t *testing.T) {
	t.Parallel()
	cases := map[string]struct{ arguments, shown, say, code string }{
		"a trailing comma":   {`{"cell":"x",}`, `{"cell":"x"}`, "", ""},
		"a truncated stream": {`{"cell":"x`, `{"cell":"x`, "are not complete", "invalid_arguments"},
		"a wrong name": {`{"file":"x"}`, `{"file":"x"}`,
			`"file" is not an argument here; allowed are "cell", "text"`, "invalid_arguments"},
		"spaces as they are": {`{ "cell" : "x" }`, `{ "cell" : "x" }`, "", ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			both(t, func(t *testing.T, process func(*bench, Batch) []Outcome) {
				b := newBench(t)
				o := process(b, calls("read "+c.arguments))[0]
				result := resultOf(t, o)
				if o.Record.Function.Arguments != c.shown || result.Code != c.code || !strings.Contains(result.Error,
					c.say) || result.Success != (c.code == "") {
					t.Errorf("record: %+v", o.Record)
				}
			})
		})
	}
}

// TS2, MA3
func TestCallsThatAreNotPermittedDoNotRun(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, process func(*bench, Batch) []Outcome) {
		b := newBench(t, func(o *Options) {
			o.Limits = func() Limits { return Limits{Disabled: map[string]bool{"add": true}} }
		})
		b.env.Refuse = func(tool string) error {
			if tool == "write" {
				return errors.New("sub-agents may not write")
			}
			return nil
		}
		outcomes := process(b, calls(`add {"a":1,"b":1}`, `write {"cell":"x"}`, `reed {"cell":"x"}`, `wirte {}`,
			strings.Repeat("x", 300)))
		want := []struct{ code, say string }{
			{"blocked", "the tool add is disabled by the configuration"},
			{"blocked", "sub-agents may not write"},
			{"unknown_tool", `there is no tool named "reed"; did you mean read?`},
			{"unknown_tool", `there is no tool named "wirte"`},
			{"unknown_tool", "xxx…"},
		}
		for i, w := range want {
			if r := resultOf(t, outcomes[i]); r.Code != w.code || !strings.Contains(r.Error, w.say) {
				t.Errorf("%s: %+v", outcomes[i].Invocation.Name, r)
			}
		}
		if strings.Contains(outcomes[3].Record.Result, "write") && strings.Contains(outcomes[3].Record.Result,
			"mean write") {
			t.Errorf("a refused tool is suggested: %s", outcomes[3].Record.Result)
		}
		if len(b.world.runs) != 0 {
			t.Errorf("ran: %v", b.world.runs)
		}
	})
}

// TS4, EX6
func TestNumbersReachTheToolAsTheModelWroteThem(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.registry.Register(tools.Define("any", "Answers.", func(_ context.Context, _ tools.Call, a struct {
		V any `json:"v"`
	}) (any, error) {
		return a.V, nil
	}, tools.Effect(tools.Pure)))
	outcomes, err := b.Process(t.Context(), b.env, calls(`any {"v":12345678901234567890.5}`))
	if err != nil {
		t.Fatal(err)
	}
	var result struct{ Data json.RawMessage }
	if err := json.Unmarshal([]byte(outcomes[0].Record.Result), &result); err != nil ||
		string(result.Data) != "12345678901234567890.5" {
		t.Errorf("got %s, %v", result.Data, err)
	}
}
