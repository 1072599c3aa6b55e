package store

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"gorm.io/gorm"

	"nanoclaw/internal/models"
)

// purgeBatch is how much a purge deletes in one transaction, so that other writers
// get their turn in between.
const purgeBatch = 200

// PurgeSteps deletes the steps, tool calls and approvals of runs that ended before
// olderThan; their messages keep what they show, and standing approvals hold on. Interrupted runs keep theirs, since
// they can
// be continued. It returns how many root runs lost their steps.
func (s *Store) PurgeSteps(ctx context.Context, olderThan models.Time) (int64, error) {
	return s.purge(ctx, "steps of old runs", func(tx *gorm.DB) (int64, error) {
		var roots []string
		err := tx.Model(&models.Run{}).
			Where("parent_run_id = '' AND status IN ? AND finished_at < ?",
				[]string{models.RunCompleted, models.RunFailed, models.RunCancelled}, olderThan).
			Where(`(EXISTS (SELECT 1 FROM steps WHERE steps.root_run_id = runs.id)
				OR EXISTS (SELECT 1 FROM tool_calls WHERE tool_calls.root_run_id = runs.id)
				OR EXISTS (SELECT 1 FROM approvals WHERE approvals.root_run_id = runs.id))`).
			Limit(purgeBatch).Pluck("id", &roots).Error
		if err != nil || len(roots) == 0 {
			return 0, err
		}
		for _, model := range []any{&models.Step{}, &models.Approval{}} {
			if err := tx.Where("root_run_id IN ?", roots).Delete(model).Error; err != nil {
				return 0, err
			}
		}
		return int64(len(roots)), tx.Where("root_run_id IN ?", roots).Delete(&models.ToolCall{}).Error
	})
}

// PurgeIdempotency deletes the keys whose time is over at now, and returns how many.
func (s *Store) PurgeIdempotency(ctx context.Context, now models.Time) (int64, error) {
	var n int64
	err := s.tx(ctx, func(tx *gorm.DB) error {
		done := tx.Where("expires_at <= ?", now).Delete(&models.IdempotencyKey{})
		n = done.RowsAffected
		if done.Error != nil {
			return fmt.Errorf("delete expired idempotency keys: %w", done.Error)
		}
		return nil
	})
	return n, err
}

// PurgeUploads deletes the files from before olderThan that no message, no tool call
// and no waiting run uses, and returns how many.
func (s *Store) PurgeUploads(ctx context.Context, olderThan models.Time) (int64, error) {
	return s.purge(ctx, "unused uploads", func(tx *gorm.DB) (int64, error) {
		var old []string
		if err := tx.Model(&models.Upload{}).Where("created_at < ?", olderThan).Pluck("id", &old).Error; err != nil ||
			len(old) == 0 {
			return 0, err
		}
		used, err := usedUploads(tx)
		if err != nil {
			return 0, err
		}
		var unused []string
		for _, id := range old {
			if !used[id] && len(unused) < purgeBatch {
				unused = append(unused, id)
			}
		}
		if len(unused) == 0 {
			return 0, nil
		}
		done := tx.Where("id IN ?", unused).Delete(&models.Upload{})
		return done.RowsAffected, done.Error
	})
}

// usedUploads are the ids in messages' attachments, in the images of tool calls, and
// in the input of runs that have not ended.
func usedUploads(tx *gorm.DB) (map[string]bool, error) {
	used := map[string]bool{}
	note := func(attachments []models.Attachment) {
		for _, a := range attachments {
			used[a.UploadID] = true
		}
	}
	var columns, images, files []string
	if err := tx.Model(&models.Message{}).Where("attachments IS NOT NULL").Pluck("attachments",
		&columns).Error; err != nil {
		return nil, err
	}
	if err := tx.Model(&models.ToolCall{}).Where("images <> ''").Pluck("images", &images).Error; err != nil {
		return nil, err
	}
	if err := tx.Model(&models.ToolCall{}).Where("files <> ''").Pluck("files", &files).Error; err != nil {
		return nil, err
	}
	for _, column := range slices.Concat(columns, images, files) {
		var attachments []models.Attachment
		if err := json.Unmarshal([]byte(column), &attachments); err != nil {
			return nil, fmt.Errorf("read the attachments of a message or a tool call: %w", err)
		}
		note(attachments)
	}
	var runs []models.Run
	err := tx.Select("id", "input").Where("parent_run_id = '' AND status NOT IN ?",
		[]string{models.RunCompleted, models.RunFailed, models.RunCancelled}).Find(&runs).Error
	if err != nil {
		return nil, err
	}
	for _, run := range runs {
		note(run.Input.Attachments)
	}
	return used, nil
}

// purge repeats a batch in transactions of its own until it deletes nothing more.
func (s *Store) purge(ctx context.Context, what string, batch func(tx *gorm.DB) (int64, error)) (int64, error) {
	for total := int64(0); ; {
		var n int64
		err := s.tx(ctx, func(tx *gorm.DB) error {
			var err error
			n, err = batch(tx)
			return err
		})
		if err != nil {
			return total, fmt.Errorf("delete %s: %w", what, err)
		}
		if n == 0 {
			return total, nil
		}
		total += n
	}
}
