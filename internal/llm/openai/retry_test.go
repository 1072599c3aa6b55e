package openai

import (
	"context"
	"errors"
	"net"
	"slices"
	"testing"
	"time"

	"nanoclaw/internal/config"
	"nanoclaw/internal/llm"
	"nanoclaw/internal/llm/llmsuite"
	"nanoclaw/internal/llm/llmtest"
)

// waits records what the model waits between tries, without waiting.
func waits(m *Model) *[]time.Duration {
	var list []time.Duration
	m.pause = func(ctx context.Context, d time.Duration) error {
		list = append(list, d)
		return ctx.Err()
	}
	return &list
}

func TestWhatPassesIsTriedAgainBeforeTheFirstByte(t *testing.T) {
	t.Parallel()
	for name, failure := range map[string]llmtest.Reply{
		"429":     llmtest.Failure(429, "slow down"),
		"500":     llmtest.Failure(500, "oops"),
		"503":     llmtest.Failure(503, "down"),
		"529":     llmtest.Failure(529, "overloaded"),
		"hang-up": llmtest.Text("x").With(llmtest.HangUp),
		"an error at once": {Text: "x", FaultChunk: 0, Faults: []llmtest.Fault{llmtest.ErrorEvent},
			ErrorMessage: "overloaded"},
		"an end before a word": llmtest.Text("").With(llmtest.NoFinish),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := llmtest.NewServer(t)
			srv.On().Sequence(failure, failure, llmtest.Text("fine"))
			m := testModel(srv)
			slept := waits(m)
			out := llmsuite.Collect(t, t.Context(), m, ask("x"))
			if out.Err != nil || out.Text != "fine" {
				t.Fatalf("%q %v", out.Text, out.Err)
			}
			if len(*slept) != 2 || (*slept)[0] < 250*time.Millisecond || (*slept)[0] > 500*time.Millisecond ||
				(*slept)[1] < 500*time.Millisecond {
				t.Errorf("waited %v", *slept)
			}
		})
	}
}

func TestWhatStaysIsNotTriedAgain(t *testing.T) {
	t.Parallel()
	for name, failure := range map[string]llmtest.Reply{
		"400":         llmtest.Failure(400, "bad"),
		"401":         llmtest.Failure(401, "who"),
		"402":         llmtest.Failure(402, "Insufficient Balance"),
		"404":         llmtest.Failure(404, "no such model"),
		"no quota":    llmtest.Failure(429, "pay").WithCode("insufficient_quota"),
		"a long wait": llmtest.Failure(429, "slow").WithHeader("Retry-After", "3600"),
		"an overflow": llmtest.Failure(413, "too large"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv, m := replying(t, failure)
			out := llmsuite.Collect(t, t.Context(), m, ask("x"))
			if out.Err == nil || srv.Calls() != 1 {
				t.Errorf("%d requests, %v", srv.Calls(), out.Err)
			}
		})
	}
}

func TestRetriesEndAtTheLimitWithTheLastError(t *testing.T) {
	t.Parallel()
	srv, m := replying(t, llmtest.Failure(503, "down").WithHeader("Retry-After", "2"))
	m.opts.MaxRetries = 2
	slept := waits(m)
	out := llmsuite.Collect(t, t.Context(), m, ask("x"))
	var typed *llm.Error
	if !errors.As(out.Err, &typed) || typed.Code != llm.CodeUnavailable || typed.Status != 503 || !typed.Retryable ||
		typed.RetryAfter != 2*time.Second {
		t.Errorf("%+v", typed)
	}
	if srv.Calls() != 3 || !slices.Equal(*slept, []time.Duration{2 * time.Second, 2 * time.Second}) {
		t.Errorf("%d requests, waited %v", srv.Calls(), *slept)
	}
}

func TestARefusedConnectionIsTriedAgainAndNamed(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	listener.Close()
	m := newModel(config.Model{ID: "gone", BaseURL: "http://" + address + "/v1"}, llm.Info{}, llm.Options{})
	slept := waits(m)
	out := llmsuite.Collect(t, t.Context(), m, ask("x"))
	var typed *llm.Error
	if !errors.As(out.Err, &typed) || typed.Code != llm.CodeUnavailable || len(*slept) != llm.DefaultMaxRetries {
		t.Errorf("%v after %d waits", out.Err, len(*slept))
	}
}

func TestCancellingTheWaitGivesTheContextsError(t *testing.T) {
	t.Parallel()
	srv, m := replying(t, llmtest.Failure(503, "down"))
	ctx, cancel := context.WithCancel(t.Context())
	m.pause = func(ctx context.Context, _ time.Duration) error { cancel(); return ctx.Err() }
	if out := llmsuite.Collect(t, ctx, m, ask("x")); !errors.Is(out.Err, context.Canceled) || srv.Calls() != 1 {
		t.Errorf("%v after %d requests", out.Err, srv.Calls())
	}
}

func TestAWaitLongerThanTheDeadlineIsNotBegun(t *testing.T) {
	t.Parallel()
	srv, m := replying(t, llmtest.Failure(503, "down").WithHeader("Retry-After", "59"))
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	var typed *llm.Error
	if out := llmsuite.Collect(t, ctx, m, ask("x")); !errors.As(out.Err, &typed) || typed.Status != 503 ||
		srv.Calls() != 1 {
		t.Errorf("%v after %d requests", out.Err, srv.Calls())
	}
}

// A consumer learns why nothing comes, for how long, and may leave instead of waiting.
func TestAWaitIsAnnouncedWithItsReason(t *testing.T) {
	t.Parallel()
	srv := llmtest.NewServer(t)
	srv.On().Sequence(llmtest.Failure(429, "slow down").WithHeader("Retry-After", "26"), llmtest.Text("fine"))
	m := testModel(srv)
	waits(m)
	out := llmsuite.Collect(t, t.Context(), m, ask("x"))
	if out.Text != "fine" || len(out.Retries) != 1 {
		t.Fatalf("%q, retries %+v, %v", out.Text, out.Retries, out.Err)
	}
	got := out.Retries[0]
	if got.Wait != 26*time.Second || got.Try != 1 || got.Max != m.opts.MaxRetries || got.Reason == nil ||
		got.Reason.Code != llm.CodeRateLimited || got.Reason.Model != m.Info().ID {
		t.Errorf("%+v, reason %+v", got, got.Reason)
	}

	srv.On().Reply(llmtest.Failure(429, "slow down"))
	slept := waits(m)
	for range m.Stream(t.Context(), ask("x")) {
		break
	}
	if len(*slept) != 0 {
		t.Errorf("the consumer left, and it waited %v", *slept)
	}
}
