package anthropic

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"nanoclaw/internal/config"
	"nanoclaw/internal/llm"
	at "nanoclaw/internal/llm/anthropic/anthropictest"
	"nanoclaw/internal/llm/llmsuite"
)

func TestEachMisbehaviourEndsInTheRightResultOrTheRightError(t *testing.T) {
	t.Parallel()
	text := at.Answer(at.Text("one two three four five"))
	tests := []struct {
		name  string
		reply at.Reply
		code  string // "": the answer is whole
		want  string
	}{
		{"a stream that ends in the middle", text.Fault(at.Cut), llm.CodeProtocol, "before its answer was complete"},
		{"a connection that breaks", text.Fault(at.Drop), llm.CodeUnavailable, "connection"},
		{"an event that is no JSON", text.Fault(at.BadJSON), llm.CodeProtocol, "no model's answer"},
		{"an error event", text.Fault(at.ErrorEvent).Failing("overloaded_error", "Overloaded"), llm.CodeUnavailable,
			"Overloaded"},
		{"an error event of the API's own", text.Fault(at.ErrorEvent).Failing("api_error", "Internal server error"),
			llm.CodeUnavailable, "Internal"},
		{"a delta of nothing", text.Fault(at.StrayDelta), llm.CodeProtocol, "never began"},
		{"a web page", text.Fault(at.WebPage), llm.CodeProtocol, "before its answer was complete"},
		{"no message_stop", text.Fault(at.NoStop), "", "one two three four five"},
		{"events and blocks of the future", text.Fault(at.UnknownEvent), "", "one two three four five"},
		{"pieces of one byte", at.Answer(at.Text("你好, one")).Fragments(1), "", "你好, one"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, m := replying(t, test.reply)
			out := llmsuite.Collect(t, t.Context(), m, ask("x"))
			if test.code == "" {
				if out.Err != nil || out.Text != test.want {
					t.Errorf("%q, %v", out.Text, out.Err)
				}
				return
			}
			var failed *llm.Error
			if !errors.As(out.Err, &failed) || failed.Code != test.code || !strings.Contains(failed.Message,
				test.want) {
				t.Errorf("%#v", out.Err)
			}
		})
	}
}

func TestErrorsAreTypedAndSayWhatToDo(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name      string
		reply     at.Reply
		code      string
		retryable bool
		after     time.Duration
		want      string
	}{
		{"no right", at.Failure(403, "permission_error", "no access"), llm.CodeAuth, false, 0, "api_key"},
		{"too fast", at.Failure(429, "rate_limit_error", "slow down").With("Retry-After", "7"), llm.CodeRateLimited,
			true, 7 * time.Second, "slow down"},
		{"no credit", at.Failure(400, "invalid_request_error",
			"Your credit balance is too low to access the Anthropic API."), llm.CodeRateLimited, false, 0, "Top up"},
		{"billing", at.Failure(402, "billing_error", "pay"), llm.CodeRateLimited, false, 0, "Top up"},
		{"too large a body", at.Failure(413, "request_too_large", "Request exceeds the maximum size"),
			llm.CodeContextOverflow, false, 0, "Shorten"},
		{"too long with the output", at.Failure(400, "invalid_request_error",
			"input length and `max_tokens` exceed context limit: 199000 + 16384 > 200000"), llm.CodeContextOverflow,
			false, 0, "Shorten"},
		{"overloaded", at.Failure(529, "overloaded_error", "Overloaded"), llm.CodeUnavailable, true, 0, "later"},
		{"broken", at.Failure(500, "api_error", "Internal server error"), llm.CodeUnavailable, true, 0, "later"},
		{"slow", at.Failure(504, "timeout_error", "timed out"), llm.CodeUnavailable, true, 0, "later"},
		{"no such model", at.Failure(404, "not_found_error", "model: claude-x"), llm.CodeNotFound, false, 0,
			"claude-x"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			srv, m := replying(t, test.reply)
			m.opts.MaxRetries = 2
			out := llmsuite.Collect(t, t.Context(), m, ask("x"))
			var failed *llm.Error
			if !errors.As(out.Err, &failed) {
				t.Fatal(out.Err)
			}
			if failed.Code != test.code || failed.Retryable != test.retryable || failed.RetryAfter != test.after ||
				!strings.Contains(failed.Message, test.want) {
				t.Errorf("%#v", failed)
			}
			tries := 1
			if test.retryable {
				tries = 3
			}
			if got := len(srv.Requests()); got != tries {
				t.Errorf("%d tries, want %d", got, tries)
			}
		})
	}
}

