package store

import (
	"context"
	"fmt"

	"gorm.io/gorm"

	"nanoclaw/internal/models"
)

// What a Deletion is of.
const (
	DeletedConversation = "conversation"
	DeletedUser         = "user"
	DeletedProject      = "project"
)

// Deletion is something that was deleted, whose files may still be on machines and in a
// store that the database does not reach.
type Deletion struct {
	Kind string
	ID   string
}

// deletionTables are where what was deleted would be, by kind.
var deletionTables = map[string]string{
	DeletedConversation: "conversations", DeletedUser: "users", DeletedProject: "projects",
}

// noteDeletion notes that the rows that a condition selects are about to be deleted.
func (s *Store) noteDeletion(tx *gorm.DB, kind, where string, args ...any) error {
	err := tx.Exec("INSERT INTO deletions (kind, id, deleted_at) SELECT ?, id, CAST(? AS BIGINT) FROM "+
		deletionTables[kind]+" WHERE "+where+
		" ON CONFLICT (kind, id) DO UPDATE SET deleted_at = excluded.deleted_at",
		append([]any{kind, s.now()}, args...)...).Error
	if err != nil {
		return fmt.Errorf("note what is deleted: %w", err)
	}
	return nil
}

// Deletions are all that were noted, but for what was made anew with the same id.
func (s *Store) Deletions(ctx context.Context) ([]Deletion, error) {
	var all []Deletion
	for _, kind := range []string{DeletedConversation, DeletedUser, DeletedProject} {
		var ids []string
		err := s.read(ctx).Raw("SELECT id FROM deletions WHERE kind = ? AND NOT EXISTS (SELECT 1 FROM "+
			deletionTables[kind]+" t WHERE t.id = deletions.id)", kind).Scan(&ids).Error
		if err != nil {
			return nil, fmt.Errorf("read what was deleted: %w", err)
		}
		for _, id := range ids {
			all = append(all, Deletion{kind, id})
		}
	}
	return all, nil
}

// StillDeleted says that nothing was made with the id of what was deleted.
func (s *Store) StillDeleted(ctx context.Context, d Deletion) (bool, error) {
	var n int64
	if err := s.read(ctx).Table(deletionTables[d.Kind]).Where("id = ?", d.ID).Count(&n).Error; err != nil {
		return false, fmt.Errorf("look for the %s %s: %w", d.Kind, d.ID, err)
	}
	return n == 0, nil
}

// PurgeDeletions forgets what was deleted before olderThan, and returns how many it were.
func (s *Store) PurgeDeletions(ctx context.Context, olderThan models.Time) (n int64, err error) {
	err = s.tx(ctx, func(tx *gorm.DB) error {
		done := tx.Exec("DELETE FROM deletions WHERE deleted_at < ?", olderThan)
		n = done.RowsAffected
		return done.Error
	})
	if err != nil {
		return 0, fmt.Errorf("forget what was deleted: %w", err)
	}
	return n, nil
}
