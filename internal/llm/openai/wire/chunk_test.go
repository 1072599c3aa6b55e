package wire

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"nanoclaw/internal/llm"
)

func TestAChunkIsReadInEveryShapeThatServersGiveIt(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, in                           string
		content, reasoning, finish, errors string
	}{
		{"text", `{"choices":[{"index":0,"delta":{"content":"a\n\"b\"\u00e9\ud83d\ude00"},"finish_reason":null}]}`,
			"a\n\"b\"é😀", "", "", ""},
		{"nulls", `{"choices":[{"delta":{"content":null,"tool_calls":null,"function_call":null,"reasoning":null},"finish_reason":"stop","usage":null}],"usage":null,"error":null}`, "", "", "stop", ""},
		{"reasoning_content", `{"choices":[{"delta":{"reasoning_content":"hm"}}]}`, "", "hm", "", ""},
		{"reasoning", `{"choices":[{"delta":{"reasoning":"hm"}}]}`, "", "hm", "", ""},
		{"both names of reasoning", `{"choices":[{"delta":{"reasoning":"hm","reasoning_content":"hm"}}]}`, "", "hm", "",
			""},
		{"parts", `{"choices":[{"delta":{"content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]},{"type":"text","text":"a"},"b"]}}]}`, "ab", "hm", "", ""},
		{"other choices", `{"choices":[{"delta":{"content":"a"}},{"delta":{"content":"b"}}]}`, "a", "", "", ""},
		{"message after delta", `{"choices":[{"delta":{"content":"a"},"message":{"content":"whole"}}]}`, "a", "", "",
			""},
		{"error object", `{"error":{"message":"no"}}`, "", "", "", `{"message":"no"}`},
		{"error text", `{"error":"no"}`, "", "", "", `"no"`},
		{"error in an array", `[{"error":{"code":400}}]`, "", "", "", `{"code":400}`},
		{"object of errors", `{"object":"error","message":"no"}`, "", "", "", `{"object":"error","message":"no"}`},
		{"message alone", `{"code":"Bad","message":"no"}`, "", "", "", `{"code":"Bad","message":"no"}`},
		{"detail alone", `{"detail":"Not Found"}`, "", "", "", `{"detail":"Not Found"}`},
		{"nothing", `{}`, "", "", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var c Chunk
			if err := c.parse([]byte(tt.in)); err != nil {
				t.Fatal(err)
			}
			if string(c.Content) != tt.content || string(c.Reasoning) != tt.reasoning || c.Finish != tt.finish ||
				string(c.Error) != tt.errors {
				t.Errorf("content %q, reasoning %q, finish %q, error %q", c.Content, c.Reasoning, c.Finish, c.Error)
			}
		})
	}
}

func TestUsageIsReadFromAllItsPlaces(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]llm.Usage{
		`{"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":2,"total_tokens":7,"prompt_tokens_details":{"cached_tokens":3},"completion_tokens_details":{"reasoning_tokens":1}}}`: {PromptTokens: 5, CompletionTokens: 2, TotalTokens: 7, CachedTokens: 3, ReasoningTokens: 1},
		`{"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":2,"total_tokens":7,"prompt_cache_hit_tokens":4,"prompt_tokens_details":null}}`:                                       {PromptTokens: 5, CompletionTokens: 2, TotalTokens: 7, CachedTokens: 4, ReasoningTokens: 0},
		`{"choices":[{"delta":{},"usage":{"prompt_tokens":5,"completion_tokens":2.0,"cached_tokens":1}}]}`:                                                                                 {PromptTokens: 5, CompletionTokens: 2, TotalTokens: 7, CachedTokens: 1, ReasoningTokens: 0},
	} {
		var c Chunk
		if err := c.parse([]byte(in)); err != nil || c.Usage == nil || *c.Usage != want {
			t.Errorf("%s: %+v %v", in, c.Usage, err)
		}
	}
}

func TestBrokenJSONIsASyntaxError(t *testing.T) {
	t.Parallel()
	for _, in := range []string{
		``, `{`, `{"choices":[{"delta":{"content":"bro`, `{"a":1,}`, `[1,]`, `{"a":01}`, `{"a":1.}`, `{"a":tru}`, `{}x`,
		`{"a":"\x"}`, "{\"a\":\"\n\"}", `{"choices":"x"}`, `{"a" 1}`, `"text"`, strings.Repeat(`{"a":`, 5000),
	} {
		var c Chunk
		if err := c.parse([]byte(in)); !errors.Is(err, ErrSyntax) {
			t.Errorf("%.60q: %v", in, err)
		}
	}
}

// Strings are read as encoding/json reads them, once their pieces are joined.
func FuzzAStringIsReadAsEncodingJSONReadsIt(f *testing.F) {
	for _, seed := range []string{`"x\u00e9\ud83d\ude00\n"`, `"\ud83d"`, `"é"`, `"\ud83dx"`, `"\/"`,
		`"\ud83d\ud83d\ude00"`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var want string
		var read text
		if !utf8.Valid(data) || json.Unmarshal(data, &want) != nil || json.Unmarshal(data, &read) != nil {
			return
		}
		var j Joiner
		got := string(j.Push(read))
		got += string(j.Flush())
		if got != want {
			t.Fatalf("%q: %q, want %q", data, got, want)
		}
	})
}

func FuzzAPayloadGivesAChunkOrASyntaxError(f *testing.F) {
	for _, seed := range []string{hello, `[{"error":{}}]`,
		`{"choices":[{"delta":{"tool_calls":[{"index":-1,"function":null}]}}]}`,
		`{"choices":[{"message":{"content":[1,{"text":2}]}}],"usage":{"prompt_tokens":1e99}}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var c Chunk
		if err := c.parse(data); err == nil != json.Valid(data) && !errors.Is(err, ErrSyntax) {
			t.Fatalf("%q: %v", data, err)
		}
	})
}
