package openai

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"nanoclaw/internal/config"
	"nanoclaw/internal/llm"
	"nanoclaw/internal/llm/llmsuite"
	"nanoclaw/internal/llm/llmtest"
)

var twoCalls = []llmtest.Call{
	{Name: "file_read", Arguments: `{"path":"notes/一.txt","start_line":1}`},
	{Name: "file_read", Arguments: `{"path":"notes/二.txt","start_line":2}`},
}

func got(calls []llm.ToolCall) string {
	var parts []string
	for _, call := range calls {
		parts = append(parts, call.Name+call.Arguments)
	}
	return strings.Join(parts, " ")
}

func wanted(calls []llmtest.Call) string {
	var parts []string
	for _, call := range calls {
		parts = append(parts, call.Name+call.Arguments)
	}
	return strings.Join(parts, " ")
}

// Each way to break tool calls on the wire must end in the same two calls.
func TestStreamedToolCallsSurvive(t *testing.T) {
	t.Parallel()
	for name, faults := range map[string][]llmtest.Fault{
		"interleaved fragments":                      {llmtest.Interleaved},
		"type repeated per fragment":                 {llmtest.TypeRepeated},
		"missing type":                               {llmtest.TypeMissing},
		"phantom call in an empty trailing fragment": {llmtest.EmptyFragment},
		"empty tail of the last call":                {llmtest.EmptyTail},
		"missing index":                              {llmtest.IndexMissing},
		"every index 0 with distinct ids":            {llmtest.IndexZero},
		"every index 0, ids on every fragment":       {llmtest.IndexZero, llmtest.IDRepeated, llmtest.Interleaved},
		"missing ids":                                {llmtest.IDMissing},
		"missing index and ids":                      {llmtest.IndexMissing, llmtest.IDMissing},
		"missing index, ids and types, names repeated": {llmtest.IndexMissing, llmtest.IDMissing, llmtest.TypeMissing,
			llmtest.NameRepeated},
		"id repeated on every fragment": {llmtest.IDRepeated},
		"id and name on every fragment": {llmtest.IDRepeated, llmtest.NameRepeated,
			llmtest.TypeRepeated},
		"another id on every fragment":                 {llmtest.IDFresh},
		"one id for all calls":                         {llmtest.IDsEqual},
		"one id for all calls, on every fragment":      {llmtest.IDsEqual, llmtest.IDRepeated, llmtest.Interleaved},
		"arguments as an object":                       {llmtest.ArgumentsObject},
		"each call in one fragment":                    {llmtest.ArgumentsWhole},
		"finish_reason stop with tool calls":           {llmtest.FinishStop},
		"empty content and reasoning beside fragments": {llmtest.ReasoningInCalls},
		"one JSON document instead of a stream":        {llmtest.JSONAnswer},
		"network packets cut inside a character":       {llmtest.UTF8Split},
		"CRLF and interleaved":                         {llmtest.CRLF, llmtest.Interleaved},
		"[DONE] without finish_reason":                 {llmtest.DoneOnly},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, m := replying(t, llmtest.Calls(twoCalls...).WithText("I look.").With(faults...))
			out := llmsuite.Collect(t, t.Context(), m, ask("x"))
			if out.Err != nil {
				t.Fatal(out.Err)
			}
			if got(out.Response.ToolCalls) != wanted(twoCalls) {
				t.Errorf("calls %s\nwant  %s", got(out.Response.ToolCalls), wanted(twoCalls))
			}
			if got(out.Calls) != wanted(twoCalls) {
				t.Errorf("pieces %s\nwant   %s", got(out.Calls), wanted(twoCalls))
			}
			if out.Response.ToolCalls[0].ID == out.Response.ToolCalls[1].ID || out.Response.ToolCalls[0].ID == "" {
				t.Errorf("ids %+v", out.Response.ToolCalls)
			}
			if out.Response.FinishReason != llm.FinishToolCalls {
				t.Errorf("finish %q", out.Response.FinishReason)
			}
			if out.Text != "I look." || out.Response.Text != "I look." {
				t.Errorf("tool JSON leaked into the text: %q, %q", out.Text, out.Response.Text)
			}
		})
	}
}

