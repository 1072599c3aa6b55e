package runs

import (
	"context"
	"errors"
	"sync"

	"nanoclaw/internal/models"
	"nanoclaw/internal/store"
	"nanoclaw/internal/tools"
)

// resultQueue gathers the results of calls that finish at the same time: what finishes
// before the writer of the database has come to the tree shares one transaction.
type resultQueue struct {
	mu      sync.Mutex
	waiting []*callResult
	storing bool
}

// callResult is a finished call of a run of the tree, as it is stored.
type callResult struct {
	call   *models.ToolCall
	event  *models.Outbox
	audit  *models.Audit // nil: it has none
	first  bool          // no result was stored before it
	stored chan struct{}
	err    error
}

// AuditCall keeps the audit row of a call whose result is about to be stored, and
// stores it with that. false: no run at work here has made the call.
func (s *Service) AuditCall(row *models.Audit) bool {
	t := s.tree(row.RootRunID)
	if t == nil {
		return false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.audits[row.CallID] = row
	return true
}

// storeResult is the checkpoint after a tool call. It returns once the record, its
// event and its audit row are stored.
func (t *tree) storeResult(run *models.Run, record tools.Record) error {
	result := &callResult{call: callOf(record), audit: t.takeAudit(record.ID),
		event:  eventRow(EventCallFinished, run, callFinishedPayload{ToolCall: record}),
		stored: make(chan struct{}), err: errNotStored}
	if t.results.add(result) {
		defer t.results.leave()
		for !t.results.empty() {
			t.storeResults()
		}
	}
	<-result.stored
	return result.err
}

var errNotStored = errors.New("the result of the call was not stored")

// add says whether the caller has to store what waits.
func (q *resultQueue) add(result *callResult) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waiting = append(q.waiting, result)
	first := !q.storing
	q.storing = true
	return first
}

// empty says that nothing waits. The next caller of add stores then.
func (q *resultQueue) empty() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.storing = len(q.waiting) > 0
	return !q.storing
}

func (q *resultQueue) take() []*callResult {
	q.mu.Lock()
	defer q.mu.Unlock()
	batch := q.waiting
	q.waiting = nil
	return batch
}

// leave lets nobody wait for a caller that panicked.
func (q *resultQueue) leave() {
	for !q.empty() {
		tell(q.take())
	}
}

func tell(batch []*callResult) {
	for _, result := range batch {
		close(result.stored)
	}
}

// storeResults stores what waits when the transaction begins.
func (t *tree) storeResults() {
	var batch []*callResult
	defer func() { tell(batch) }()
	ctx, cancel := context.WithTimeout(context.Background(), checkpointTimeout)
	defer cancel()
	err := t.commit(ctx, "call_finished", func(tx *store.Tx) error {
		batch = append(batch, t.results.take()...)
		var audits []*models.Audit
		for _, result := range batch {
			first, err := tx.FinishCall(result.call)
			if err != nil {
				return err
			}
			if result.first = first; first {
				tx.Send(result.event)
			}
			if result.audit != nil {
				audits = append(audits, result.audit)
			}
		}
		tx.Audit(audits...)
		return nil
	})
	if err != nil {
		batch = append(batch, t.results.take()...) // it may not have begun
	}
	for _, result := range batch {
		if result.err = err; err == nil {
			t.transcript.finish(result.call, result.first)
		}
	}
}

// takeAudit is the audit row of a call, or nil.
func (t *tree) takeAudit(callID string) *models.Audit {
	t.mu.Lock()
	defer t.mu.Unlock()
	row := t.audits[callID]
	delete(t.audits, callID)
	return row
}

func callOf(record tools.Record) *models.ToolCall {
	call := &models.ToolCall{ID: record.ID, Result: record.Result, Success: record.Success, Skipped: record.Skipped,
		Cached: record.Cached, DuplicateOf: record.DuplicateOf, ExecutionTime: record.ExecutionTime}
	if len(record.Images) > 0 {
		call.Images = encode(record.Images)
	}
	if len(record.Files) > 0 {
		call.Files = encode(record.Files)
	}
	return call
}
