package store

import (
	"context"
	"fmt"
	"sync"

	"gorm.io/gorm"

	"nanoclaw/internal/models"
)

// maxAuditBatch is how many rows one transaction of the audit holds, about.
const maxAuditBatch = 1000

// auditQueue gathers the rows of callers that append at the same time into one
// transaction: one of them writes for all that wait, and hands over to the next.
type auditQueue struct {
	mu      sync.Mutex
	waiting []*auditAppend
	writing bool
}

type auditAppend struct {
	rows []*models.Audit
	turn chan bool // true: write for all that wait; false: it is written
	err  error
}

// AppendAudit adds rows in their order, all or none, and returns when they are
// stored. A row without a time gets the present one; ids and hashes are given by
// the store: each row's PreviousHash is the Hash of the row before it, and its own
// is auditHash. Many may append at once. What waits already when ctx ends is
// written all the same.
func (s *Store) AppendAudit(ctx context.Context, rows []*models.Audit) error {
	if len(rows) == 0 {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("append to the audit: %w", err)
	}
	s.complete(rows)
	mine := &auditAppend{rows: rows, turn: make(chan bool, 1)}
	if s.audits.enter(mine) && !<-mine.turn {
		return mine.err
	}
	batch := s.audits.take()
	defer func() { s.audits.leave(batch, mine) }()
	err := s.appendAudit(context.WithoutCancel(ctx), batch)
	for _, one := range batch {
		one.err = err
	}
	return err
}

// enter says whether somebody else writes, so that the caller has to wait.
func (q *auditQueue) enter(one *auditAppend) (wait bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waiting = append(q.waiting, one)
	wait = q.writing
	q.writing = true
	return wait
}

// take is what the next transaction holds; the caller's own is the first of it.
func (q *auditQueue) take() []*auditAppend {
	q.mu.Lock()
	defer q.mu.Unlock()
	n, rows := 0, 0
	for n < len(q.waiting) && (n == 0 || rows+len(q.waiting[n].rows) <= maxAuditBatch) {
		rows += len(q.waiting[n].rows)
		n++
	}
	batch := q.waiting[:n:n]
	q.waiting = q.waiting[n:]
	return batch
}

// leave tells those whose rows are written, and gives the turn to the next.
func (q *auditQueue) leave(batch []*auditAppend, writer *auditAppend) {
	for _, one := range batch {
		if one != writer {
			one.turn <- false
		}
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting) > 0 {
		q.waiting[0].turn <- true
		return
	}
	q.waiting, q.writing = nil, false
}

// appendAudit writes rows behind the end of the chain.
func (s *Store) appendAudit(ctx context.Context, batch []*auditAppend) error {
	var rows []*models.Audit
	for _, one := range batch {
		rows = append(rows, one.rows...)
	}
	return s.tx(ctx, func(tx *gorm.DB) error { return s.chainAudit(tx, rows) })
}

// complete gives rows without a time the present one and makes them storable.
func (s *Store) complete(rows []*models.Audit) {
	now := s.now()
	for _, row := range rows {
		if row.Time == 0 {
			row.Time = now
		}
		storable(row)
	}
}

// chainAudit writes complete rows behind the end of the chain, as a part of tx.
func (s *Store) chainAudit(tx *gorm.DB, rows []*models.Audit) error {
	chain, err := auditChain(tx)
	if err != nil {
		return fmt.Errorf("append to the audit: %w", err)
	}
	for _, row := range rows {
		row.ID, row.PreviousHash = chain.LastID+1, chain.LastHash
		row.Hash = auditHash(row)
		chain.LastID, chain.LastHash = row.ID, row.Hash
	}
	err = tx.CreateInBatches(rows, 100).Error
	if err == nil {
		err = tx.Model(&models.AuditChain{}).Where("id = 1").
			Updates(map[string]any{"last_id": chain.LastID, "last_hash": chain.LastHash, "updated_at": s.now()}).Error
	}
	if err != nil {
		return fmt.Errorf("append to the audit: %w", err)
	}
	return nil
}

func auditChain(tx *gorm.DB) (chain models.AuditChain, err error) {
	if err := tx.Take(&chain, "id = 1").Error; err != nil {
		return chain, fmt.Errorf("read the end of the audit's chain: %w", err)
	}
	return chain, nil
}