func TestLegacyFunctionCallIsAToolCall(t *testing.T) {
	t.Parallel()
	for _, faults := range [][]llmtest.Fault{{llmtest.LegacyFunction}, {llmtest.LegacyFunction, llmtest.JSONAnswer}} {
		_, m := replying(t, llmtest.Calls(twoCalls[0]).With(faults...))
		out := llmsuite.Collect(t, t.Context(), m, ask("x"))
		if out.Err != nil || got(out.Response.ToolCalls) != wanted(twoCalls[:1]) ||
			out.Response.FinishReason != llm.FinishToolCalls {
			t.Errorf("%v: %+v, %v", faults, out.Response, out.Err)
		}
	}
}

// Each way to frame or cut text must end in the same text and reasoning.
func TestStreamedTextSurvives(t *testing.T) {
	t.Parallel()
	const text, thinking = "Hello 你好 😀, friend.", "Let me 想 😀."
	for name, faults := range map[string][]llmtest.Fault{
		"nothing wrong":                  {},
		"reasoning instead of _content":  {llmtest.Reasoning},
		"inline think tags":              {llmtest.ThinkTags},
		"packets cut inside a character": {llmtest.UTF8Split},
		"chunks cut inside a character":  {llmtest.BytesSplit},
		"chunks cut inside a surrogate":  {llmtest.SurrogateSplit},
		"think tags cut anywhere":        {llmtest.ThinkTags, llmtest.BytesSplit},
		"content as an array of parts":   {llmtest.ContentParts},
		"nulls":                          {llmtest.ContentNull},
		"CRLF line ends":                 {llmtest.CRLF},
		"data: without a space":          {llmtest.NoSpace},
		"events without blank lines":     {llmtest.NoBlankLines},
		"one event on several lines":     {llmtest.DataLines},
		"comments and other fields":      {llmtest.Comments},
		"no [DONE]":                      {llmtest.NoDone},
		"[DONE] without finish_reason":   {llmtest.DoneOnly},
		"finish_reason twice":            {llmtest.FinishAgain},
		"one JSON document":              {llmtest.JSONAnswer},
		"a document with parts":          {llmtest.JSONAnswer, llmtest.ContentParts, llmtest.Reasoning},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, m := replying(t, llmtest.Text(text).WithThinking(thinking).With(faults...))
			out := llmsuite.Collect(t, t.Context(), m, ask("x"))
			if out.Err != nil {
				t.Fatal(out.Err)
			}
			if out.Text != text || out.Thinking != thinking || out.Response.Text != text ||
				out.Response.Reasoning != thinking {
				t.Errorf("text %q, thinking %q, whole %q, %q", out.Text, out.Thinking, out.Response.Text,
					out.Response.Reasoning)
			}
			if out.Response.FinishReason != llm.FinishStop {
				t.Errorf("finish %q", out.Response.FinishReason)
			}
		})
	}
}

func TestLinesLongerThan64KiBAreRead(t *testing.T) {
	t.Parallel()
	reply := llmtest.Text("a b")
	reply.PadLine = 300 << 10
	_, m := replying(t, reply)
	if out := llmsuite.Collect(t, t.Context(), m, ask("x")); out.Err != nil || out.Text != "a b" {
		t.Errorf("%q %v", out.Text, out.Err)
	}
}

