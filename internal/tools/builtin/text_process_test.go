package builtin

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"nanoclaw/internal/tools"
)

// BT4
func TestTextOperations(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		operation, text string
		more            map[string]any
		want            string // JSON of result
	}{
		{"count", "Hello, 世界!\nit's 👨‍👩‍👧", nil, `{"bytes":38,"characters":17,"code_points":21,"lines":2,"words":4}`},
		{"count", "", nil, `{"bytes":0,"characters":0,"code_points":0,"lines":0,"words":0}`},
		{"lines", "a\r\nb\n\nc\n", nil, `["a","b","","c"]`},
		{"words", "it's 3.5 灯塔, ok?", nil, `["it's","3.5","灯","塔","ok"]`},
		{"upper", "straße é", nil, `"STRASSE É"`},
		{"lower", "ÀB İ", nil, `"àb i̇"`},
		{"title", "the OLD man's sea", nil, `"The Old Man's Sea"`},
		{"trim", " \t\u3000a b\n", nil, `"a b"`},
		{"reverse", "ab👨‍👩‍👧e\u0301🇩🇪", nil, "\"🇩🇪e\u0301👨‍👩‍👧ba\""},
		{"reverse", "a\r\nb", nil, `"b\r\na"`},
		{"sort", "b\na\nc\n", nil, `"a\nb\nc"`},
		{"sort", "b\na\nc", map[string]any{"order": "desc"}, `"c\nb\na"`},
		{"sort", "10 b\n9 a\nx\n-2.5\n9.25\n09.2\n1234567890123456789\n1234567890123456788",
			map[string]any{"numeric": true},
			`"-2.5\n9 a\n09.2\n9.25\n10 b\n1234567890123456788\n1234567890123456789\nx"`},
		{"sort", "-1\nx\n2\n-10\n.5\n-0", map[string]any{"numeric": true, "order": "desc"}, `"2\n.5\n-0\n-1\n-10\nx"`},
		{"unique", "b\na\nb\na\n", nil, `"b\na"`},
		{"replace", "a.b.c", map[string]any{"pattern": ".", "replacement": "-"}, `"a-b-c"`},
		{"replace", "a.b.c", map[string]any{"pattern": "."}, `"abc"`},
		{"replace", "John Smith, Ann Lee", map[string]any{"pattern": `(\w+) (?P<last>\w+)`, "replacement": "${last} $1",
			"regex": true}, `"Smith John, Lee Ann"`},
		{"regex_extract", "a1 b22 c", map[string]any{"pattern": `\d+`}, `["1","22"]`},
		{"regex_extract", "a1 b22 c", map[string]any{"pattern": `([a-z])\d`}, `["a","b"]`},
		{"regex_extract", "k=v, x=", map[string]any{"pattern": `(\w)=(\w)?`}, `[["k","v"],["x",""]]`},
		{"regex_extract", "abc", map[string]any{"pattern": `\d`}, `[]`},
		{"regex_extract", "灯塔 tower", map[string]any{"pattern": `\p{Han}+`}, `["灯塔"]`},
		{"split", "a, b, c", map[string]any{"separator": ", "}, `["a","b","c"]`},
		{"split", "é字", map[string]any{"separator": ""}, `["é","字"]`},
		{"split", "a\nb", nil, `["a","b"]`},
		{"base64_encode", "héllo?>", nil, `"aMOpbGxvPz4="`},
		{"base64_decode", "aMOpbGxvPz4=", nil, `"héllo?>"`},
		{"base64_decode", " aMOpbGxv\nPz4 ", nil, `"héllo?>"`},
		{"base64_decode", "Pz8_", nil, `"???"`},
		{"url_encode", "a b&c=é/", nil, `"a%20b%26c%3D%C3%A9%2F"`},
		{"url_decode", "a%20b+c%C3%A9", nil, `"a b cé"`},
		{"hash", "abc", nil, `"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"`},
		{"hash", "abc", map[string]any{"algorithm": "md5"}, `"900150983cd24fb0d6963f7d28e17f72"`},
		{"hash", "abc", map[string]any{"algorithm": "sha1"}, `"a9993e364706816aba3e25717850c26c9cd0d89d"`},
		{"hash", "", map[string]any{"algorithm": "sha512"},
			`"cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e"`},
	} {
		args := map[string]any{"text": c.text, "operation": c.operation}
		for name, value := range c.more {
			args[name] = value
		}
		data, failure := execute(t, tools.Call{}, "text_process", args)
		got, err := json.Marshal(data["result"])
		var want any
		if json.Unmarshal([]byte(c.want), &want) != nil {
			t.Fatal(c.want)
		}
		wanted, _ := json.Marshal(want)
		if failure != "" || err != nil || string(got) != string(wanted) {
			t.Errorf("%s %q: %s %s, want %s", c.operation, c.text, failure, got, wanted)
		}
	}
}