func TestATryIsRepeatedOnlyBeforeTheFirstByteOfTheAnswer(t *testing.T) {
	t.Parallel()
	good := at.Answer(at.Text("fine"))
	for name, first := range map[string]at.Reply{
		"an HTTP error":                      at.Failure(529, "overloaded_error", "Overloaded"),
		"an error event before anything":     good.Fault(at.ErrorFirst).Failing("overloaded_error", "Overloaded"),
		"a broken answer before its content": good.Fault(at.StrayDelta),
	} {
		srv, m := replying(t, first, good)
		if out := llmsuite.Collect(t, t.Context(), m, ask("x")); out.Err != nil || out.Text != "fine" ||
			len(srv.Requests()) != 2 {
			t.Errorf("%s: %q, %v after %d tries", name, out.Text, out.Err, len(srv.Requests()))
		}
	}
	srv, m := replying(t, at.Answer(at.Text("one two three")).Fault(at.ErrorEvent).Failing("overloaded_error",
		"Overloaded"), good)
	if out := llmsuite.Collect(t, t.Context(), m, ask("x")); out.Err == nil || len(srv.Requests()) != 1 {
		t.Errorf("after text: %v after %d tries", out.Err, len(srv.Requests()))
	}
}

func TestTheWaitThatIsAskedForIsKeptWithinReason(t *testing.T) {
	t.Parallel()
	for after, tries := range map[string]int{"3": 2, "3600": 1} {
		srv, m := replying(t, at.Failure(429, "rate_limit_error", "slow").With("Retry-After", after),
			at.Answer(at.Text("fine")))
		var waited time.Duration
		m.pause = func(_ context.Context, d time.Duration) error { waited = d; return nil }
		out := llmsuite.Collect(t, t.Context(), m, ask("x"))
		if len(out.Retries) != tries-1 || tries == 2 && out.Retries[0].Wait != 3*time.Second {
			t.Errorf("Retry-After %s: announced %+v", after, out.Retries)
		}
		if len(srv.Requests()) != tries || (tries == 2 && waited != 3*time.Second) {
			t.Errorf("Retry-After %s: %d tries, waited %v", after, len(srv.Requests()), waited)
		}
	}
}

func TestSilenceInTheMiddleIsATimeout(t *testing.T) {
	t.Parallel()
	_, m := replying(t, at.Answer(at.Text("one two three")).Fault(at.Stall))
	m.opts.IdleTimeout = 30 * time.Millisecond
	out := llmsuite.Collect(t, t.Context(), m, ask("x"))
	var failed *llm.Error
	if !errors.As(out.Err, &failed) || failed.Code != llm.CodeTimeout || out.Text == "" {
		t.Errorf("%q, %v", out.Text, out.Err)
	}
}

func TestStopReasonsAndUsageAreTranslated(t *testing.T) {
	t.Parallel()
	for stop, want := range map[string]string{
		"end_turn": llm.FinishStop, "stop_sequence": llm.FinishStop, "pause_turn": llm.FinishStop,
		"max_tokens": llm.FinishLength, "model_context_window_exceeded": llm.FinishLength, "refusal": llm.FinishFilter,
	} {
		_, m := replying(t, at.Answer(at.Text("x")).Stopping(stop).Usage(map[string]any{
			"input_tokens": 10, "cache_read_input_tokens": 200, "cache_creation_input_tokens": 30,
			"output_tokens_details": map[string]any{"thinking_tokens": 4},
		}))
		out := llmsuite.Collect(t, t.Context(), m, ask("x"))
		if out.Err != nil || out.Response.FinishReason != want {
			t.Errorf("%s: %+v, %v", stop, out.Response, out.Err)
			continue
		}
		want := llm.Usage{PromptTokens: 240, CompletionTokens: 17, TotalTokens: 257, CachedTokens: 200,
			ReasoningTokens: 4}
		if out.Response.Usage != want {
			t.Errorf("usage %+v", out.Response.Usage)
		}
	}
}