// What cannot be repaired must be the right typed error, after the text that came.
func TestBrokenAnswersAreTypedErrors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		reply llmtest.Reply
		code  string
		says  string
	}{
		{"clean end without finish_reason", llmtest.Text("one two three").With(llmtest.NoFinish), llm.CodeProtocol,
			"finish_reason"},
		{"error event in mid-stream", llmtest.Reply{Text: "one two three", Faults: []llmtest.Fault{llmtest.ErrorEvent},
			ErrorMessage: "the engine died", ErrorType: "server_error"}, llm.CodeUnavailable, "the engine died"},
		{"rate limit event in mid-stream", llmtest.Reply{Text: "one two three",
			Faults: []llmtest.Fault{llmtest.ErrorEvent}, ErrorMessage: "slow", ErrorCode: "rate_limit_exceeded"},
			llm.CodeRateLimited, "slow"},
		{"status in an error event", llmtest.Reply{Text: "one two three", Faults: []llmtest.Fault{llmtest.ErrorEvent},
			ErrorMessage: "bad upstream", ErrorCode: "502"}, llm.CodeUnavailable, "bad upstream"},
		{"named error event", llmtest.Reply{Text: "one two three", Faults: []llmtest.Fault{llmtest.NamedError},
			ErrorMessage: "inappropriate content", ErrorCode: "data_inspection_failed"}, llm.CodeFiltered,
			"inappropriate"},
		{"broken JSON in mid-stream", llmtest.Text("one two three").With(llmtest.BrokenJSON), llm.CodeProtocol,
			"broken JSON"},
		{"broken JSON without blank lines", llmtest.Text("one two three").With(llmtest.BrokenJSON,
			llmtest.NoBlankLines), llm.CodeProtocol, "broken JSON"},
		{"connection cut in mid-stream", llmtest.Text("one two three").With(llmtest.Cut), llm.CodeUnavailable,
			"broke in the middle of the answer. Try again"},
		{"finish_reason that is an error", llmtest.Text("one two three").WithFinish("insufficient_system_resource"),
			llm.CodeUnavailable, "insufficient_system_resource"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			srv, m := replying(t, tt.reply)
			out := llmsuite.Collect(t, t.Context(), m, ask("x"))
			var typed *llm.Error
			if !errors.As(out.Err, &typed) || typed.Code != tt.code || !strings.Contains(typed.Message, tt.says) {
				t.Errorf("error %v", out.Err)
			}
			if strings.Contains(typed.Message, "EOF") {
				t.Errorf("in the words of a program: %v", typed)
			}
			if !strings.HasPrefix(out.Text, "one ") {
				t.Errorf("the text before the error is %q", out.Text)
			}
			if srv.Calls() != 1 {
				t.Errorf("%d requests after text had gone out", srv.Calls())
			}
		})
	}
}

func TestAnAnswerWithoutAnEndIsRefused(t *testing.T) {
	t.Parallel()
	var many []llmtest.Call
	for i := range maxCalls + 1 {
		many = append(many, llmtest.Call{Name: "f", Arguments: fmt.Sprint(i)})
	}
	endless := timedModel(func(w io.Writer) {
		piece := `data: {"choices":[{"delta":{"content":"` + strings.Repeat("x", 1<<20) + `"}}]}` + "\n\n"
		for {
			if _, err := io.WriteString(w, piece); err != nil {
				return
			}
		}
	})
	_, calling := replying(t, llmtest.Calls(many...))
	for name, m := range map[string]*Model{"endless text": endless, "too many calls": calling} {
		var last error
		for _, err := range m.Stream(t.Context(), ask("x")) {
			last = err
		}
		var typed *llm.Error
		if !errors.As(last, &typed) || typed.Code != llm.CodeProtocol || !strings.Contains(typed.Message,
			"longer than") {
			t.Errorf("%s: %v", name, last)
		}
	}
}

func TestAWebPageIsAClearError(t *testing.T) {
	t.Parallel()
	for status, retried := range map[int]bool{200: false, 502: true} {
		reply := llmtest.Reply{Status: status, Faults: []llmtest.Fault{llmtest.HTMLPage}}
		srv, m := replying(t, reply)
		out := llmsuite.Collect(t, t.Context(), m, ask("x"))
		var typed *llm.Error
		if !errors.As(out.Err, &typed) || typed.Code != llm.CodeUnavailable || !strings.Contains(typed.Message,
			"web page") || strings.Contains(typed.Message, "<") {
			t.Errorf("%d: %v", status, out.Err)
		}
		if (srv.Calls() > 1) != retried {
			t.Errorf("%d: %d calls", status, srv.Calls())
		}
	}
}

func TestThinkTagsAfterReasoningAreText(t *testing.T) {
	t.Parallel()
	_, m := replying(t, llmtest.Text("<think>is a tag</think>").WithThinking("hm"))
	if out := llmsuite.Collect(t, t.Context(), m, ask("x")); out.Err != nil || out.Text != "<think>is a tag</think>" ||
		out.Thinking != "hm" {
		t.Errorf("text %q, thinking %q, %v", out.Text, out.Thinking, out.Err)
	}
}

func TestAServerThatNeverSaysGoodbyeDoesNotLoseTheAnswer(t *testing.T) {
	t.Parallel()
	_, m := replying(t, llmtest.Text("whole answer").With(llmtest.StallAtEnd))
	m.grace = 10 * time.Millisecond
	if out := llmsuite.Collect(t, t.Context(), m, ask("x")); out.Err != nil || out.Response.Text != "whole answer" {
		t.Errorf("%+v %v", out.Response, out.Err)
	}
}

