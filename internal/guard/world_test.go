package guard

import (
	"context"
	"log/slog"
	"testing"

	"nanoclaw/internal/tools"
	_ "nanoclaw/internal/tools/builtin" // the definitions say what is done with files
)

func newEngine(t testing.TB, settings Settings, ledger Ledger) *Engine {
	t.Helper()
	compiled, err := settings.Compile()
	if err != nil {
		t.Fatal(err)
	}
	engine, err := New(Options{Settings: func() Settings { return compiled }, Ledger: ledger,
		Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	return engine
}

func toolCall(name, category string, effect tools.EffectKind, args map[string]any) Call {
	canonical, err := tools.Canonical(args)
	if err != nil {
		panic(err)
	}
	tool, ships := tools.Default().Get(name)
	if !ships {
		tool = &tools.Tool{Name: name, Category: category, Effect: effect}
	}
	return Call{
		Tool: tool, Args: args, Canonical: canonical,
		Call: tools.Call{ID: "call", Tool: name, RunID: "run", RootRunID: "run", ConversationID: "conversation",
			UserID: "user"},
	}
}

// asksFor says whether a guard lets a shell command wait for a person, or denies it.
func asksFor(t *testing.T, engine *Engine, command string) bool {
	t.Helper()
	decision, err := engine.Check(context.Background(), shellCall(command))
	if err != nil {
		t.Fatalf("%q: %v", command, err)
	}
	return decision.Verdict != Allow
}

func shellCall(command string) Call {
	return toolCall("shell_execute", "shell", tools.Writes, map[string]any{"command": command})
}
