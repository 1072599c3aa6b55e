package tools

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
)

// TS8
func TestParseArgumentsRepairsWhatIsBrokenInOneWayOnly(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		raw, want string
		repaired  bool
	}{
		"valid JSON": {`{"a":[1,{"b":null}],"c":"é\u00e9\ud83d\ude00"}`,
			`{"a":[1,{"b":null}],"c":"éé😀"}`, false},
		"nothing":                       {"", `{}`, true},
		"white space":                   {" \n", `{}`, true},
		"null":                          {"null", `{}`, true},
		"a trailing comma in an object": {`{"a":1,}`, `{"a":1}`, true},
		"a trailing comma in a list":    {`{"a":[1,2, ]}`, `{"a":[1,2]}`, true},
		"a code fence":                  {"```json\n{\"a\":1}\n```", `{"a":1}`, true},
		"a code fence on one line":      {"```{\"a\":1}```", `{"a":1}`, true},
		"a fence without a language":    {"```\n{\"a\":1}\n```\n", `{"a":1}`, true},
		"an object encoded as a string": {`"{\"a\":\"x\\ny\"}"`, `{"a":"x\ny"}`, true},
		"encoded twice":                 {`"\"{\\\"a\\\":1}\""`, `{"a":1}`, true},
		"raw line breaks in a string":   {"{\"a\":\"x\ny\tz\"}", `{"a":"x\ny\tz"}`, true},
		"a byte order mark":             {"\uFEFF{}", `{}`, true},
		"a key in two objects":          {`{"a":{"a":1},"b":{"a":2}}`, `{"a":{"a":1},"b":{"a":2}}`, false},
		"a large number":                {`{"a":12345678901234567890.10}`, `{"a":12345678901234567890.1}`, false},
		"a lone surrogate":              {`{"a":"\ud83dx"}`, `{"a":"�x"}`, false},
		"bytes that are not UTF-8":      {"{\"a\":\"x\xffy\"}", `{"a":"x�y"}`, false},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			args, repaired, err := ParseArguments(c.raw)
			if err != nil {
				t.Fatal(err)
			}
			got, err := Canonical(args)
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != c.want || repaired != c.repaired {
				t.Errorf("got %s, repaired %v; want %s, repaired %v", got, repaired, c.want, c.repaired)
			}
		})
	}
}

// TS8
func TestParseArgumentsTellsTheModelWhatToMend(t *testing.T) {
	t.Parallel()
	cases := map[string]struct{ raw, say string }{
		"an unclosed object": {`{"path":"a.txt","content":"b"`,
			"ends at character 30, before the object that begins at character 1 was closed; send the whole call again"},
		"an unclosed string": {`{"path":"a.txt","content":"lon`,
			"before the string that begins at character 27 was closed"},
		"an unclosed list":        {`{"a":[1,2`, "before the list that begins at character 6 was closed"},
		"a cut after a colon":     {`{"a":`, "before the object that begins at character 1"},
		"a cut after a comma":     {`{"a":1,`, "before the object that begins at character 1"},
		"a cut inside an escape":  {`{"a":"x\u00`, "before the string that begins at character 6"},
		"a cut behind a slash":    {`{"a":"x\`, "before the string that begins at character 6"},
		"a cut inside a word":     {`{"a":tru`, "not complete"},
		"a cut inside the string": {`"{\"a\":1`, "not complete"},
		"a cut inside the inner":  {`"{\"a\":1"`, "the text in it is not complete"},
		"two objects":             {`{"a":1}{"b":2}`, `character 8 (near "{\"b\":2}"): a second object begins`},
		"text behind the object":  {`{"a":1} done`, "text after the end"},
		"text before the object":  {`Sure: {"a":1}`, "not a JSON value"},
		"a list":                  {`[1]`, "must be one JSON object"},
		"a number":                {`5`, `not 5`},
		"a string":                {`"file.txt"`, `not a string ("file.txt")`},
		"single quotes":           {`{'a':1}`, "in double quotes"},
		"single quoted values":    {`{"a":'b'}`, "strings and property names must stand in double quotes"},
		"Python words":            {`{"a":True}`, "true, false and null in lower case"},
		"an unescaped quote":      {`{"a":"say "hi" now"}`, "lacks its backslash"},
		"an unknown escape":       {`{"a":"C:\dir"}`, `a backslash itself is written \\`},
		"a missing colon":         {`{"a" 1}`, "(expecting ':')"},
		"a number out of range":   {`{"a":1e9999999}`, "the exponent of 1e9999999 is too large (in \"a\")"},
		"a bad number":            {`{"a":01}`, `a number begins with 0`},
		"two commas":              {`{"a":1,,"b":2}`, "property name"},
		"a comma alone":           {`{,}`, "property name"},
		"endless nesting":         {strings.Repeat("[", 1_000_000), "64 deep"},
		"a text without end":      {strings.Repeat(" ", MaxArgumentsBytes+1), "at most 16777216"},
		"a key twice": {`{"path":"a","path":"b"}`,
			`character 13 (near "\"path\":\"b\"}"): the property "path" is there twice`},
		"a key twice inside":      {`{"x":[{"k":null,"k":null}]}`, `the property "k" is there twice`},
		"a key in two spellings":  {`{"a":1,"\u0061":2}`, `the property "a" is there twice`},
		"an empty key twice":      {`{"":1,"":1}`, `the property "" is there twice`},
		"a key twice in a string": {`"{\"a\":1,\"a\":2}"`, `the property "a" is there twice`},
		"positions in characters": {`{"ä":"ö" "b"}`, "at character 10 "},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			args, _, err := ParseArguments(c.raw)
			var own *Error
			if !errors.As(err, &own) || own.Code != CodeInvalidArguments || !strings.Contains(own.Message, c.say) {
				t.Errorf("got %v, error %v; want %q in it", args, err, c.say)
			}
		})
	}
}

