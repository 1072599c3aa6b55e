package store

import (
	"context"
	"fmt"

	"gorm.io/gorm"

	"nanoclaw/internal/models"
)

// AppendAudit adds rows in their order, all or none, and returns when they are stored.
// It begins where ctx has not ended, and then ends whatever becomes of ctx.
func (s *Store) AppendAudit(ctx context.Context, rows []*models.Audit) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("append to the audit: %w", err)
	}
	return s.InTx(context.WithoutCancel(ctx), func(tx *Tx) error {
		tx.Audit(rows...)
		return nil
	})
}

// Audit adds rows to the audit in their order. A row without a time gets the present
// one; ids and hashes are given by the store: each row's PreviousHash is the Hash of the
// row before it, and its own is auditHash. They are written at the end of the
// transaction.
func (tx *Tx) Audit(rows ...*models.Audit) {
	tx.store.complete(rows)
	tx.audited = append(tx.audited, rows...)
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

// addAudit writes complete rows as a part of tx: behind the end of the chain or, where
// other processes write too, for the chainer.
func (s *Store) addAudit(tx *gorm.DB, rows []*models.Audit) error {
	if len(rows) == 0 {
		return nil
	}
	if s.dialect.shared() {
		if err := leavePending(tx, rows); err != nil {
			return fmt.Errorf("append to the audit: %w", err)
		}
		return nil
	}
	chain, err := auditChain(tx)
	if err != nil {
		return fmt.Errorf("append to the audit: %w", err)
	}
	return s.chainRows(tx, chain, rows)
}

// chainRows writes rows behind the end of the chain, which tx has locked.
func (s *Store) chainRows(tx *gorm.DB, chain models.AuditChain, rows []*models.Audit) error {
	for _, row := range rows {
		row.ID, row.PreviousHash = chain.LastID+1, chain.LastHash
		row.Hash = auditHash(row)
		chain.LastID, chain.LastHash = row.ID, row.Hash
	}
	err := tx.CreateInBatches(rows, 100).Error
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
