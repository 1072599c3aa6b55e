package executor

import (
	"context"
	"testing"

	"nanoclaw/internal/tools"
)

// EX4: a tool that failed is not tried again by the executor, whatever its
// effect: the error goes back to the model.
func TestAFailedToolIsNotTriedAgain(t *testing.T) {
	t.Parallel()
	for _, effect := range []tools.EffectKind{tools.Pure, tools.External, tools.Volatile, tools.Writes} {
		b := newBench(t)
		runs := 0
		b.with("flaky", effect, func(context.Context, tools.Call) (any, error) {
			runs++
			if runs == 1 {
				return nil, tools.Errorf(tools.CodeUnavailable, "not now")
			}
			return "it would have worked", nil
		})
		outcomes, err := b.Process(t.Context(), b.env, calls("flaky"))
		if err != nil {
			t.Fatal(err)
		}
		if runs != 1 || outcomes[0].Record.Success {
			t.Errorf("%s: ran %d times and answered %s", effect, runs, outcomes[0].Record.Result)
		}
	}
}
