package app

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nanoclaw/internal/config"
	"nanoclaw/internal/redact"
)

// SH8, RD1: a secret has the same id after a restart; the key is nobody else's to read.
func TestIDsOfSecretsOutliveARestart(t *testing.T) {
	t.Parallel()
	c := config.Default()
	c.DataDir = filepath.Join(t.TempDir(), "data")
	c.Redaction.Rules = []config.RedactionRule{{ID: "ticket", Pattern: `TICKET-\d+`, Strategy: "redact"}}
	redacted := func() string {
		t.Helper()
		options, err := redactionOptions(c)
		if err != nil {
			t.Fatal(err)
		}
		r, err := redact.New(options)
		if err != nil {
			t.Fatal(err)
		}
		return r.String("see TICKET-1")
	}
	path := filepath.Join(c.DataDir, redactionKeyFile)
	first := redacted()
	if again := redacted(); !strings.HasPrefix(first, "see [REDACTED:ticket:") || again != first {
		t.Errorf("%s, then %s", first, again)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	if left, err := os.ReadDir(c.DataDir); err != nil || len(left) != 1 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	if err := os.WriteFile(path, []byte("broken"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := redactionOptions(c); err == nil || !strings.Contains(err.Error(), "is broken") {
		t.Errorf("a broken key: %v", err)
	}
}

// SH8: rules of config.yml are in force at once.
func TestRulesOfRedactionNeedNoRestart(t *testing.T) {
	t.Parallel()
	c := config.Default()
	c.DataDir = t.TempDir()
	r, err := redact.New(redactOptions(c))
	if err != nil {
		t.Fatal(err)
	}
	a := &App{Redactor: r, Logger: slog.New(slog.DiscardHandler)}
	c.Redaction.Rules = []config.RedactionRule{{ID: "ticket", Pattern: `TICKET-\d+`, Strategy: "mask"}}
	c.Redaction.Personal = []string{"email"}
	a.reconfigureRedaction(c)
	if got := r.String("TICKET-123456 a.person@example.com"); strings.Contains(got, "123456") || strings.Contains(got,
		"person") {
		t.Error(got)
	}
	c.Redaction.Rules[0].Pattern = "("
	a.reconfigureRedaction(c)
	if got := r.String("TICKET-123456"); strings.Contains(got, "123456") {
		t.Errorf("behind a broken rule: %s", got)
	}
}
