package store

import (
	"context"
	"fmt"

	"gorm.io/gorm"

	"nanoclaw/internal/models"
)

// CodeQuota says that a user has reached a quota.
const CodeQuota = "quota_reached"

// CodeStorageQuota says that an upload does not fit into its user's quota.
const CodeStorageQuota = "quota_exceeded"

// UserStorage is how many bytes the uploads of a user have together.
func (s *Store) UserStorage(ctx context.Context, userID string) (int64, error) {
	return userStorage(s.read(ctx), userID)
}

func userStorage(db *gorm.DB, userID string) (int64, error) {
	var sum int64
	err := db.Model(&models.Upload{}).Where("user_id = ? AND size > 0", userID).
		Select("COALESCE(SUM(size), 0)").Scan(&sum).Error
	if err != nil {
		return 0, fmt.Errorf("sum up the uploads of user %s: %w", userID, err)
	}
	return sum, nil
}

// roomForUpload refuses an upload that does not fit into a user's quota, also where several
// arrive at once; 0: no limit.
func (s *Store) roomForUpload(tx *gorm.DB, userID string, size, limit int64) error {
	if limit <= 0 {
		return nil
	}
	if err := s.dialect.serialize(tx, "uploads of user "+userID); err != nil {
		return err
	}
	used, err := userStorage(tx, userID)
	if err == nil && used+size > limit {
		err = &Error{Code: CodeStorageQuota, Message: "your uploads would take more room than your quota: " +
			"delete conversations with attachments, or ask an administrator"}
	}
	return err
}

// RunsAtWork counts the root runs that a user has started and that are queued or at work.
func (s *Store) RunsAtWork(ctx context.Context, userID string) (int, error) {
	return runsAtWork(s.read(ctx), userID)
}

func runsAtWork(db *gorm.DB, userID string) (int, error) {
	var n int64
	err := db.Model(&models.Run{}).Where("status IN ? AND parent_run_id = '' AND deferred = ? AND "+
		"(actor_id = ? OR actor_id = '' AND user_id = ?)", []string{models.RunQueued, models.RunRunning}, false, userID,
		userID).Count(&n).Error
	if err != nil {
		return 0, fmt.Errorf("count the runs of user %s: %w", userID, err)
	}
	return int(n), nil
}

// roomForRun refuses one run too many, also where several processes start runs at once.
func (s *Store) roomForRun(tx *gorm.DB, run *models.Run, most int) error {
	if most <= 0 {
		return nil
	}
	if err := s.dialect.serialize(tx, "runs of user "+run.Actor()); err != nil {
		return err
	}
	n, err := runsAtWork(tx, run.Actor())
	if err == nil && n >= most {
		err = &Error{Code: CodeQuota, Message: fmt.Sprintf(
			"you have %d runs at work, which is your quota: wait for one to end, or stop one", n)}
	}
	return err
}
