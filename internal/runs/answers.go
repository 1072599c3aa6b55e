package runs

import (
	"sync"

	"nanoclaw/internal/models"
)

// answers brings decisions to the calls in this process that wait for them. The
// zero value is ready for use.
type answers struct {
	mu      sync.Mutex
	waiting map[string]*question // by approval
}

// question is what a call waits for the answer to.
type question struct {
	LiveAsk
	answer chan *models.Approval // takes one
}

func (a *answers) expect(approvalID string, ask LiveAsk) <-chan *models.Approval {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.waiting == nil {
		a.waiting = map[string]*question{}
	}
	asked := &question{ask, make(chan *models.Approval, 1)}
	a.waiting[approvalID] = asked
	return asked.answer
}

// asked is what waits for a decision; nil: nothing does any more.
func (a *answers) asked(approvalID string) *question {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.waiting[approvalID]
}

func (a *answers) forget(approvalID string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.waiting, approvalID)
}

// bring hands a decision over where somebody waits for it. An approval is decided once.
func (a *answers) bring(decided *models.Approval) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if asked := a.waiting[decided.ID]; asked != nil {
		asked.answer <- decided
		delete(a.waiting, decided.ID)
	}
}
