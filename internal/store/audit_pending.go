package store

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"nanoclaw/internal/models"
)

// pendingAudit is an audit row that is stored and not yet in the chain.
type pendingAudit struct {
	ID   int64
	Line string // a models.Audit as JSON
}

func (pendingAudit) TableName() string { return "audit_pending" }

const (
	chainAtOnce = 500                   // rows that one transaction puts into the chain
	chainAfter  = 50 * time.Millisecond // rows of that time are put there together
)

// chainer puts pending rows into the chain, a moment after they were committed. Writers
// that had to lock the chain's end themselves would all wait for each other's commits.
type chainer struct {
	wake chan struct{}
	stop context.CancelFunc
	done chan struct{}
}

// startChainer begins with what a process left that died.
func (s *Store) startChainer() {
	ctx, stop := context.WithCancel(Patient(context.Background()))
	s.chainer = &chainer{wake: make(chan struct{}, 1), stop: stop, done: make(chan struct{})}
	s.chainer.kick()
	go func() {
		defer close(s.chainer.done)
		for {
			select {
			case <-s.chainer.wake:
			case <-ctx.Done():
				return
			}
			select {
			case <-time.After(chainAfter):
			case <-ctx.Done():
				return
			}
			if err := s.chainPending(ctx); err != nil && ctx.Err() == nil {
				s.log.Error("rows could not be put into the audit's chain: it will be tried again", "error", err)
				time.AfterFunc(time.Second, s.chainer.kick)
			}
		}
	}()
}

func (c *chainer) kick() {
	if c == nil {
		return
	}
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// close leaves what is pending to the next process.
func (c *chainer) close() {
	if c != nil {
		c.stop()
		<-c.done
	}
}

// leavePending stores complete rows for the chainer, as a part of tx.
func leavePending(tx *gorm.DB, rows []*models.Audit) error {
	pending := make([]pendingAudit, len(rows))
	for i, row := range rows {
		line, err := json.Marshal(row)
		if err != nil {
			return err
		}
		pending[i].Line = string(line)
	}
	return tx.CreateInBatches(&pending, 100).Error
}

// chainPending puts all rows into the chain that are committed by now. Whoever reads the
// audit does it first.
func (s *Store) chainPending(ctx context.Context) error {
	if s.chainer == nil {
		return nil
	}
	for more := true; more; {
		var found []int
		if err := s.read(ctx).Model(&pendingAudit{}).Select("1").Limit(1).Scan(&found).Error; err != nil {
			return fmt.Errorf("look for rows that are not in the audit's chain: %w", err)
		}
		if len(found) == 0 {
			return nil
		}
		err := s.tx(ctx, func(tx *gorm.DB) (err error) {
			more, err = s.chainSome(tx)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// chainSome moves the oldest rows into the chain, as a part of tx. more: there may be others.
func (s *Store) chainSome(tx *gorm.DB) (more bool, err error) {
	chain, err := auditChain(tx.Clauses(clause.Locking{Strength: "UPDATE"}))
	if err != nil {
		return false, fmt.Errorf("append to the audit: %w", err)
	}
	var pending []pendingAudit
	if err := tx.Order("id").Limit(chainAtOnce).Find(&pending).Error; err != nil || len(pending) == 0 {
		return false, err
	}
	rows := make([]*models.Audit, len(pending))
	ids := make([]int64, len(pending))
	for i, p := range pending {
		rows[i], ids[i] = &models.Audit{}, p.ID
		if err := json.Unmarshal([]byte(p.Line), rows[i]); err != nil {
			return false, fmt.Errorf("read the pending audit row %d: %w", p.ID, err)
		}
	}
	if err := s.chainRows(tx, chain, rows); err != nil {
		return false, err
	}
	return len(pending) == chainAtOnce, tx.Delete(&pendingAudit{}, "id IN ?", ids).Error
}
