package store

import (
	"context"
	"errors"
	"fmt"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"nanoclaw/internal/models"
)

// NoteChanges stores what is at paths before a run changes them for the first
// time; rows that are there already stay as they are.
func (s *Store) NoteChanges(ctx context.Context, rows []*models.RunChange) error {
	if len(rows) == 0 {
		return nil
	}
	now := s.now()
	for _, row := range rows {
		row.CreatedAt, row.UpdatedAt = now, now
	}
	err := s.tx(ctx, func(tx *gorm.DB) error {
		return tx.Clauses(clause.OnConflict{DoNothing: true}).CreateInBatches(rows, 100).Error
	})
	if err != nil {
		return fmt.Errorf("note what a run changes: %w", err)
	}
	return nil
}

// SettleChanges stores what a run left at paths that were noted before. Rows that
// say Mixed or name a MovedFrom keep that.
func (s *Store) SettleChanges(ctx context.Context, rows []*models.RunChange) error {
	if err := s.tx(ctx, settle(rows, s.now())); err != nil {
		return fmt.Errorf("store what a run left: %w", err)
	}
	return nil
}

func settle(rows []*models.RunChange, now models.Time) func(tx *gorm.DB) error {
	return func(tx *gorm.DB) error {
		for _, row := range rows {
			values := map[string]any{
				"after_known": true, "after_kind": row.AfterKind, "after_size": row.AfterSize,
				"after_etag": row.AfterETag,
				"after_link": row.AfterLink, "after_stamp": row.AfterStamp, "updated_at": now,
			}
			if row.Mixed {
				values["mixed"] = true
			}
			if row.MovedFrom != nil {
				values["moved_from"] = row.MovedFrom
			}
			err := tx.Model(&models.RunChange{}).Where("root_run_id = ? AND project_id = ? AND path = ?", row.RootRunID,
				row.ProjectID, row.Path).
				Updates(values).Error
			if err != nil {
				return err
			}
		}
		return nil
	}
}

// RunChange reads one path of a run; nil: it did not touch it.
func (s *Store) RunChange(ctx context.Context, rootRunID, projectID string, path []byte) (*models.RunChange, error) {
	var row models.RunChange
	err := s.read(ctx).Take(&row, "root_run_id = ? AND project_id = ? AND path = ?", rootRunID, projectID, path).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read what run %s changed: %w", rootRunID, err)
	}
	return &row, nil
}

// RunChanges reads what a root run changed, by project and path.
func (s *Store) RunChanges(ctx context.Context, rootRunID string) ([]*models.RunChange, error) {
	var rows []*models.RunChange
	if err := s.read(ctx).Where("root_run_id = ?", rootRunID).Order("project_id, path").Find(&rows).Error; err != nil {
		return nil, fmt.Errorf("read what run %s changed: %w", rootRunID, err)
	}
	return rows, nil
}

// CutOffTools are the tools of a root run's calls, other than file tools, that were
// under way when the server died: nobody knows what they did.
func (s *Store) CutOffTools(ctx context.Context, rootRunID string) ([]string, error) {
	var names []string
	err := s.read(ctx).Model(&models.ToolCall{}).Where("root_run_id = ? AND state = ? AND NOT success", rootRunID,
		models.CallFinished).
		Where("result LIKE ? AND name NOT LIKE ?", `%"code":"outcome_unknown"}`, "file%").
		Distinct("name").Order("name").Pluck("name", &names).Error
	if err != nil {
		return nil, fmt.Errorf("look for calls of run %s that were cut off: %w", rootRunID, err)
	}
	return names, nil
}

// KeptBytes is the size of the contents that are kept for a root run.
func (s *Store) KeptBytes(ctx context.Context, rootRunID string) (int64, error) {
	var total int64
	err := s.read(ctx).Model(&models.RunChange{}).Where("root_run_id = ? AND kept AND before_kind = 'file'", rootRunID).
		Select("COALESCE(SUM(before_size), 0)").Scan(&total).Error
	if err != nil {
		return 0, fmt.Errorf("add up what is kept for run %s: %w", rootRunID, err)
	}
	return total, nil
}

// UsesVersion says whether a run still needs a kept content.
func (s *Store) UsesVersion(ctx context.Context, etag string) (bool, error) {
	var found []int
	err := s.read(ctx).Model(&models.RunChange{}).Where("before_etag = ? AND kept",
		etag).Select("1").Limit(1).Scan(&found).Error
	if err != nil {
		return false, fmt.Errorf("look for a kept version: %w", err)
	}
	return len(found) > 0, nil
}

// PurgeChanges deletes what is noted of root runs that ended before olderThan, and
// returns of how many paths.
func (s *Store) PurgeChanges(ctx context.Context, olderThan models.Time) (int64, error) {
	return s.purge(ctx, "changes of old runs", func(tx *gorm.DB) (int64, error) {
		var roots []string
		err := tx.Model(&models.Run{}).Where("parent_run_id = '' AND status IN ? AND finished_at < ?",
			[]string{models.RunCompleted, models.RunFailed, models.RunCancelled}, olderThan).
			Where("EXISTS (SELECT 1 FROM run_changes WHERE run_changes.root_run_id = runs.id)").Limit(purgeBatch).Pluck(
			"id", &roots).Error
		if err != nil || len(roots) == 0 {
			return 0, err
		}
		done := tx.Where("root_run_id IN ?", roots).Delete(&models.RunChange{})
		return done.RowsAffected, done.Error
	})
}
