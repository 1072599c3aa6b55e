package store

import (
	"context"
	"fmt"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"nanoclaw/internal/models"
)

// Trigger is what starts runs by itself: a schedule or a hook.
type Trigger interface{ models.Schedule | models.Hook }

// SaveTrigger stores a new trigger, or a changed one.
func SaveTrigger[T Trigger](ctx context.Context, s *Store, trigger *T) error {
	return s.tx(ctx, func(tx *gorm.DB) error {
		if err := tx.Save(trigger).Error; err != nil {
			return fmt.Errorf("store a trigger: %w", err)
		}
		return nil
	})
}

// GetTrigger reads a trigger of the user, or not_found; an empty user means any.
func GetTrigger[T Trigger](ctx context.Context, s *Store, userID, id string) (*T, error) {
	query := s.read(ctx).Where("id = ?", id)
	if userID != "" {
		query = query.Where("user_id = ?", userID)
	}
	var trigger T
	if err := query.Take(&trigger).Error; err != nil {
		return nil, found(err, "trigger", id)
	}
	return &trigger, nil
}

// ListTriggers returns the user's triggers, last changed first.
func ListTriggers[T Trigger](ctx context.Context, s *Store, userID string, page Page, at func(T) (models.Time,
	string)) (List[T], error) {
	list, err := lastChanged(s.read(ctx).Where("user_id = ?", userID), page, func(t T) position {
		moment, id := at(t)
		return position{At: int64(moment), ID: id}
	})
	if err != nil {
		return list, fmt.Errorf("list triggers: %w", err)
	}
	return list, nil
}

// DeleteTrigger deletes a trigger of the user with its history, or returns not_found. The
// runs that it has started stay.
func DeleteTrigger[T Trigger](ctx context.Context, s *Store, userID, id string) error {
	return s.tx(ctx, func(tx *gorm.DB) error {
		done := tx.Where("id = ? AND user_id = ?", id, userID).Delete(new(T))
		if done.Error != nil {
			return fmt.Errorf("delete trigger %s: %w", id, done.Error)
		}
		if done.RowsAffected == 0 {
			return notFound("trigger", id)
		}
		return tx.Where("trigger_id = ?", id).Delete(&models.Firing{}).Error
	})
}

// DueSchedules are the enabled ones whose next moment has come.
func (s *Store) DueSchedules(ctx context.Context, now models.Time) ([]*models.Schedule, error) {
	var due []*models.Schedule
	err := s.read(ctx).Where("enabled AND next_at <> 0 AND next_at <= ?", now).Order("next_at, id").
		Limit(MaxLimit).Find(&due).Error
	if err != nil {
		return nil, fmt.Errorf("look for due schedules: %w", err)
	}
	return due, nil
}

// SchedulesOf are all of a source.
func (s *Store) SchedulesOf(ctx context.Context, source string) ([]*models.Schedule, error) {
	var list []*models.Schedule
	if err := s.read(ctx).Where("source = ?", source).Order("id").Find(&list).Error; err != nil {
		return nil, fmt.Errorf("read the schedules of %s: %w", source, err)
	}
	return list, nil
}

// AdvanceSchedule moves a schedule from the moment at which it was due to the next one.
// false: another process has done it, or it was changed.
func (tx *Tx) AdvanceSchedule(id string, from, to models.Time, runID string) (bool, error) {
	changes := map[string]any{"next_at": to}
	if runID != "" {
		changes["last_run_id"] = runID
	}
	done := tx.db.Model(&models.Schedule{}).Where("id = ? AND next_at = ? AND enabled", id, from).Updates(changes)
	if done.Error != nil {
		return false, fmt.Errorf("advance schedule %s: %w", id, done.Error)
	}
	return done.RowsAffected == 1, nil
}

// SetLastRun notes the run that a schedule has started beside its moments.
func (tx *Tx) SetLastRun(id, runID string) error {
	return tx.db.Model(&models.Schedule{}).Where("id = ?", id).Update("last_run_id", runID).Error
}

// AddFiring claims a firing; false: the key was there before.
func (tx *Tx) AddFiring(firing *models.Firing) (bool, error) {
	done := tx.db.Clauses(clause.OnConflict{DoNothing: true}).Create(firing)
	if done.Error != nil {
		return false, fmt.Errorf("store a firing of %s: %w", firing.TriggerID, done.Error)
	}
	return done.RowsAffected == 1, nil
}

// CreateConversation is Store.CreateConversation within a transaction.
func (tx *Tx) CreateConversation(conv *models.Conversation) error {
	return tx.store.createConversation(tx.db, conv)
}

// FiringByKey reads a firing; nil: there is none.
func (s *Store) FiringByKey(ctx context.Context, triggerID, key string) (*models.Firing, error) {
	var list []*models.Firing
	err := s.read(ctx).Where("trigger_id = ? AND firing_key = ?", triggerID, key).Limit(1).Find(&list).Error
	if err != nil || len(list) == 0 {
		return nil, err
	}
	return list[0], nil
}

// Firings returns the history of a trigger, newest first.
func (s *Store) Firings(ctx context.Context, triggerID string, page Page) (List[models.Firing], error) {
	limit, err := page.limit()
	if err != nil {
		return List[models.Firing]{}, err
	}
	after, err := page.byTime()
	if err != nil {
		return List[models.Firing]{}, err
	}
	query := s.read(ctx).Where("trigger_id = ?", triggerID)
	if after != nil {
		query = query.Where("id < ?", after.ID)
	}
	var rows []models.Firing
	if err := query.Order("id DESC").Limit(limit + 1).Find(&rows).Error; err != nil {
		return List[models.Firing]{}, fmt.Errorf("list firings: %w", err)
	}
	return cutPage(rows, limit, func(f models.Firing) position { return position{ID: f.ID} }), nil
}

// PurgeFirings deletes those from before olderThan, and returns how many.
func (s *Store) PurgeFirings(ctx context.Context, olderThan models.Time) (int64, error) {
	var n int64
	err := s.tx(ctx, func(tx *gorm.DB) error {
		done := tx.Where("created_at < ?", olderThan).Delete(&models.Firing{})
		n = done.RowsAffected
		return done.Error
	})
	return n, err
}
