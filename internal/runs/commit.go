package runs

import (
	"context"
	"time"

	"nanoclaw/internal/models"
	"nanoclaw/internal/runs/eventlog"
	"nanoclaw/internal/store"
)

// commit runs fn in a transaction, and publishes what it sends once it is stored. All
// writers of the database wait for fn: it takes no locks, and what can be made before it
// is made before.
func (s *Service) commit(ctx context.Context, fn func(tx *store.Tx) error) error {
	return s.commitThen(ctx, fn, func() {})
}

// commitThen is commit which calls stored before it publishes. That may take a while.
func (s *Service) commitThen(ctx context.Context, fn func(tx *store.Tx) error, stored func()) error {
	var sent []*models.Outbox
	err := s.Store.InTx(ctx, func(tx *store.Tx) error {
		err := fn(tx)
		sent = joined(tx.Sent())
		tx.Resend(sent)
		return err
	})
	if err != nil {
		return err
	}
	stored()
	s.send(sent)
	return nil
}

// commit is Service.commit for the worker of the tree: it returns store.ErrFenced where
// the tree is another's by now. A database that does not answer is waited for until ctx
// ends. Tests call its moments by name.
func (t *tree) commit(ctx context.Context, name string, fn func(tx *store.Tx) error) error {
	var sent []*models.Outbox
	for {
		err := t.service.Store.InFence(ctx, t.fence, name, func(tx *store.Tx) error {
			err := t.hear(tx)
			if err == nil {
				err = fn(tx)
			}
			sent = joined(tx.Sent())
			tx.Resend(sent)
			return err
		})
		if err == nil {
			t.send(sent)
			return nil
		}
		if !store.NotStored(err) {
			return err
		}
		select {
		case <-time.After(repairEvery):
		case <-ctx.Done():
			return err
		case <-t.service.ctx.Done():
			return err
		}
	}
}

// joined are the same events in fewer rows: what one transaction tells of a run is one
// message of the event log.
func joined(rows []*models.Outbox) []*models.Outbox {
	var list []*models.Outbox
	for _, row := range rows {
		if n := len(list); n > 0 {
			last := eventlog.Message{Subject: list[n-1].Subject, Data: list[n-1].Payload}
			if last.Join(row.Subject, row.Payload) {
				list[n-1] = &models.Outbox{Subject: last.Subject, MessageID: list[n-1].MessageID, Payload: last.Data}
				continue
			}
		}
		list = append(list, row)
	}
	return list
}