// EX2
func TestCanonicalIsOneTextForEqualArguments(t *testing.T) {
	t.Parallel()
	cases := map[string][]string{
		`{"a":1,"b":2}`:              {`{"b":2.0,"a":10e-1}`, `{ "a" : 1.000 , "b" : 0.2E+1 }`},
		`{"n":0}`:                    {`{"n":-0}`, `{"n":0.0e5}`, `{"n":-0.00}`},
		`{"n":-1500}`:                {`{"n":-1.5e3}`, `{"n":-1500.0}`},
		`{"n":0.001}`:                {`{"n":1e-3}`, `{"n":0.0010}`},
		`{"n":1e400}`:                {`{"n":10e399}`},
		`{"n":1.5e-300}`:             {`{"n":15e-301}`},
		`{"s":"<&>\u0001\n\"é"}`:     {`{"s":"\u003c\u0026\u003e\u0001\u000a\"\u00e9"}`},
		`{"a":{"x":[1,{"y":null}]}}`: {`{"a":{"x":[1e0,{"y":null}]}}`},
	}
	for want, same := range cases {
		for _, raw := range append(same, want) {
			args, _, err := ParseArguments(raw)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := Canonical(args); err != nil || string(got) != want {
				t.Errorf("%s: got %s, %v; want %s", raw, got, err, want)
			}
		}
	}
	fromGo, err := Canonical(map[string]any{"i": 5, "f": 2.5, "u": uint64(7), "l": []string{"a"},
		"m": map[string]int{"z": 1}})
	if err != nil || string(fromGo) != `{"f":2.5,"i":5,"l":["a"],"m":{"z":1},"u":7}` {
		t.Errorf("from Go values: %s, %v", fromGo, err)
	}
	if _, err := Canonical(map[string]any{"f": func() {}}); err == nil {
		t.Error("a function is encoded")
	}
}

// TS8, EX2
func FuzzParseArguments(f *testing.F) {
	for _, seed := range []string{"", "{}", `{"a":1,}`, "```json\n{}\n```", `"{\"a\":1}"`, `{"a":"\ud83d\ude00\u00`,
		`{"a":[1e5,-0.0,{"b":[]}]}`, "{\"a\":\"\x00\xff\"}", `[[[`, `{"a":1,"\u0061":{"b":1,"b":2}}`, `"", `} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		args, repaired, err := ParseArguments(raw)
		if json.Valid([]byte(raw)) {
			checkAgainstStandardLibrary(t, raw, args, repaired, err)
		}
		if err != nil {
			return
		}
		first, err := Canonical(args)
		if err != nil {
			t.Fatalf("canonical of %q: %v", raw, err)
		}
		if !json.Valid(first) {
			t.Fatalf("canonical of %q is not JSON: %s", raw, first)
		}
		again, mended, err := ParseArguments(string(first))
		if err != nil || mended {
			t.Fatalf("canonical %s does not parse as it is: %v", first, err)
		}
		second, err := Canonical(again)
		if err != nil || !bytes.Equal(first, second) {
			t.Fatalf("canonical of canonical differs: %s and %s, %v", first, second, err)
		}
	})
}

func checkAgainstStandardLibrary(t *testing.T, raw string, args map[string]any, repaired bool, parseErr error) {
	decoder := json.NewDecoder(strings.NewReader(raw))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return
	}
	if want, isObject := value.(map[string]any); isObject && parseErr == nil {
		if repaired || !reflect.DeepEqual(args, want) {
			t.Fatalf("%q: got %v (repaired %v), the standard library says %v", raw, args, repaired, want)
		}
	}
}

func BenchmarkParseAndCanonical(b *testing.B) {
	raw := `{"path":"src/main.go","start_line":1,"end_line":200,"encoding":"utf-8"}`
	for b.Loop() {
		args, _, err := ParseArguments(raw)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := Canonical(args); err != nil {
			b.Fatal(err)
		}
	}
}

// TS8
func BenchmarkParseMegabytesOfRawLineBreaks(b *testing.B) {
	raw := `{"a":"` + strings.Repeat("\n", 8<<20) + `"}`
	for b.Loop() {
		if _, _, err := ParseArguments(raw); err != nil {
			b.Fatal(err)
		}
	}
}
