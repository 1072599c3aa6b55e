package runs

import (
	"maps"

	"nanoclaw/internal/models"
)

// wake lets a run look again for decisions, and those above it, which may wait for it.
func (t *tree) wake(runID string) {
	for {
		child := t.child(runID)
		if child == nil {
			return // the root: it looks before it lets go of the tree
		}
		child.wake()
		runID = child.run.ParentRunID
	}
}

// see notes an approval whose call is about to be entered. true: it is decided, and
// the agent acts on that now.
func (t *tree) see(approval *models.Approval) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	waits := approval.Status == models.ApprovalPending
	t.asked[approval.CallID] = waits
	if !waits {
		t.seen[approval.ID] = approval.DecidedAt
	}
	return !waits
}

func (t *tree) seenDecisions() map[string]models.Time {
	t.mu.Lock()
	defer t.mu.Unlock()
	return maps.Clone(t.seen)
}

// ask notes that a call waits for a person.
func (t *tree) ask(callID string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.asked[callID] = true
}

// unask says whether a call was noted, once.
func (t *tree) unask(callID string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	asked := t.asked[callID]
	delete(t.asked, callID)
	return asked
}
