package redact

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
)

type account struct{ User, Word string }

type lazy struct{ text string }

func (sc lazy) LogValue() slog.Value { return slog.StringValue(sc.text) }

type shy struct{ text string }

func (s shy) String() string { return "shy:" + s.text }

func TestNoLogLineShowsASecret(t *testing.T) {
	t.Parallel()
	const secret = "correct-horse-battery"
	r := newTest(t, Options{Values: []string{secret}})
	for name, inner := range map[string]func(*bytes.Buffer) slog.Handler{
		"text": func(b *bytes.Buffer) slog.Handler { return slog.NewTextHandler(b, nil) },
		"json": func(b *bytes.Buffer) slog.Handler { return slog.NewJSONHandler(b, nil) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			log := slog.New(r.Handler(inner(&out))).With("with", secret).WithGroup("group")
			log.Info("message "+secret,
				"string", secret, "error", fmt.Errorf("call: %w", errors.New(secret)),
				"group", slog.GroupValue(slog.String("in", secret)), "lazy", lazy{secret}, "shy", shy{secret},
				"struct", account{"me", secret}, "pointer", &account{"me", secret},
				"map", map[string]any{secret: []any{secret}}, "bytes", []byte(secret), "number", 42, "ok", true)
			if strings.Contains(out.String(), secret) {
				t.Errorf("a secret is in the log: %s", out.String())
			}
			for _, kept := range []string{"message ", "42", "true", "call: "} {
				if !strings.Contains(out.String(), kept) {
					t.Errorf("%q is missing: %s", kept, out.String())
				}
			}
		})
	}
}

// SH8: rules are exchanged while texts are redacted; a wrong rule changes nothing.
func TestRulesAreExchangedAtWork(t *testing.T) {
	t.Parallel()
	r := newTest(t, Options{Rules: []Rule{{ID: "old", Pattern: `old-\d+`}}, Values: []string{"the-old-value"}})
	stream := r.Stream()
	begun := stream.Write("old-1 ")
	var log bytes.Buffer
	logger := slog.New(r.Handler(slog.NewTextHandler(&log, nil)))
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range 200 {
			if got := r.String("x old-5 new-5"); got != "x [REDACTED:old] new-5" && got != "x old-5 [REDACTED:new]" {
				t.Errorf("between the rules: %q", got)
			}
		}
	}()
	if err := r.Configure(Options{Rules: []Rule{{ID: "new", Pattern: `new-\d+`}},
		Values: []string{"the-new-value"}}); err != nil {
		t.Fatal(err)
	}
	<-done
	if got := r.String(
		"old-1 new-1 the-old-value the-new-value"); got != "old-1 [REDACTED:new] the-old-value "+
		"[REDACTED:server-secret]" {
		t.Errorf("behind the exchange: %q", got)
	}
	logger.Info("new-2")
	if !strings.Contains(log.String(), "[REDACTED:new]") {
		t.Errorf("the log has %q", log.String())
	}
	if got := begun + stream.Write("old-2") + stream.Flush(); got != "[REDACTED:old] [REDACTED:old]" {
		t.Errorf("a stream that had begun: %q", got)
	}
	if err := r.Configure(Options{Rules: []Rule{{ID: "bad", Pattern: `(`}}}); err == nil {
		t.Error("a wrong rule was taken")
	}
	if got := r.String("new-1"); got != "[REDACTED:new]" {
		t.Errorf("behind a wrong rule: %q", got)
	}
}

// SH8: with the same key the same secret has the same digest, also after the rules changed.
func TestTheKeyOfHashesStays(t *testing.T) {
	t.Parallel()
	rules := []Rule{{ID: "x", Pattern: `x-\d+`, Strategy: Hash}}
	r, again := newTest(t, Options{Rules: rules, Key: []byte("key")}),
		newTest(t, Options{Rules: rules, Key: []byte("key")})
	first := r.String("x-1")
	if err := r.Configure(Options{Rules: rules}); err != nil {
		t.Fatal(err)
	}
	if r.String("x-1") != first || again.String("x-1") != first || newTest(t,
		Options{Rules: rules}).String("x-1") == first {
		t.Errorf("digests %s, %s, %s", first, r.String("x-1"), again.String("x-1"))
	}
}
