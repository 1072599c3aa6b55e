package guard

import (
	"context"

	"nanoclaw/internal/tools"
)

// Call is what the guard judges. It must not be changed.
type Call struct {
	Tool      *tools.Tool
	Call      tools.Call
	Args      map[string]any // valid, defaults filled in, context values injected
	Canonical []byte         // Args as canonical JSON: what an approval is bound to
	Granted   *Grant         // set when a person approved this very call meanwhile: only Deny still counts
}

// Guard judges calls. It is safe for concurrent use; the executor asks about the
// calls of one conversation one after the other, in the order in which the model made them.
type Guard interface {
	// Check judges one call. An error, a panic and a decision without a known
	// verdict all mean that the call does not run.
	Check(ctx context.Context, call Call) (Decision, error)
}

// AllowAll is a guard that has nothing against any call.
type AllowAll struct{}

var _ Guard = AllowAll{}

// Check allows the call.
func (AllowAll) Check(context.Context, Call) (Decision, error) {
	return Decision{Verdict: Allow}, nil
}
