package builtin

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"nanoclaw/internal/tools"
)

// asJSON runs json_process and returns the whole answer as JSON.
func asJSON(t testing.TB, args map[string]any) string {
	t.Helper()
	encoded, err := json.Marshal(tools.Default().Execute(t.Context(), "json_process", tools.Call{}, args))
	if err != nil {
		t.Fatal(err)
	}
	return string(encoded)
}

// BT4
func TestJSONOperations(t *testing.T) {
	t.Parallel()
	const big = "12345678901234567890123456789.123456789012345678901234567890"
	for _, c := range []struct {
		operation, text string
		more            map[string]any
		want            string // what the data holds besides the operation
	}{
		{"parse", ` {"b":1,"a":[true,null,"é"]} `, nil, `"result":{"a":[true,null,"é"],"b":1},"type":"object"`},
		{"parse", big, nil, `"result":` + big + `,"type":"number"`},
		{"validate", `[1]`, nil, `"result":{"valid":true}`},
		{"validate", "{\n \"é\": 1,\n}", nil,
			`"result":{"valid":false,"error":"json_string is not valid JSON at line 3, column 1: invalid character '}' looking for beginning of object key string","line":3,"column":1,"offset":12,"near":"{\n \"é\": 1,\n}"}`},
		{"validate", `["é" 1]`, nil,
			`"result":{"valid":false,"error":"json_string is not valid JSON at line 1, column 6: invalid character '1' after array element","line":1,"column":6,"offset":6,"near":"[\"é\" 1]"}`},
		{"validate", `[1`, nil,
			`"result":{"valid":false,"error":"json_string is not valid JSON at line 1, column 3: it ends in the middle of a value","line":1,"column":3,"offset":2,"near":"[1"}`},
		{"validate", `1 2`, nil,
			`"result":{"valid":false,"error":"json_string is not valid JSON at line 1, column 3: there is something behind the value","line":1,"column":3,"offset":2,"near":"1 2"}`},
		{"validate", ``, nil,
			`"result":{"valid":false,"error":"json_string is not valid JSON at line 1, column 1: it is empty","line":1,"column":1,"offset":0}`},
		{"format", `{"b":1.50,"a":[]}`, nil, `"result":"{\n  \"b\": 1.50,\n  \"a\": []\n}"`},
		{"minify", "{ \"b\" : " + big + " ,\n \"a\" : [ ] }", nil, `"result":"{\"b\":` + big + `,\"a\":[]}"`},
		{"keys", `{"z":1,"a":{"x":2},"z":3}`, nil, `"result":["z","a"],"count":2`},
		{"keys", `[1,2]`, nil, `"result":[],"count":2,"note":"it is a list with 2 items and has no keys"`},
		{"query", `{"a":[{"n":"x","p":5},{"n":"y","p":20}]}`, map[string]any{"query": ".a[] | select(.p > 10) | .n"},
			`"result":"y","count":1`},
		{"query", `{"a":[1,2,3]}`, map[string]any{"query": ".a[]"}, `"result":[1,2,3],"count":3`},
		{"query", `{"a":[1,2,3]}`, map[string]any{"query": ".a | add"}, `"result":6,"count":1`},
		{"query", `{}`, map[string]any{"query": "empty"}, `"result":[],"count":0`},
		{"query", `{"a":` + big + `}`, map[string]any{"query": ".a"}, `"result":` + big + `,"count":1`},
		{"query", `[100000000000000000000, 1]`, map[string]any{"query": "add"},
			`"result":100000000000000000001,"count":1`},
		{"query", `{}`, map[string]any{"query": "env, $ENV"}, `"result":[{},{}],"count":2`},
		{"merge", `{"a":{"x":1,"y":[1,2]},"b":1}`, map[string]any{"other": `{"a":{"y":[3],"z":null},"c":2}`},
			`"result":{"a":{"x":1,"y":[3],"z":null},"b":1,"c":2}`},
		{"merge", `[1]`, map[string]any{"other": `[2]`}, `"result":[2]`},
		{"diff", `{"a":1,"b":[1,2,3],"c/d":null,"e":1.0}`,
			map[string]any{"other": `{"a":2,"b":[1,9],"f":{},"e":10e-1}`},
			`"result":[{"change":"changed","path":"/a","old":1,"new":2},{"change":"changed","path":"/b/1","old":2,"new":9},{"change":"removed","path":"/b/2","old":3},{"change":"removed","path":"/c~1d","old":null},{"change":"added","path":"/f","new":{}}],"count":5`},
		{"diff", `1`, map[string]any{"other": `1.0`}, `"result":[],"count":0`},
		{"diff", big, map[string]any{"other": big + "1"}, `"result":[{"change":"changed","path":"","old":` + big +
			`,"new":` + big + `1}],"count":1`},
	} {
		args := map[string]any{"json_string": c.text, "operation": c.operation}
		for name, value := range c.more {
			args[name] = value
		}
		want := `{"success":true,"data":{"operation":"` + c.operation + `",` + c.want + `}}`
		if got := strings.NewReplacer(`\u003e`, ">", `\u0026`, "&").Replace(asJSON(t, args)); got != want {
			t.Errorf("%s %s\n got %s\nwant %s", c.operation, c.text, got, want)
		}
	}
}

