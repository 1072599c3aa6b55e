package runs

import (
	"sync"

	"nanoclaw/internal/models"
)

// transcript is what a root run has stored of itself, so that its end need not read it.
// It knows nothing of a run that an earlier attempt has worked on.
type transcript struct {
	mu    sync.Mutex
	known bool
	steps []*models.Step
	calls []*models.ToolCall
}

func newTranscript(root *models.Run) *transcript { return &transcript{known: root.Attempt == 1} }

// add keeps a step that was stored, with its calls.
func (t *transcript) add(step *models.Step, calls []*models.ToolCall) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.steps = append(t.steps, step)
	t.calls = append(t.calls, calls...)
}

// finish keeps the result of a call that was stored. first: it is the call's first one.
func (t *transcript) finish(result *models.ToolCall, first bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, call := range t.calls {
		if call.ID != result.ID {
			continue
		}
		t.known = t.known && first
		call.State, call.Result, call.Success, call.Skipped = result.State, result.Result, result.Success, result.Skipped
		call.Cached, call.DuplicateOf, call.ExecutionTime = result.Cached, result.DuplicateOf, result.ExecutionTime
		call.Images, call.Files = result.Images, result.Files
	}
}

// forget leaves the rows to the database: a decision may have changed them there.
func (t *transcript) forget() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.known = false
}

// rows are the steps and their calls in order; false: they stand in the database alone.
func (t *transcript) rows() ([]*models.Step, []*models.ToolCall, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.steps, t.calls, t.known
}
