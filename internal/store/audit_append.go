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
	return s.InTx(context.WithoutCancel(ctx), func(tx *Tx) error { return tx.Audit(rows...) })
}

// Audit adds rows to the audit in their order. A row without a time gets the present
// one; ids and hashes are given by the store: each row's PreviousHash is the Hash of the
// row before it, and its own is auditHash.
func (tx *Tx) Audit(rows ...*models.Audit) error {
	if len(rows) == 0 {
		return nil
	}
	tx.store.complete(rows)
	return tx.store.chainAudit(tx.db, rows)
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
