package executor

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"nanoclaw/internal/jsontree"
	"nanoclaw/internal/tools"
)

// answerOf runs a tool that returns a value (or an error) through the executor.
func answerOf(t *testing.T, limit int, redact func(string) string, value any, failure error,
	options ...tools.Option) string {
	t.Helper()
	b := newBench(t, func(o *Options) {
		o.Redact = redact
		o.Limits = func() Limits { return Limits{OutputLimit: limit} }
	})
	b.with("give", tools.Pure, func(context.Context, tools.Call) (any, error) { return value, failure }, options...)
	outcomes, err := b.Process(t.Context(), b.env, calls("give"))
	if err != nil {
		t.Fatal(err)
	}
	if !json.Valid([]byte(outcomes[0].Record.Result)) {
		t.Fatalf("result does not parse: %s", outcomes[0].Record.Result)
	}
	return outcomes[0].Record.Result
}

type page struct {
	URL  string `json:"url"`
	Text string `json:"text"`
	Size int    `json:"size"`
}

// EX5
func TestLongOutputIsCutAtALineWithAHintHowToReadOn(t *testing.T) {
	t.Parallel()
	lines := strings.Repeat("0123456789\n", 100) // 1,100 bytes
	list := make([]string, 1000)
	for i := range list {
		list[i] = fmt.Sprintf("line %03d", i)
	}
	cases := map[string]struct {
		limit   int
		value   any
		options []tools.Option
		want    string
	}{
		"what fits stays": {2000, page{"u", lines, 1}, nil,
			`{"success":true,"data":{"url":"u","text":"` + strings.Repeat(`0123456789\n`, 100) + `","size":1}}`},
		"what is slightly over stays": {1100, page{"u", lines, 1}, nil,
			`{"success":true,"data":{"url":"u","text":"` + strings.Repeat(`0123456789\n`, 100) + `","size":1}}`},
		"a text is cut behind a line": {200, page{"u", lines, 1}, nil,
			`{"success":true,"data":{"url":"u","text":"` + strings.Repeat(`0123456789\n`,
				11) + `\n[cut: 121 of 1100 bytes]","size":1},` +
				`"truncated":"the output was cut at 200 bytes (data.text: 121 of 1100 bytes); ask for a part, a range or a filter to see the rest"}`},
		"the tool says how to read on": {200, lines, []tools.Option{tools.ReadOn("call again with start_line 12")},
			`{"success":true,"data":"` + strings.Repeat(`0123456789\n`, 13) + `\n[cut: 143 of 1100 bytes]",` +
				`"truncated":"the output was cut at 200 bytes (data: 143 of 1100 bytes); call again with start_line 12"}`},
		"of many items the first stay": {100, map[string]any{"lines": list}, nil,
			`{"success":true,"data":{"lines":["line 000","line 001","line 002","line 003","line 004","line 005","line 006","line 007"]},` +
				`"truncated":"the output was cut at 100 bytes (data.lines: the first 8 of 1000 items); ask for a part, a range or a filter to see the rest"}`},
		"few items share the room": {400, []string{lines, "short", lines}, nil,
			`{"success":true,"data":["` + strings.Repeat(`0123456789\n`, 13) + `\n[cut: 143 of 1100 bytes]","short","` +
				strings.Repeat(`0123456789\n`, 13) + `\n[cut: 143 of 1100 bytes]"],` +
				`"truncated":"the output was cut at 400 bytes (data[0]: 143 of 1100 bytes; data[2]: 143 of 1100 bytes); ask for a part, a range or a filter to see the rest"}`},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := answerOf(t, c.limit, nil, c.value, nil, c.options...); got != c.want {
				t.Errorf("\n got %s\nwant %s", got, c.want)
			}
		})
	}
}

// EX5
func TestACutNeverSplitsACharacter(t *testing.T) {
	t.Parallel()
	for limit := 1; limit < 400; limit++ {
		var result struct{ Data string }
		if err := json.Unmarshal([]byte(answerOf(t, limit, nil, strings.Repeat("字é😀", 200), nil)),
			&result); err != nil {
			t.Fatal(err)
		}
		if strings.ContainsRune(result.Data, utf8.RuneError) || len(result.Data) > limit+limit/32 {
			t.Fatalf("limit %d: %q", limit, result.Data)
		}
	}
}

// EX5: whatever its shape, a result stays near the limit and parses.
func TestOutputOfAnyShapeIsBounded(t *testing.T) {
	t.Parallel()
	deep := any("bottom")
	for range 5000 {
		deep = map[string]any{"k": []any{deep}}
	}
	keys := map[string]any{}
	for i := range 20_000 {
		keys[fmt.Sprintf("key %d", i)] = i
	}
	long := strings.Repeat("x", 100_000)
	cases := map[string]any{
		"a long list of numbers":  make([]int, 200_000),
		"a long list of lists":    make([][]string, 100_000),
		"many properties":         keys,
		"a very long property":    map[string]any{long + "a": 1, long + "b": 2},
		"deep nesting":            deep,
		"a very long number":      json.Number(strings.Repeat("7", 100_000)),
		"many long texts":         []any{long, map[string]any{"a": long, "b": []string{long, long}}, long},
		"a list of long texts":    strings.Split(strings.Repeat(long+",", 50), ","),
		"control characters":      strings.Repeat("\x00", 100_000),
		"raw JSON":                json.RawMessage(`{ "a" : [ "` + long + `" ] , "b" : null }`),
		"a long text in one list": []any{[]any{[]any{long}}},
	}
	for name, value := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, limit := range []int{1, 10, 100, 5000} {
				got := answerOf(t, limit, nil, value, nil)
				if most := 7*limit + 1500; len(got) > most { // 6 bytes for an escaped control character; the note
					t.Errorf("limit %d: %d bytes: %.300s…", limit, len(got), got)
				}
				if limit < 5000 && !strings.Contains(got, `"truncated":"the output was cut`) {
					t.Errorf("limit %d: no note in %.300s", limit, got)
				}
			}
		})
	}
}

