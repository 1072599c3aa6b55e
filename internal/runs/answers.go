package runs

import (
	"sync"

	"nanoclaw/internal/models"
)

// answers brings decisions to the calls in this process that wait for them. The
// zero value is ready for use.
type answers struct {
	mu      sync.Mutex
	waiting map[string]chan *models.Approval // by approval; each takes one
}

func (a *answers) expect(approvalID string) <-chan *models.Approval {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.waiting == nil {
		a.waiting = map[string]chan *models.Approval{}
	}
	answer := make(chan *models.Approval, 1)
	a.waiting[approvalID] = answer
	return answer
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
	if answer := a.waiting[decided.ID]; answer != nil {
		answer <- decided
		delete(a.waiting, decided.ID)
	}
}
