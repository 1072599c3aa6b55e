package executor

import (
	"context"
	"strings"
	"testing"

	"nanoclaw/internal/redact"
	"nanoclaw/internal/tools"
)

func redacting(t *testing.T) func(*Options) {
	t.Helper()
	r, err := redact.New(redact.Options{Key: []byte("key")})
	if err != nil {
		t.Fatal(err)
	}
	return func(o *Options) {
		o.Redact, o.Count, o.Placeholder = r.String, r.Count, redact.FirstMark
	}
}

// RD1: a tool that writes never gets a placeholder that it does not resolve, and
// nobody is asked about the call.
func TestAPlaceholderIsRefusedWhereItWouldBeStored(t *testing.T) {
	t.Parallel()
	const mark = "[REDACTED:password:0123456789ab]"
	both(t, func(t *testing.T, process func(*bench, Batch) []Outcome) {
		b := newBench(t, redacting(t))
		type resolvingArgs struct {
			Text string   `json:"text"`
			Name string   `json:"name,omitempty"`
			More []string `json:"more,omitempty"`
		}
		b.registry.Register(tools.Define("resolve", "Resolves.", func(_ context.Context, _ tools.Call,
			a resolvingArgs) (string, error) {
			return a.Text, nil
		}, tools.Effect(tools.Writes), tools.Resolves("text")))
		outcomes := process(b, calls(
			`write {"cell":"x","text":"a `+mark+`"}`, `write {"cell":"[REDACTED:secret]","text":"a"}`,
			`write {"cell":"x","text":"\u005bREDACTED:password:01"}`,
			`resolve {"text":"a","more":["b","`+mark+`"]}`, `read {"cell":"`+mark+`"}`, `resolve {"text":"`+mark+`"}`))
		for i, o := range outcomes {
			refused := i < 4
			if r := resultOf(t, o); r.Success == refused || refused && r.Code != tools.CodeUnresolvedPlaceholder {
				t.Errorf("%s %s: %s", o.Invocation.Name, o.Invocation.Arguments, o.Record.Result)
			}
		}
		if got := b.world.ran("write"); got != 0 {
			t.Errorf("write ran %d times", got)
		}
		if _, err := b.Preview(b.env, tools.Invocation{Name: "write", Arguments: `{"cell":"x","text":"` + mark +
			`"}`}); tools.CodeOf(err) != tools.CodeUnresolvedPlaceholder {
			t.Errorf("arguments that a person edited: %v", err)
		}
	})
}

// RD2: a result says how many secrets were redacted in it, also from the cache.
func TestAResultSaysHowManySecretsWereRedacted(t *testing.T) {
	t.Parallel()
	b := newBench(t, redacting(t))
	b.env.Journal = nil // the second batch has the ids of the first
	b.world.set("p1", "two", "A_PASSWORD=hunter2hunter2\nB_PASSWORD=Blue!42Tango\n[REDACTED:password]\n")
	b.world.set("p1", "none", "nothing, or [REDACTED:password]")
	for range 2 {
		outcomes, err := b.Process(t.Context(), b.env, calls(`read {"cell":"two"}`, `read {"cell":"none"}`))
		if err != nil {
			t.Fatal(err)
		}
		if got := outcomes[0].Record.Result; !strings.HasPrefix(got, `{"success":true,"redacted":2,"data":"`) ||
			resultOf(t, outcomes[0]).Redacted != 2 {
			t.Errorf("got %s", got)
		}
		if got := outcomes[1].Record.Result; strings.Contains(got, `"redacted"`) {
			t.Errorf("got %s", got)
		}
	}
}

// EX5, RD1: a cut never leaves a part of a placeholder.
func TestAPlaceholderIsNotCut(t *testing.T) {
	t.Parallel()
	r, err := redact.New(redact.Options{Key: []byte("key")})
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Repeat("x", 60) + " A_PASSWORD=hunter2hunter2 " + strings.Repeat("y", 200)
	for limit := 60; limit < 200; limit++ {
		got := answerOf(t, limit, r.String, text, nil)
		if at := strings.Index(got, "[REDACTED:"); at >= 0 && !strings.Contains(got[at:], "] ") &&
			!strings.Contains(got[at:], `]\n[cut`) {
			t.Fatalf("limit %d: %s", limit, got)
		}
		if strings.Contains(got, "[REDA") && !strings.Contains(got, "[REDACTED:password:") {
			t.Fatalf("limit %d: %s", limit, got)
		}
	}
}