// BT4
func TestTextThatCannotBeProcessedSaysWhy(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 500_000)
	for _, c := range []struct {
		args map[string]any
		say  string
	}{
		{map[string]any{"operation": "base64_decode", "text": "%%%"}, "invalid_arguments: the text is not base64"},
		{map[string]any{"operation": "base64_decode", "text": "/////w=="},
			"base64 of 4 bytes that are no UTF-8 text, beginning with the hexadecimal ffffffff"},
		{map[string]any{"operation": "url_decode", "text": "%zz"},
			"invalid_arguments: the text is not percent-encoded"},
		{map[string]any{"operation": "replace", "text": "a"}, "replace needs pattern"},
		{map[string]any{"operation": "regex_extract", "text": "a"}, "regex_extract needs pattern"},
		{map[string]any{"operation": "regex_extract", "text": "a", "pattern": "("}, "the pattern is no RE2 expression"},
		{map[string]any{"operation": "regex_extract", "text": "a", "pattern": "(?=a)"},
			"lookaround and backreferences do not exist"},
		{map[string]any{"operation": "regex_extract", "text": "a", "pattern": strings.Repeat("a", 2000)},
			"longer than 1000 bytes"},
		{map[string]any{"operation": "regex_extract", "text": long, "pattern": "(x{1,500}){2}y"},
			"too_large: the pattern is too large for a text of 500000 bytes"},
		{map[string]any{"operation": "replace", "text": long, "pattern": "x", "replacement": "12345"},
			"too_large: the result would be longer"},
		{map[string]any{"operation": "replace", "text": strings.Repeat("x", 200), "pattern": "x", "regex": true,
			"replacement": long}, "too_large: the result would be longer"},
		{map[string]any{"operation": "replace", "text": long, "pattern": "(?s).*", "regex": true,
			"replacement": strings.Repeat("$0", 100_000)}, "too_large: the result would be longer"},
		{map[string]any{"operation": "replace", "text": long, "pattern": "x", "regex": true,
			"replacement": strings.Repeat("$9", 1000)}, "too_large: the pattern has"},
		{map[string]any{"operation": "replace", "text": long, "pattern": "x", "regex": true,
			"replacement": "$" + strings.Repeat("a", 1000)}, "too_large: the pattern has"},
		{map[string]any{"operation": "replace", "text": "x", "pattern": "y", "replacement": strings.Repeat("y",
			maxProcessText+1)}, "too_large: the replacement has 1048577 bytes"},
		{map[string]any{"operation": "upper", "text": strings.Repeat("x", maxProcessText+1)},
			"too_large: the text has 1048577 bytes"},
		{map[string]any{"operation": "explode", "text": "a"}, "invalid_arguments"},
	} {
		if data, failure := execute(t, tools.Call{}, "text_process", c.args); !strings.Contains(failure, c.say) {
			t.Errorf("%s: %q %v", c.say, failure, data["count"])
		}
	}
}

