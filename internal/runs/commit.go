package runs

import (
	"context"

	"nanoclaw/internal/models"
	"nanoclaw/internal/store"
)

// commit runs fn in a transaction, and publishes what it sends once it is stored. All
// writers of the database wait for fn: it takes no locks, and what can be made before it
// is made before.
func (s *Service) commit(ctx context.Context, fn func(tx *store.Tx) error) error {
	var sent []*models.Outbox
	err := s.Store.InTx(ctx, func(tx *store.Tx) error {
		err := fn(tx)
		sent = tx.Sent()
		return err
	})
	if err != nil {
		return err
	}
	s.send(sent)
	return nil
}

// commit is Service.commit for the worker of the tree: it returns store.ErrFenced where
// the tree is another's by now. Tests call its moments by name.
func (t *tree) commit(ctx context.Context, name string, fn func(tx *store.Tx) error) error {
	var sent []*models.Outbox
	err := t.service.Store.InFence(ctx, t.fence, name, func(tx *store.Tx) error {
		err := fn(tx)
		sent = tx.Sent()
		return err
	})
	if err != nil {
		return err
	}
	t.send(sent)
	return nil
}