// BT4
func TestJSONThatCannotBeProcessedSaysWhy(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args map[string]any
		say  string
	}{
		{map[string]any{"operation": "parse", "json_string": "{'a':1}"},
			`json_string is not valid JSON at line 1, column 2`},
		{map[string]any{"operation": "merge", "json_string": "{}"}, `merge needs other`},
		{map[string]any{"operation": "diff", "json_string": "{}", "other": "["},
			`other is not valid JSON at line 1, column 2`},
		{map[string]any{"operation": "keys", "json_string": "1"}, `a number has no keys`},
		{map[string]any{"operation": "query", "json_string": "{}"}, `query needs query`},
		{map[string]any{"operation": "query", "json_string": "{}", "query": ".a["}, `the jq program is not valid`},
		{map[string]any{"operation": "query", "json_string": "{}", "query": "nosuch"},
			`function not defined: nosuch/0`},
		{map[string]any{"operation": "query", "json_string": "{}", "query": `import "x" as x; .`},
			`the jq program is not valid`},
		{map[string]any{"operation": "query", "json_string": "{}", "query": `input`}, `the jq program is not valid`},
		{map[string]any{"operation": "query", "json_string": "[]", "query": ".a"},
			`the jq program failed: expected an object but got: array`},
		{map[string]any{"operation": "query", "json_string": "{}", "query": `error("mine")`}, `mine`},
		{map[string]any{"operation": "parse", "json_string": strings.Repeat(" ", maxProcessText+1)},
			`"code":"too_large"`},
		{map[string]any{"operation": "parse", "json_string": strings.Repeat("[", 20_000)},
			`nested more than 1000 deep`},
		{map[string]any{"operation": "merge", "json_string": "{}", "other": strings.Repeat(`{"a":`,
			1001) + "1" + strings.Repeat("}", 1001)},
			`other is not valid JSON at line 1, column 5001: it is nested more than 1000 deep`},
		{map[string]any{"operation": "format", "json_string": "[" + strings.Repeat(strings.Repeat("[",
			900)+strings.Repeat("]", 900)+",", 5) + "1]"}, `"code":"too_large"`},
	} {
		if got := asJSON(t, c.args); !strings.Contains(got, `"success":false`) || !strings.Contains(got, c.say) {
			t.Errorf("%v: %s", c.say, got[:min(len(got), 300)])
		}
	}
}

