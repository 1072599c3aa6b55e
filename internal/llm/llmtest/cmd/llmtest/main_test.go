package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestServeEndsWithItsContextAndRefusesABadScript(t *testing.T) {
	t.Parallel()
	script := filepath.Join(t.TempDir(), "script.json")
	if err := os.WriteFile(script, []byte(`{"rules":[{"reply":{"text":"hello"}}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := serve(ctx, "127.0.0.1:0", 10, script); err != nil {
		t.Error(err)
	}
	if err := serve(ctx, "127.0.0.1:0", 10, ""); err != nil {
		t.Errorf("without a script: %v", err)
	}
	if err := os.WriteFile(script, []byte(`{"rules":[{"reply":{"txt":"hello"}}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := serve(ctx, "127.0.0.1:0", 10, script); err == nil || !strings.Contains(err.Error(), "script.json") {
		t.Errorf("bad script: %v", err)
	}
	if err := serve(ctx, "127.0.0.1:0", 10, script+".gone"); err == nil {
		t.Error("a missing script was accepted")
	}
}
