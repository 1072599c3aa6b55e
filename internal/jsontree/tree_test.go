package jsontree

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestATreeKeepsOrderNumbersAndDuplicateNames(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`{"z":1.50,"a":[true,null,-0.0],"z":{}}`: `{"z":1.50,"a":[true,null,-0.0],"z":{}}`,
		` { "a" : "\u00e9\u003c\/" } `:           `{"a":"é</"}`,
		`12345678901234567890.10`:                `12345678901234567890.10`,
		`"\ud83d"`:                               `"�"`,
		"\"a\xffb\"":                             `"a�b"`,
	} {
		tree, err := Parse([]byte(in))
		if err != nil {
			t.Fatalf("%s: %v", in, err)
		}
		if got := string(tree.Append(nil)); got != want {
			t.Errorf("%s became %s, want %s", in, got, want)
		}
	}
	for _, in := range []string{``, `{`, `{"a":1,}`, `1 2`, `{} x`, `[1}`} {
		if _, err := Parse([]byte(in)); err == nil {
			t.Errorf("%s is accepted", in)
		}
	}
}

// TS8
func TestAnErrorCountsCharactersOfTheTextBeforeRepairs(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]int{
		"{\"a\":\"\n\n\",\"b\":[1,],\"a\":2}": 20,
		"{\"ä\":\"ö\t\",\"b\":nope}":          16,
		"{\"a\":\"\n\" \"b\"}":                10,
	} {
		_, _, err := Repair(in, 9)
		var syntax *SyntaxError
		if !errors.As(err, &syntax) || syntax.Character != want {
			t.Errorf("%q: %v at %v, want %d", in, err, syntax, want)
		}
	}
}

// TS8
func FuzzRepairKeepsWhatIsValidAndNeverCompletesAText(f *testing.F) {
	for _, seed := range []string{`{"a":[1,{"b":"x\n"}],}`, "\"\n\"", `[1,2`, `{"a":"\u00e9\\`, `[,]`, "[\"\x01\\\n\"]",
		"0,", "{\"\x04\":["} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, in string) {
		tree, repaired, err := Repair(in, 50)
		if err != nil {
			if message := err.Error(); !utf8.ValidString(message) || len(message) > 1000 {
				t.Fatalf("%q: %q", in, message)
			}
			return
		}
		if !json.Valid(tree.Append(nil)) {
			t.Fatalf("%q became %s", in, tree.Append(nil))
		}
		if valid := json.Valid([]byte(in)); valid == repaired {
			t.Fatalf("%q: valid %v, repaired %v", in, valid, repaired)
		}
		if brackets(in) != brackets(string(tree.Append(nil))) {
			t.Fatalf("%q became %s: brackets were added", in, tree.Append(nil))
		}
	})
}

// brackets counts the brackets outside strings.
func brackets(text string) (n int) {
	inString := false
	for i := 0; i < len(text); i++ {
		switch {
		case inString && text[i] == '\\':
			i++
		case text[i] == '"':
			inString = !inString
		case !inString && strings.IndexByte("[]{}", text[i]) >= 0:
			n++
		}
	}
	return n
}

func FuzzAppendStringAgreesWithEncodingJSON(f *testing.F) {
	f.Add("a\"\\\n\x00é\xff😀<")
	f.Fuzz(func(t *testing.T, in string) {
		var got string
		if err := json.Unmarshal(AppendString(nil, in), &got); err != nil || !reflect.DeepEqual([]rune(got),
			[]rune(in)) {
			t.Fatalf("%q became %q, %v", in, got, err)
		}
	})
}

func BenchmarkParseOneMegabyte(b *testing.B) {
	text := []byte(`[` + strings.Repeat(`{"path":"src/main.go","line":12,"text":"func main() {\n"},`, 16_000) + `0]`)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := Parse(text); err != nil {
			b.Fatal(err)
		}
	}
}
