package acp

import (
	"context"
	"testing"

	"nanoclaw/internal/tools"
)

type valueKey struct{}

// EX5, TG5: whoever decides gets the context of the call, and the task's time
// stands still meanwhile.
func TestWhoDecidesKnowsTheCall(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var seen any
	w.agents.Decide = func(ctx context.Context, _ tools.Call, _ PermissionRequest) Decision {
		seen = ctx.Value(valueKey{})
		return Decision{Allowed: true}
	}
	ctx := context.WithValue(t.Context(), valueKey{}, "of the call")
	answer, err := w.agents.Delegate(ctx, w.call(), "coder", "permission allow_once")
	if err != nil || answer.Response == "" || seen != "of the call" {
		t.Errorf("answer %+v, %v; seen %v", answer, err, seen)
	}
}