// SH8, EX5
func TestSecretsAreCoveredInEveryStringBeforeTheCut(t *testing.T) {
	t.Parallel()
	cover := func(s string) string { return strings.ReplaceAll(s, "hunter2", "***") }
	cases := map[string]struct {
		value   any
		failure error
		want    string
	}{
		"values, names, escapes": {map[string]any{"a": "is hunter2", "hunter2": []string{"<hunter2>\n"}, "n": 1.50,
			"none": nil}, nil,
			`{"success":true,"data":{"a":"is ***","***":["<***>\n"],"n":1.5,"none":null}}`},
		"names that come out alike": {map[string]any{"***": 1, "hunter2": 2}, nil,
			`{"success":true,"data":{"***":1,"*** (2)":2}}`},
		"errors and their data": {nil, &tools.Error{Code: "c", Message: "no hunter2", Data: page{Text: "hunter2"}},
			`{"success":false,"error":"no ***","code":"c","data":{"url":"","text":"***","size":0}}`},
		"a secret across the cut": {strings.Repeat("x", 94) + "hunter2" + strings.Repeat("y", 100), nil,
			`{"success":true,"data":"` + strings.Repeat("x", 50) + `\n[cut: 50 of 197 bytes]",` +
				`"truncated":"the output was cut at 100 bytes (data: 50 of 197 bytes); ask for a part, a range or a filter to see the rest"}`},
		"nothing at all": {nil, nil, `{"success":true,"data":null}`},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := answerOf(t, 100, cover, c.value, c.failure); got != c.want {
				t.Errorf("\n got %s\nwant %s", got, c.want)
			}
		})
	}
}

// SH8
func TestAResultWhoseSecretsCannotBeCoveredIsWithheld(t *testing.T) {
	t.Parallel()
	got := answerOf(t, 1000, func(s string) string {
		if strings.Contains(s, "trouble") {
			panic("redact")
		}
		return s
	}, "trouble", nil)
	if want := `{"success":false,"error":"the result is withheld: covering the secrets in it failed","code":"internal"}`; got != want {
		t.Errorf("got %s", got)
	}
}

// SH8, TS4
func TestArgumentsAreRecordedWithoutSecretsAndRunWithThem(t *testing.T) {
	t.Parallel()
	b := newBench(t, func(o *Options) {
		o.Redact = func(s string) string { return strings.ReplaceAll(s, "hunter2", "***") }
	})
	outcomes, err := b.Process(t.Context(), b.env, calls(`write {"text":"hu\u006eter2", "cell":"x"}`,
		`write {"text":"hunter2`))
	if err != nil {
		t.Fatal(err)
	}
	if got := outcomes[0].Record.Function.Arguments; got != `{"cell":"x","text":"***"}` || b.world.get("p1",
		"x") != "hunter2" {
		t.Errorf("recorded %s, wrote %q", got, b.world.get("p1", "x"))
	}
	if got := outcomes[1].Record.Function.Arguments; got != `{"text":"***` {
		t.Errorf("recorded %s", got)
	}
}

// EX5
func FuzzResultTree(f *testing.F) {
	for _, seed := range []string{`{"a":[1,"x\ny",{"b":null}],"c":"\u00e9\ud83d\ude00"}`, `[[],{},"",-1.5e3,true]`,
		`"\\\""`, `{"":{"":[]}}`} {
		f.Add(seed, 20)
	}
	f.Fuzz(func(t *testing.T, text string, limit int) {
		var value any
		if json.Unmarshal([]byte(text), &value) != nil {
			t.Skip()
		}
		encoded, err := jsontree.Encode(value)
		if err != nil {
			t.Fatal(err)
		}
		tree, err := jsontree.Parse(encoded)
		if err != nil {
			t.Fatal(err)
		}
		var again any
		if err := json.Unmarshal(tree.Append(nil), &again); err != nil || !reflect.DeepEqual(value, again) {
			t.Fatalf("%s became %s, %v", encoded, tree.Append(nil), err)
		}
		limit = 2 + max(limit, 0)%10_000
		var cut truncation
		cut.truncate(tree, "data", limit)
		if out := tree.Append(nil); !json.Valid(out) || measure(tree, nil) > limit+limit/32 {
			t.Fatalf("limit %d: cost %d, %s", limit, measure(tree, nil), out)
		}
	})
}