func TestACallThatWasCutOffIsBrokenAndNotEmpty(t *testing.T) {
	t.Parallel()
	for arguments, want := range map[string]string{"": "{", `{"path":"a`: `{"path":"a`} {
		_, m := replying(t, at.Answer(at.ToolUse("t0", "f", ""), at.ToolUse("t1", "f",
			arguments)).Stopping("max_tokens"))
		out := llmsuite.Collect(t, t.Context(), m, ask("x"))
		if out.Err != nil || out.Response.FinishReason != llm.FinishLength {
			t.Fatalf("%+v %v", out.Response, out.Err)
		}
		if calls := out.Response.ToolCalls; calls[0].Arguments != "{}" || calls[1].Arguments != want {
			t.Errorf("%+v", calls)
		}
	}
}

func TestTheKeyIsNeverInAnErrorAndTheEnvironmentIsNotRead(t *testing.T) {
	t.Setenv("ANTHROPIC_API_KEY", "sk-ant-from-the-environment")
	t.Setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:1")
	t.Setenv("ANTHROPIC_CUSTOM_HEADERS", "X-Environment: yes")
	srv, m := replying(t, at.Failure(400, "invalid_request_error", "who is "+at.Key+"?"))
	out := llmsuite.Collect(t, t.Context(), m, ask("x"))
	if out.Err == nil || strings.Contains(out.Err.Error(), at.Key) || !strings.Contains(out.Err.Error(),
		"who is ***?") {
		t.Errorf("%v", out.Err)
	}
	if header := srv.Requests()[0].Header; header.Get("X-Environment") != "" || header.Get("X-Api-Key") != at.Key {
		t.Errorf("%v", header)
	}
	keyless := testModel(srv, func(c *config.Model) { c.APIKey = "" })
	var failed *llm.Error
	if out := llmsuite.Collect(t, t.Context(), keyless, ask("x")); !errors.As(out.Err, &failed) ||
		failed.Code != llm.CodeAuth {
		t.Errorf("%v", out.Err)
	}
}

func TestTheBaseURLMayNameThePath(t *testing.T) {
	t.Parallel()
	srv := at.NewServer(t)
	for _, suffix := range []string{"", "/", "/v1", "/v1/", "/v1/messages"} {
		m := testModel(srv, func(c *config.Model) { c.BaseURL += suffix })
		if out := llmsuite.Collect(t, t.Context(), m, ask("x")); out.Err != nil {
			t.Errorf("%q: %v", suffix, out.Err)
		}
	}
	for _, bad := range []string{"api.anthropic.com", "ftp://x", "http://"} {
		m := testModel(srv, func(c *config.Model) { c.BaseURL = bad })
		if out := llmsuite.Collect(t, t.Context(), m, ask("x")); out.Err == nil || !strings.Contains(out.Err.Error(),
			"base_url") {
			t.Errorf("%q: %v", bad, out.Err)
		}
	}
}

func TestNobodyThereIsUnavailable(t *testing.T) {
	t.Parallel()
	srv := at.NewServer(t)
	m := testModel(srv, func(c *config.Model) { c.BaseURL = "http://127.0.0.1:1" })
	var failed *llm.Error
	if out := llmsuite.Collect(t, t.Context(), m, ask("x")); !errors.As(out.Err, &failed) ||
		failed.Code != llm.CodeUnavailable || !failed.Retryable {
		t.Errorf("%v", out.Err)
	}
}

func TestAConnectionIsUsedAgain(t *testing.T) {
	t.Parallel()
	srv := at.NewServer(t)
	transport := &http.Transport{MaxConnsPerHost: 1}
	t.Cleanup(transport.CloseIdleConnections)
	m := testModel(srv)
	m.opts.HTTPClient = &http.Client{Transport: transport}
	m = newModel(m.cfg, m.info, m.opts)
	remote := make(map[string]bool)
	for range 5 {
		if out := llmsuite.Collect(t, t.Context(), m, ask("x")); out.Err != nil {
			t.Fatal(out.Err)
		}
	}
	for _, req := range srv.Requests() {
		remote[req.Remote] = true
	}
	if len(remote) != 1 {
		t.Errorf("%d connections for 5 calls", len(remote))
	}
}
