package runs

import (
	"context"
	"errors"
	"sync"

	"nanoclaw/internal/models"
	"nanoclaw/internal/store"
	"nanoclaw/internal/tools"
)

// resultQueue gathers the results of calls that finish at the same time: while one
// transaction is under way, what finishes waits for the next one.
type resultQueue struct {
	mu      sync.Mutex
	waiting []*callResult
	storing bool
}

// callResult is a finished call of a run of the tree.
type callResult struct {
	run    *models.Run
	record tools.Record
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
	result := &callResult{run: run, record: record, stored: make(chan struct{}), err: errNotStored}
	if t.results.add(result) {
		defer t.results.leave()
		for batch := t.results.take(); len(batch) > 0; batch = t.results.take() {
			t.storeResults(batch)
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

// take returns what waits. When that is nothing, the next caller of add stores.
func (q *resultQueue) take() []*callResult {
	q.mu.Lock()
	defer q.mu.Unlock()
	batch := q.waiting
	q.waiting, q.storing = nil, len(batch) > 0
	return batch
}

// leave lets nobody wait for a caller that panicked.
func (q *resultQueue) leave() {
	for _, result := range q.take() {
		close(result.stored)
	}
}

func (t *tree) storeResults(batch []*callResult) {
	defer func() {
		for _, result := range batch {
			close(result.stored)
		}
	}()
	ctx, cancel := context.WithTimeout(context.Background(), checkpointTimeout)
	defer cancel()
	calls, events := make([]*models.ToolCall, len(batch)), make([]*models.Outbox, len(batch))
	for i, result := range batch {
		calls[i] = callOf(result.record)
		events[i] = eventRow(EventCallFinished, result.run, callFinishedPayload{ToolCall: result.record})
	}
	audits := t.takeAudits(batch)
	err := t.commit(ctx, "call_finished", func(tx *store.Tx) error {
		for i, call := range calls {
			first, err := tx.FinishCall(call)
			if err != nil {
				return err
			}
			if first {
				tx.Send(events[i])
			}
		}
		return tx.Audit(audits...)
	})
	for _, result := range batch {
		result.err = err
	}
}

// takeAudits are the audit rows of calls.
func (t *tree) takeAudits(batch []*callResult) []*models.Audit {
	t.mu.Lock()
	defer t.mu.Unlock()
	var rows []*models.Audit
	for _, result := range batch {
		if row := t.audits[result.record.ID]; row != nil {
			rows = append(rows, row)
			delete(t.audits, result.record.ID)
		}
	}
	return rows
}

func callOf(record tools.Record) *models.ToolCall {
	call := &models.ToolCall{ID: record.ID, Result: record.Result, Success: record.Success, Skipped: record.Skipped,
		Cached: record.Cached, DuplicateOf: record.DuplicateOf, ExecutionTime: record.ExecutionTime}
	if len(record.Images) > 0 {
		call.Images = encode(record.Images)
	}
	return call
}