// BT4: a replacement that is put in piece by piece means what it means as a whole.
func TestAReplacementMeansTheSameInPieces(t *testing.T) {
	t.Parallel()
	expression := regexp.MustCompile(`(?P<first>a)(b)?`)
	for _, template := range []string{"", "x", "$1", "${1}x$2y", "$$1", "$$$1", "$", "$$", "$$$", "a$", "${", "${a$1}",
		"${first}$first_$first", "$1$", "$2$3-$0", "${}$1", "$é$1"} {
		want := expression.ReplaceAllString("xabay", template)
		data, failure := execute(t, tools.Call{}, "text_process", map[string]any{"operation": "replace",
			"text": "xabay", "pattern": expression.String(), "regex": true, "replacement": template})
		if failure != "" || data["result"] != want {
			t.Errorf("%s: %v %s, want %s", template, data["result"], failure, want)
		}
	}
}

// BT4: many groups in many matches are not all kept.
func TestTheGroupsOfAllMatchesAreBounded(t *testing.T) {
	t.Parallel()
	_, matches, all, err := findAll(strings.Repeat("()", 450), strings.Repeat("a", 20_000),
		func() time.Time { return time.Time{} })
	if err != nil || all || len(matches) == 0 || len(matches)*451 > maxGroups {
		t.Errorf("%d matches, %v, %v", len(matches), all, err)
	}
}

// BT4: an expression that looks at the whole rest for each match is stopped.
func TestAnExpressionThatTakesLongIsCutShort(t *testing.T) {
	t.Parallel()
	at := time.Unix(0, 0)
	slow := func() time.Time { at = at.Add(time.Second); return at }
	still := func() time.Time { return time.Unix(0, 0) }
	text := strings.Repeat("a", 20_000)
	_, matches, all, err := findAll(`.*x|.`, text, slow)
	if err != nil || all || len(matches) == 0 || len(matches)*len(text) > totalSteps {
		t.Errorf("%d matches, %v, %v", len(matches), all, err)
	}
	_, matches, all, err = findAll(`a`, strings.Repeat("a b ", 100_000), still)
	if err != nil || !all || len(matches) != 100_000 {
		t.Errorf("of many quick matches %d were found, %v, %v", len(matches), all, err)
	}
	data, failure := execute(t, tools.Call{}, "text_process", map[string]any{"operation": "words",
		"text": strings.Repeat("a b ", 100_000)})
	if failure != "" || data["count"] != 200_000.0 || data["truncated"] != true ||
		len(data["result"].([]any)) != maxProcessItems {
		t.Errorf("a long list: %s %v", failure, data["count"])
	}
}

// BT4
func FuzzTextProcess(f *testing.F) {
	f.Add("count", "a 灯\r\n", "", "")
	f.Add("reverse", "🇩🇪e\u0301", "", "")
	f.Add("replace", "abc", "(b)", "$1$1")
	f.Add("regex_extract", "a=b", `(\w)=(\w)`, "")
	f.Add("base64_decode", "aGk", "", "")
	f.Add("url_decode", "%41+", "", "")
	f.Fuzz(func(t *testing.T, operation, text, pattern, replacement string) {
		if !utf8.ValidString(text) || !utf8.ValidString(pattern) || !utf8.ValidString(replacement) ||
			len(text) > 10_000 {
			return // arguments are JSON, and so UTF-8
		}
		result := tools.Default().Execute(t.Context(), "text_process", tools.Call{}, map[string]any{
			"operation": operation, "text": text, "pattern": pattern, "replacement": replacement, "regex": true,
		})
		if _, err := json.Marshal(result); err != nil || result.Code == tools.CodeInternal {
			t.Fatalf("%+v, %v", result, err)
		}
		if operation == "reverse" && len(reverseText(text)) != len(text) {
			t.Fatalf("%q", text)
		}
	})
}
