package wire

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// fragments parses tool_calls fragments as they stand on the wire, one a line.
func fragments(t testing.TB, lines string) []Fragment {
	t.Helper()
	var all []Fragment
	for line := range strings.Lines(lines) {
		var c Chunk
		if err := c.parse([]byte(`{"choices":[{"delta":{"tool_calls":[` + line + `]}}]}`)); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		all = append(all, c.Fragments...)
	}
	return all
}

func TestFragmentsBecomeTheCallsThatTheModelMade(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, in string
		want     []string // name(arguments)
	}{
		{"as the protocol has it", `
			{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":""}}
			{"index":0,"function":{"arguments":"{\"x\""}}
			{"index":0,"function":{"arguments":":1}"}}
			{"index":1,"id":"b","type":"function","function":{"name":"g","arguments":""}}
			{"index":1,"function":{"arguments":"{}"}}`, []string{`f({"x":1})`, `g({})`}},
		{"interleaved", `
			{"index":0,"id":"a","function":{"name":"f","arguments":""}}
			{"index":1,"id":"b","function":{"name":"f","arguments":""}}
			{"index":0,"function":{"arguments":"{\"x\""}}
			{"index":1,"function":{"arguments":"{\"y\""}}
			{"index":0,"function":{"arguments":":1}"}}
			{"index":1,"function":{"arguments":":2}"}}`, []string{`f({"x":1})`, `f({"y":2})`}},
		{"two fragments in one chunk", `
			{"index":0,"id":"a","function":{"name":"f","arguments":"{"}},{"index":1,"id":"b","function":{"name":"g","arguments":"{"}}
			{"index":0,"function":{"arguments":"}"}},{"index":1,"function":{"arguments":"}"}}`, []string{`f({})`, `g({})`}},
		{"a phantom at the end", `
			{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}
			{"index":1,"id":"p","type":"function","function":{"arguments":""}}`, []string{`f({})`}},
		{"an empty tail", `
			{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}
			{"index":0,"id":"","type":"function","function":{"name":"","arguments":""}}`, []string{`f({})`}},
		{"all at index 0 with their own ids", `
			{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\":1}"}}
			{"index":0,"id":"b","function":{"name":"f","arguments":""}}
			{"index":0,"function":{"arguments":"{\"y\":2}"}}`, []string{`f({"x":1})`, `f({"y":2})`}},
		{"all at index 0, interleaved by id", `
			{"index":0,"id":"a","function":{"name":"f","arguments":""}}
			{"index":0,"id":"b","function":{"name":"g","arguments":""}}
			{"index":0,"id":"a","function":{"arguments":"{\"x\":1}"}}
			{"index":0,"id":"b","function":{"arguments":"{\"y\":2}"}}`, []string{`f({"x":1})`, `g({"y":2})`}},
		{"no index", `
			{"id":"a","function":{"name":"f","arguments":""}}
			{"function":{"arguments":"{\"x\":1}"}}
			{"id":"b","function":{"name":"f","arguments":"{\"y\""}}
			{"function":{"arguments":":2}"}}`, []string{`f({"x":1})`, `f({"y":2})`}},
		{"no index and no id", `
			{"function":{"name":"f","arguments":""}}
			{"function":{"arguments":"{\"x\":1}"}}
			{"function":{"name":"f","arguments":""}}
			{"function":{"arguments":"{\"y\":2}"}}`, []string{`f({"x":1})`, `f({"y":2})`}},
		{"no index, no id, the name on every fragment", `
			{"function":{"name":"f","arguments":""}}
			{"function":{"name":"f","arguments":"{\"x\""}}
			{"function":{"name":"f","arguments":":1}"}}
			{"function":{"name":"f","arguments":"{\"y\":2}"}}`, []string{`f({"x":1})`, `f({"y":2})`}},
		{"id and name on every fragment", `
			{"index":0,"id":"a","function":{"name":"f","arguments":""}}
			{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\""}}
			{"index":0,"id":"a","function":{"name":"f","arguments":":1}"}}
			{"index":1,"id":"b","function":{"name":"f","arguments":"{}"}}`, []string{`f({"x":1})`, `f({})`}},
		{"id on every fragment, no index", `
			{"id":"a","function":{"name":"f","arguments":"{\"x\""}}
			{"id":"b","function":{"name":"g","arguments":"{\"y\""}}
			{"id":"a","function":{"arguments":":1}"}}
			{"id":"b","function":{"arguments":":2}"}}`, []string{`f({"x":1})`, `g({"y":2})`}},
		{"another id on every fragment", `
			{"index":0,"id":"a1","function":{"name":"f","arguments":"{\"x\""}}
			{"index":0,"id":"a2","function":{"arguments":":1}"}}
			{"index":1,"id":"b1","function":{"name":"g","arguments":"{"}}
			{"index":1,"id":"b2","function":{"arguments":"}"}}`, []string{`f({"x":1})`, `g({})`}},
		{"one id for all calls, on every fragment", `
			{"index":0,"id":"s","function":{"name":"f","arguments":""}}
			{"index":1,"id":"s","function":{"name":"g","arguments":""}}
			{"index":0,"id":"s","function":{"arguments":"{\"x\":1}"}}
			{"index":1,"id":"s","function":{"arguments":"{\"y\":2}"}}`, []string{`f({"x":1})`, `g({"y":2})`}},
		{"one id for all calls, no index", `
			{"id":"s","function":{"name":"f","arguments":"{\"x\":1}"}}
			{"id":"s","function":{"name":"f","arguments":"{\"y\":2}"}}`, []string{`f({"x":1})`, `f({"y":2})`}},
		{"the whole call once more at the end", `
			{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\""}}
			{"index":0,"function":{"arguments":":1}"}}
			{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\":1}"}}`, []string{`f({"x":1})`}},
		{"an empty object before the arguments", `
			{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}
			{"index":0,"function":{"arguments":"{\"x\":1}"}}`, []string{`f({"x":1})`}},
		{"a name in pieces", `
			{"index":0,"id":"a","function":{"name":"get_","arguments":""}}
			{"index":0,"function":{"name":"time","arguments":""}}
			{"index":0,"function":{"arguments":"{}"}}`, []string{`get_time({})`}},
		{"the name after the id", `
			{"index":0,"id":"a","function":{"arguments":""}}
			{"index":0,"function":{"name":"f","arguments":"{}"}}`, []string{`f({})`}},
		{"arguments that are an object", `
			{"index":0,"id":"a","function":{"name":"f","arguments":{"x": 1}}}`, []string{`f({"x": 1})`}},
		{"no arguments", `
			{"index":0,"id":"a","function":{"name":"f"}}
			{"index":1,"id":"b","function":{"name":"g","arguments":null}}`, []string{`f({})`, `g({})`}},
		{"arguments cut inside a character", `
			{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\":\"\ud83d"}}
			{"index":0,"function":{"arguments":"\ude00\"}"}}`, []string{`f({"x":"😀"})`}},
		{"index is null", `
			{"index":null,"id":"a","function":{"name":"f","arguments":"{"}}
			{"index":null,"function":{"arguments":"}"}}`, []string{`f({})`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var calls Calls
			shown := make(map[int]*Call) // what the deltas say
			for _, f := range fragments(t, strings.TrimSpace(tt.in)) {
				delta, ok := calls.Add(f)
				if !ok {
					continue
				}
				if shown[delta.Index] == nil {
					if delta.ID == "" || delta.Name == "" {
						t.Errorf("the first delta of %d has id %q and name %q", delta.Index, delta.ID, delta.Name)
					}
					shown[delta.Index] = &Call{ID: delta.ID, Name: delta.Name}
				}
				shown[delta.Index].Arguments += delta.Arguments
			}
			whole, err := calls.Whole()
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			ids := make(map[string]bool)
			for i, call := range whole {
				got = append(got, fmt.Sprintf("%s(%s)", call.Name, call.Arguments))
				ids[call.ID] = true
				if shown[i] == nil || shown[i].ID != call.ID {
					t.Errorf("call %d was shown as %+v, is %+v", i, shown[i], call)
				}
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got  %v\nwant %v", got, tt.want)
			}
			if len(ids) != len(whole) {
				t.Errorf("ids repeat: %v", ids)
			}
		})
	}
}

