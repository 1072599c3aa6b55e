package metrics

import (
	"context"
	"errors"
	"iter"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/common/expfmt"

	"nanoclaw/internal/llm"
	"nanoclaw/internal/models"
	"nanoclaw/internal/store"
)

// scriptedModel is a model that yields events, then an error.
type scriptedModel struct {
	events []llm.Event
	err    error
}

func (scriptedModel) Info() llm.Info { return llm.Info{ID: "m", Provider: "openai"} }

func (s scriptedModel) Stream(context.Context, llm.Request) iter.Seq2[llm.Event, error] {
	return func(yield func(llm.Event, error) bool) {
		for _, event := range s.events {
			if !yield(event, nil) {
				return
			}
		}
		if s.err != nil {
			yield(llm.Event{}, s.err)
		}
	}
}

// exposed is what /metrics would show of the collectors.
func exposed(t *testing.T, collectors ...prometheus.Collector) string {
	t.Helper()
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors...)
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for _, family := range families {
		if _, err := expfmt.MetricFamilyToText(&out, family); err != nil {
			t.Fatal(err)
		}
	}
	return out.String()
}

func TestModelCallsAreCountedByProviderAndOutcome(t *testing.T) {
	t.Parallel()
	metrics := newModelMetrics()
	text := llm.Event{Kind: llm.EventText, Text: "hi"}
	done := llm.Event{Kind: llm.EventDone, Response: &llm.Response{Usage: llm.Usage{PromptTokens: 7,
		CompletionTokens: 3}}}
	for _, s := range []scriptedModel{
		{events: []llm.Event{text, done}}, {err: &llm.Error{Code: llm.CodeAuth}}, {err: context.Canceled},
		{err: errors.New("x")},
	} {
		for range (meteredModel{s, metrics}).Stream(t.Context(), llm.Request{}) { // to its end
		}
	}
	for range (meteredModel{scriptedModel{events: []llm.Event{text, done}}, metrics}).Stream(t.Context(),
		llm.Request{}) {
		break
	}
	got := exposed(t, metrics.collectors()...)
	for _, want := range []string{
		`nanoclaw_model_calls_total{code="success",model="m",provider="openai"} 1`,
		`nanoclaw_model_calls_total{code="` + llm.CodeAuth + `",model="m",provider="openai"} 1`,
		`nanoclaw_model_calls_total{code="cancelled",model="m",provider="openai"} 1`,
		`nanoclaw_model_calls_total{code="internal",model="m",provider="openai"} 1`,
		`nanoclaw_model_calls_total{code="abandoned",model="m",provider="openai"} 1`,
		`nanoclaw_model_tokens_total{kind="prompt",model="m",provider="openai"} 7`,
		`nanoclaw_model_tokens_total{kind="completion",model="m",provider="openai"} 3`,
		`nanoclaw_model_first_token_seconds_count{provider="openai"} 2`,
		`nanoclaw_model_call_duration_seconds_count{provider="openai"} 5`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is missing in\n%s", want, got)
		}
	}
}

func TestWaitingWorkIsShownAndNothingIsWhileTheDatabaseIsAway(t *testing.T) {
	t.Parallel()
	load := store.Load{QueuedRuns: 2, OldestQueued: models.Now(), PendingApprovals: 3, OutboxRows: 4}
	got := exposed(t, newLoadCollector(func(context.Context) (store.Load, error) { return load, nil }))
	for _, want := range []string{
		"nanoclaw_runs_queued 2", "nanoclaw_runs_queued_oldest_seconds ", "nanoclaw_approvals_pending 3",
		"nanoclaw_outbox_rows 4",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is missing in\n%s", want, got)
		}
	}
	away := newLoadCollector(func(context.Context) (store.Load, error) { return store.Load{}, errors.New("away") })
	if got := exposed(t, away); got != "" {
		t.Errorf("shown while the database is away: %s", got)
	}
}
