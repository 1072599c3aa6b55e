package store

import (
	"context"
	"fmt"
	"reflect"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"nanoclaw/internal/models"
)

// CreateConversation stores a new conversation of conv.UserID, or, in a project, of the
// project's owner. An empty ID gets one; a project that the user may not reach is not_found.
func (s *Store) CreateConversation(ctx context.Context, conv *models.Conversation) error {
	return s.tx(ctx, func(tx *gorm.DB) error { return s.createConversation(tx, conv) })
}

func (s *Store) createConversation(tx *gorm.DB, conv *models.Conversation) error {
	if conv.ID == "" {
		conv.ID = NewID()
	}
	conv.Version = 1
	conv.CreatedAt = s.now()
	conv.UpdatedAt = conv.CreatedAt
	if conv.ProjectID != "" {
		project, err := getProject(tx.Clauses(clause.Locking{Strength: "SHARE"}), conv.UserID, conv.ProjectID)
		if err != nil {
			return err
		}
		conv.UserID = project.UserID
	}
	if err := tx.Create(conv).Error; err != nil {
		return fmt.Errorf("store conversation %s: %w", conv.ID, err)
	}
	return s.addDocument(tx, conv.UserID, searchDocument{ConversationID: conv.ID}, conv.Title)
}

// GetConversation returns a conversation that the user may reach, or not_found.
func (s *Store) GetConversation(ctx context.Context, userID, id string) (*models.Conversation, error) {
	return getConversation(s.read(ctx), userID, id)
}

func getConversation(db *gorm.DB, userID, id string) (*models.Conversation, error) {
	var conv models.Conversation
	err := take(db, &conv, "conversation", id, func(db *gorm.DB) *gorm.DB {
		return ofConversations(db.Where("id = ?", id), userID)
	})
	if err != nil {
		return nil, err
	}
	return &conv, nil
}

// UpdateConversation lets change edit the conversation and stores it with the next
// version. Where expectedVersion is neither 0 nor the stored one:
// precondition_failed. A project that is not the user's, and an active leaf that
// is no message of the conversation, are not_found.
func (s *Store) UpdateConversation(ctx context.Context, userID, id string, expectedVersion int64,
	change func(*models.Conversation) error) (*models.Conversation, error) {
	var conv *models.Conversation
	err := s.tx(ctx, func(tx *gorm.DB) error {
		var err error
		if conv, err = lockConversation(tx, userID, id, expectedVersion); err != nil {
			return err
		}
		before := *conv
		if err := change(conv); err != nil {
			return err
		}
		conv.ID, conv.UserID, conv.CreatedAt = before.ID, before.UserID, before.CreatedAt
		if conv.ProjectID != before.ProjectID && conv.UserID != userID {
			return &Error{Code: CodeForbidden, Message: "only its owner moves a conversation out of a shared project"}
		}
		return s.saveConversation(tx, &before, conv)
	})
	if err != nil {
		return nil, err
	}
	return conv, nil
}

// saveConversation checks and stores what changed, with the next version.
func (s *Store) saveConversation(tx *gorm.DB, before, conv *models.Conversation) error {
	conv.Version = before.Version + 1
	if conv.UpdatedAt = before.UpdatedAt; !onlyMarks(*before, *conv) {
		conv.UpdatedAt = s.now()
	}
	if conv.ProjectID != "" && conv.ProjectID != before.ProjectID {
		project, err := getProject(tx.Clauses(clause.Locking{Strength: "SHARE"}), conv.UserID, conv.ProjectID)
		if err != nil {
			return err
		}
		if project.UserID != conv.UserID {
			return &Error{Code: CodeForbidden,
				Message: "the project is another user's: open a new conversation in it instead of moving this one there"}
		}
	}
	if conv.ActiveLeafID != "" && conv.ActiveLeafID != before.ActiveLeafID {
		if _, err := messageOf(tx, conv.ID, conv.ActiveLeafID); err != nil {
			return err
		}
	}
	if err := tx.Select("*").Updates(conv).Error; err != nil {
		return fmt.Errorf("change conversation %s: %w", conv.ID, err)
	}
	if conv.Title == before.Title {
		return nil
	}
	return s.indexTitle(tx, conv)
}

// onlyMarks says whether nothing changed but how a person keeps the conversation in order:
// it stays where it is in the list.
func onlyMarks(before, conv models.Conversation) bool {
	before.Version = conv.Version
	before.Pinned, before.Archived, before.Unread, before.Tags = conv.Pinned, conv.Archived, conv.Unread, conv.Tags
	return reflect.DeepEqual(before, conv)
}

// DeleteConversation deletes the conversation with its messages, runs, steps,
// tool calls and approvals. What it used up (token usage) and the audit stay. An
// active run should be cancelled first; a worker that still holds one finds its
// writes refused.
func (s *Store) DeleteConversation(ctx context.Context, userID, id string, expectedVersion int64) error {
	return s.tx(ctx, func(tx *gorm.DB) error {
		if _, err := lockConversation(tx, userID, id, expectedVersion); err != nil {
			return err
		}
		return s.deleteConversations(tx, "id = ?", id)
	})
}

// deleteConversations deletes those that a condition on conversations selects;
// the tables' foreign keys take everything below them along. Background tasks that were
// submitted in them are deleted too.
func (s *Store) deleteConversations(tx *gorm.DB, where string, args ...any) error {
	selected := tx.Model(&models.Conversation{}).Select("id").Where(where, args...)
	var tasks []string // their background tasks end with them
	err := tx.Model(&models.Conversation{}).Where("task_of IN (?) AND task_of <> ''", selected).
		Pluck("id", &tasks).Error
	if err != nil {
		return fmt.Errorf("look for background tasks of conversations: %w", err)
	}
	err = inBatches(tasks, func(ids []string) error { return s.deleteConversations(tx, "id IN ?", ids) })
	if err != nil {
		return err
	}
	if err := s.unindex(tx, "conversation_id IN (?)", selected); err != nil {
		return err
	}
	if err := s.noteDeletion(tx, DeletedConversation, where, args...); err != nil {
		return err
	}
	if err := tx.Where(where, args...).Delete(&models.Conversation{}).Error; err != nil {
		return fmt.Errorf("delete conversations: %w", err)
	}
	return nil
}

func lockConversation(tx *gorm.DB, userID, id string, expectedVersion int64) (*models.Conversation, error) {
	conv, err := getConversation(tx.Clauses(clause.Locking{Strength: "UPDATE"}), userID, id)
	if err != nil {
		return nil, err
	}
	return conv, checkVersion("conversation", id, expectedVersion, conv.Version)
}