func TestArgumentsWithoutANameAreAnError(t *testing.T) {
	t.Parallel()
	var calls Calls
	for _, f := range fragments(t, `{"index":0,"id":"a","function":{"arguments":"{\"x\":1}"}}`) {
		calls.Add(f)
	}
	if _, err := calls.Whole(); !errors.Is(err, ErrNameless) {
		t.Errorf("%v", err)
	}
}

func TestWhatAProviderWantsBackStaysWithItsCall(t *testing.T) {
	t.Parallel()
	var calls Calls
	for _, f := range fragments(t,
		`{"index":0,"id":"a","function":{"name":"f","arguments":"{}"},"extra_content":{"google":{"thought_signature":"s"}}}`) {
		calls.Add(f)
	}
	if whole, err := calls.Whole(); err != nil || string(whole[0].Extra) != `{"google":{"thought_signature":"s"}}` {
		t.Errorf("%+v %v", whole, err)
	}
}

// Calls whose fragments have an index arrive whole in whatever order they come.
func FuzzIndexedCallsSurviveAnyInterleaving(f *testing.F) {
	f.Add(`{"a":"你好"}`, `{}`, uint64(0b1011001), uint8(3))
	f.Fuzz(func(t *testing.T, one, two string, order uint64, size uint8) {
		marshalled := []string{string(must(json.Marshal(map[string]string{"v": one}))),
			string(must(json.Marshal(map[string]string{"v": two})))}
		var calls Calls
		rest := slices.Clone(marshalled)
		begun := [2]bool{}
		for rest[0]+rest[1] != "" {
			i := int(order & 1)
			order = order>>1 | order<<63
			if rest[i] == "" {
				i = 1 - i
			}
			n := min(int(size%9)+1, len(rest[i]))
			f := Fragment{Index: i, Arguments: []byte(rest[i][:n])}
			if !begun[i] {
				f.ID, f.Name, begun[i] = fmt.Sprint("id", i), fmt.Sprint("f", i), true
			}
			rest[i] = rest[i][n:]
			calls.Add(f)
		}
		whole, err := calls.Whole()
		if err != nil || len(whole) != 2 {
			t.Fatalf("%+v %v", whole, err)
		}
		for _, call := range whole {
			if want := marshalled[call.Name[1]-'0']; call.Arguments != want {
				t.Fatalf("%s: %q, want %q", call.Name, call.Arguments, want)
			}
		}
	})
}

func must(data []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return data
}