// BT4: programs that never end, grow without end or overflow the stack are
// stopped, and the server lives.
func TestAQueryIsBoundedInTimeAndOutput(t *testing.T) {
	t.Parallel()
	const stopped = `the jq program was stopped`
	doubled := func(n int) string { return fmt.Sprintf("reduce range(%d) as $i ([1];[.,.])", n) }
	for program, say := range map[string]string{
		"[range(infinite)]":                                                       stopped,
		"def f: f; f":                                                             stopped + ` after `,
		"def f: 1 + f; f":                                                         stopped,
		`reduce range(60) as $i ("x"; . + .)`:                                     stopped,
		doubled(60) + " | . == (" + doubled(60) + ")":                             stopped,
		doubled(40) + " | tojson | length":                                        stopped,
		`[("x" * 300000) | match("x*y|x";"g")] | length`:                          stopped,
		"reduce range(200000) as $i (null; [[[[[.]]]]]) | tojson | length":        stopped,
		"reduce range(200000) as $i (null; " + nested(20) + ") | tojson | length": stopped,
		"reduce range(2000) as $i (null; {a: .})":                                 `a result is nested more than 1000 deep`,
		`range(infinite)`:                                                         `"truncated":true,"note":"these are the first 1000 results"`,
		`range(100) | "x" * 100000`:                                               `these are the first 10 results; all together are too long`,
		`[range(20) | "x" * 100000]`:                                              `the result is longer than 1048576 bytes`,
		`reduce range(12) as $i (7; . * .) | tostring | length`:                   `"count":1`,
	} {
		t.Run(program, func(t *testing.T) {
			t.Parallel()
			got := asJSON(t, map[string]any{"operation": "query", "json_string": "{}", "query": program})
			if !strings.Contains(got, say) || (say == stopped && !strings.Contains(got, `"code":"t`)) {
				t.Errorf("%s", got[:min(len(got), 300)])
			}
		})
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	var result jsonProcessResult
	if err := result.query(cancelled, ".", "1"); tools.CodeOf(err) != tools.CodeCancelled {
		t.Errorf("cancelled: %v", err)
	}
}

func nested(depth int) string { return strings.Repeat("[", depth) + "." + strings.Repeat("]", depth) }

func BenchmarkJQQuery(b *testing.B) {
	for b.Loop() {
		var result jsonProcessResult
		if err := result.query(b.Context(), ".a[1]", `{"a":[1,2]}`); err != nil {
			b.Fatal(err)
		}
	}
}

// BT4: how long a text gets is known before it is laid out.
func TestTheSizeOfAnIndentedTextIsKnownBefore(t *testing.T) {
	t.Parallel()
	for _, text := range []string{`1`, `""`, `[]`, ` { } `, `[[],{}]`, `{"a":[1,2,{"b":"c,[{\"}\\"}],"é":null}`,
		"[ [ ] , [ 1 ,\n{ \"x\" : \"\\u00e9\" } ] ]", `-1.5e3`, `[true,[false,[[[[0]]]]]]`} {
		var out bytes.Buffer
		if err := json.Indent(&out, []byte(strings.TrimSpace(text)), "", "  "); err != nil {
			t.Fatal(err)
		}
		if got := indentedSize(text); got != out.Len() {
			t.Errorf("%s: %d, want %d", text, got, out.Len())
		}
	}
	deep := strings.Repeat("[", 990) + strings.Repeat("1,", 400_000) + "1" + strings.Repeat("]", 990)
	if got := asJSON(t, map[string]any{"operation": "format", "json_string": deep}); !strings.Contains(got,
		`"code":"too_large"`) {
		t.Errorf("%.200s", got)
	}
}

// BT4: of many differences that are far down the first are shown, with all counted.
func TestLongWaysToDifferencesAreBounded(t *testing.T) {
	t.Parallel()
	far := func(items string) string {
		return strings.Repeat(`{"`+strings.Repeat("k", 100)+`":`, 900) + "[" + strings.Repeat(items+",",
			50_000) + "0]" + strings.Repeat("}", 900)
	}
	got := asJSON(t, map[string]any{"operation": "diff", "json_string": far("1"), "other": far("2")})
	if len(got) > 2*maxProcessOutput || !strings.Contains(got, `"count":50000,"truncated":true`) ||
		!strings.Contains(got, `k/11","old":1,"new":2}`) {
		t.Errorf("%d bytes, %.100s … %.100s", len(got), got, got[max(0, len(got)-100):])
	}
}

// BT4
func FuzzJSONProcess(f *testing.F) {
	for _, seed := range [][3]string{
		{"query", `{"a":[1,2,{"b":"c"}]}`, ".a[2].b"}, {"query", `[3,1]`, "sort | map(. * 2)"},
		{"diff", `{"a":1}`, `{"a":[1e400]}`},
		{"merge", `{"a":{}}`, `{"a":{"b":1}}`}, {"validate", `{"a":}`, ""}, {"keys", `{"":1,"\u0000":2}`, ""},
		{"format", `[{}]`, ""}, {"minify", ` 1 `, ""},
	} {
		f.Add(seed[0], seed[1], seed[2])
	}
	f.Fuzz(func(t *testing.T, operation, text, more string) {
		if len(text) > 10_000 || len(more) > 200 {
			return
		}
		result := tools.Default().Execute(t.Context(), "json_process", tools.Call{},
			map[string]any{"operation": operation, "json_string": text, "query": more, "other": more})
		encoded, err := json.Marshal(result)
		if err != nil || !json.Valid(encoded) || result.Code == tools.CodeInternal {
			t.Fatalf("%s, %v", encoded, err)
		}
	})
}