func TestUsageIsTakenFromWhereverItStands(t *testing.T) {
	t.Parallel()
	usage := llmtest.Usage{Prompt: 100, Completion: 20, Cached: 60, Reasoning: 5}
	want := llm.Usage{PromptTokens: 100, CompletionTokens: 20, TotalTokens: 120, CachedTokens: 60, ReasoningTokens: 5}
	for name, faults := range map[string][]llmtest.Fault{
		"a last chunk without choices": {},
		"each chunk, growing":          {llmtest.UsageEach},
		"the chunk of the end":         {llmtest.UsageFinish},
		"a document":                   {llmtest.JSONAnswer},
	} {
		_, m := replying(t, llmtest.Text("one two three four").WithUsage(usage).With(faults...))
		out := llmsuite.Collect(t, t.Context(), m, ask("x"))
		if out.Err != nil || out.Response.Usage != want {
			t.Errorf("%s: %+v %v", name, out.Response, out.Err)
		}
	}
}

func TestMissingUsageIsEstimatedAndMarked(t *testing.T) {
	t.Parallel()
	_, m := replying(t, llmtest.Text("one two three four").With(llmtest.UsageNone))
	out := llmsuite.Collect(t, t.Context(), m, ask("a question of some words"))
	if out.Err != nil {
		t.Fatal(out.Err)
	}
	if u := out.Response.Usage; !u.Estimated || u.PromptTokens < 5 || u.CompletionTokens < 4 ||
		u.TotalTokens != u.PromptTokens+u.CompletionTokens {
		t.Errorf("%+v", u)
	}
}

func TestFinishReasonsAreTranslated(t *testing.T) {
	t.Parallel()
	for sent, want := range map[string]string{
		"stop": llm.FinishStop, "eos": llm.FinishStop, "length": llm.FinishLength, "max_tokens": llm.FinishLength,
		"content_filter": llm.FinishFilter, "sensitive": llm.FinishFilter, "tool_calls": llm.FinishStop,
	} {
		_, m := replying(t, llmtest.Text("text").WithFinish(sent))
		if out := llmsuite.Collect(t, t.Context(), m, ask("x")); out.Err != nil || out.Response.FinishReason != want {
			t.Errorf("%s: %+v %v", sent, out.Response, out.Err)
		}
	}
}

// A chunk reaches the consumer while the server still holds the next one.
func TestPiecesArriveAsTheyAreSent(t *testing.T) {
	t.Parallel()
	for name, reply := range map[string]llmtest.Reply{
		"text":       llmtest.Text("one two"),
		"thinking":   llmtest.Text("x").WithThinking("one two"),
		"tool calls": llmtest.Calls(llmtest.Call{Name: "f", Arguments: `{"long":"enough"}`}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			gate := llmtest.NewGate()
			_, m := replying(t, reply.AtChunk(2, gate))
			n := 0
			for _, err := range m.Stream(t.Context(), ask("x")) {
				if err != nil {
					t.Fatal(err)
				}
				if n++; n == 1 {
					gate.Release() // the rest comes only because this piece did
				}
			}
			if n < 3 {
				t.Errorf("%d events", n)
			}
		})
	}
}

func TestAKeyNeverStandsInAnError(t *testing.T) {
	t.Parallel()
	reply := llmtest.Failure(401, fmt.Sprintf("Incorrect API key provided: %s. Also %s.", testKey, "header-secret"))
	srv := llmtest.NewServer(t)
	srv.On().Reply(reply)
	m := testModel(srv, func(c *config.Model) { c.Headers = map[string]config.Secret{"X-Extra": "header-secret"} })
	out := llmsuite.Collect(t, t.Context(), m, ask("x"))
	for err := out.Err; err != nil; err = errors.Unwrap(err) {
		if strings.Contains(err.Error(), testKey) || strings.Contains(err.Error(), "header-secret") {
			t.Errorf("%v", err)
		}
	}
	if srv.Requests()[0].Header.Get("Authorization") != "Bearer "+testKey ||
		srv.Requests()[0].Header.Get("X-Extra") != "header-secret" {
		t.Error("the key was not sent")
	}
	m = testModel(srv, func(c *config.Model) {
		c.BaseURL = "http://user:" + testKey + "@127.0.0.1:1/v1?key=" +
			testKey
	})
	if out = llmsuite.Collect(t, t.Context(), m, ask("x")); strings.Contains(fmt.Sprintf("%+v", out.Err), testKey) {
		t.Errorf("%v", out.Err)
	}
}
