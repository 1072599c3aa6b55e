package store

import (
	"context"

	"gorm.io/gorm"

	"nanoclaw/internal/fault"
	"nanoclaw/internal/models"
)

// Tx is a write transaction: all of it is stored, or nothing. It ends with the
// function that it was given to.
type Tx struct {
	store *Store
	db    *gorm.DB

	fence    Fence  // of InFence
	stale    bool   // the fence's run has made no checkpoint since it was claimed
	steering string // of the fence's run, as it is stored
	sent     []*models.Outbox
	stored   int // how many of sent are in the outbox

	audited []*models.Audit
	pending bool // audit rows wait for the chainer

	locked    *models.Conversation // the last one that lockOnce locked, as this transaction has left it
	lockedFor string               // the user it was locked for
}

// conversation locks the conversation of a run, once.
func (tx *Tx) conversation(run *models.Run) (*models.Conversation, error) {
	return tx.lockOnce(run.UserID, run.ConversationID)
}

// lockOnce locks a conversation, and returns the same one until another is asked for.
func (tx *Tx) lockOnce(userID, id string) (*models.Conversation, error) {
	if tx.locked != nil && tx.locked.ID == id && tx.lockedFor == userID {
		return tx.locked, nil
	}
	conv, err := lockConversation(tx.db, userID, id, 0)
	if err != nil {
		return nil, err
	}
	tx.locked, tx.lockedFor = conv, userID
	return conv, nil
}

// InTx runs fn in a write transaction: all or nothing, as if no other ran beside it.
// fn must write through tx alone: a method of the store would wait for this very
// transaction. A violated unique index becomes conflict.
func (s *Store) InTx(ctx context.Context, fn func(tx *Tx) error) error {
	var tx *Tx
	err := s.tx(ctx, func(db *gorm.DB) error {
		tx = &Tx{store: s, db: db}
		if err := fn(tx); err != nil {
			return err
		}
		return tx.flush()
	})
	if err == nil && tx.pending {
		s.chainer.kick()
	}
	return err
}

// InFence is InTx for a worker: it returns ErrFenced, and fn does not run, where the
// tree is no longer the worker's. name is what a test calls the moments before, in
// and after the transaction.
func (s *Store) InFence(ctx context.Context, f Fence, name string, fn func(tx *Tx) error) error {
	fault.Point(name + ".before")
	err := s.InTx(ctx, func(tx *Tx) error {
		if err := tx.enter(f); err != nil {
			return err
		}
		if err := fn(tx); err != nil {
			return err
		}
		if err := tx.flush(); err != nil {
			return err
		}
		fault.Point(name + ".during")
		return nil
	})
	if err == nil {
		fault.Point(name + ".after")
	}
	return err
}

// Send adds messages to the outbox. The caller publishes them after the commit.
func (tx *Tx) Send(rows ...*models.Outbox) { tx.sent = append(tx.sent, rows...) }

// Sent are the messages so far, in order.
func (tx *Tx) Sent() []*models.Outbox { return tx.sent }

// Resend puts other messages in place of those that were sent so far.
func (tx *Tx) Resend(rows []*models.Outbox) { tx.sent = rows }

// flush writes what was sent and audited since the last flush.
func (tx *Tx) flush() error {
	audited := tx.audited
	tx.audited, tx.pending = nil, tx.pending || len(audited) > 0
	if err := tx.store.addAudit(tx.db, audited); err != nil {
		return err
	}
	rows := tx.sent[tx.stored:]
	tx.stored = len(tx.sent)
	return addOutbox(tx.db, rows)
}
