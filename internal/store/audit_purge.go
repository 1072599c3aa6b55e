package store

import (
	"context"

	"gorm.io/gorm"

	"nanoclaw/internal/models"
)

// PurgeAudit deletes the oldest rows up to the first one that is not older than
// olderThan, and returns how many. The chain then begins behind the last row that
// is gone: its id and hash are kept.
func (s *Store) PurgeAudit(ctx context.Context, olderThan models.Time) (int64, error) {
	return s.purge(ctx, "old audit rows", func(tx *gorm.DB) (int64, error) {
		var oldest []models.Audit
		if err := tx.Select("id", "time", "hash").Order("id").Limit(purgeBatch).Find(&oldest).Error; err != nil {
			return 0, err
		}
		n := 0
		for n < len(oldest) && oldest[n].Time < olderThan {
			n++
		}
		if n == 0 {
			return 0, nil
		}
		last := oldest[n-1]
		done := tx.Where("id <= ?", last.ID).Delete(&models.Audit{})
		if done.Error != nil {
			return 0, done.Error
		}
		return done.RowsAffected, tx.Model(&models.AuditChain{}).Where("id = 1").Updates(map[string]any{
			"begin_id":   gorm.Expr("CASE WHEN begin_id > ? THEN begin_id ELSE ? END", last.ID, last.ID),
			"begin_hash": gorm.Expr("CASE WHEN begin_id > ? THEN begin_hash ELSE ? END", last.ID, last.Hash),
			"removed":    gorm.Expr("removed + ?", done.RowsAffected), "updated_at": s.now(),
		}).Error
	})
}
