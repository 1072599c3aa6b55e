package store

import (
	"fmt"
	"time"

	"gorm.io/gorm"

	"nanoclaw/internal/models"
)

// CodeRunActive is the code of a *BusyError.
const CodeRunActive = "run_active"

// BusyError says that the conversation has an active run.
type BusyError struct{ RunID string }

func (e *BusyError) Error() string {
	return fmt.Sprintf("the conversation has an active run, %s: wait for its end, cancel it, or send on_busy=queue",
		e.RunID)
}

// ErrorCode is CodeRunActive.
func (e *BusyError) ErrorCode() string { return CodeRunActive }

// StartRun says how a root run begins.
type StartRun struct {
	Run *models.Run // filled in by the caller but for Status, ActiveKey, Deferred and the messages' places

	// Message is the user's new message, nil where the run answers one that
	// exists (Run.UserMessageID). Parent is its parent: nil means the end of the
	// active branch, "" a new root.
	Message *models.Message
	Parent  *string

	MaxAtWork int // runs that the actor may have queued or at work; 0: no limit

	Queue bool // an active run makes this one wait instead of failing

	// Owner is the worker that takes the run at once, for the length of Lease, unless it
	// has to wait for its turn. Empty: any worker takes it by its work message.
	Owner string
	Lease time.Duration
}

// StartRun stores the user's message and a queued run. It returns a *BusyError where
// the conversation has an active run and Queue is false, and not_found where there is
// no such conversation of the run's user. A run that has to wait (Deferred) gets its
// message when it starts: see PromoteNext.
func (tx *Tx) StartRun(p StartRun) error {
	run := p.Run
	conv, err := tx.conversation(run)
	if err != nil {
		return err
	}
	busy, err := activeRun(tx.db, conv.ID)
	if err != nil {
		return err
	}
	if err := tx.store.roomForRun(tx.db, run, p.MaxAtWork); err != nil {
		return err
	}
	// A transaction that is repeated begins anew.
	run.Status, run.Deferred, run.ActiveKey = models.RunQueued, false, nil
	run.EnqueueNo, run.Attempt, run.StaleAttempts = 0, 0, 0
	switch {
	case busy != "" && !p.Queue:
		return &BusyError{RunID: busy}
	case busy != "":
		run.Deferred = true
		if err := reserve(tx.db, run, p.Parent); err != nil {
			return err
		}
	default:
		if err := tx.store.placeMessage(tx.db, conv, run, p.Message, p.Parent); err != nil {
			return err
		}
		activate(run)
		if p.Owner != "" {
			own(run, run.EnqueueNo, p.Owner, p.Lease)
		}
	}
	if err := tx.db.Create(run).Error; err != nil {
		return fmt.Errorf("store run %s: %w", run.ID, err)
	}
	return attachUploads(tx.db, run)
}

// reserve remembers where the message of a run that has to wait is to come.
func reserve(tx *gorm.DB, run *models.Run, parent *string) error {
	if parent == nil {
		return nil
	}
	run.ParentMessageID, run.Input.NewRoot = *parent, *parent == ""
	if run.Input.NewRoot {
		return nil
	}
	return messageExists(tx, run.ConversationID, *parent)
}

// reserved is the parent that a run's message is to have; nil: the end of the active branch.
func reserved(run *models.Run) *string {
	if run.ParentMessageID == "" && !run.Input.NewRoot {
		return nil
	}
	return &run.ParentMessageID
}

// attachUploads shows what came with a message to everybody who may see its conversation.
func attachUploads(tx *gorm.DB, run *models.Run) error {
	for _, attachment := range run.Input.Attachments {
		err := tx.Model(&models.Upload{}).Where("id = ? AND user_id = ?", attachment.UploadID, run.Actor()).
			Update("conversation_id", run.ConversationID).Error
		if err != nil {
			return fmt.Errorf("attach upload %s: %w", attachment.UploadID, err)
		}
	}
	return nil
}

// SuggestTitle gives the run's conversation a title where it has none. It returns the
// conversation when it did, else nil.
func (tx *Tx) SuggestTitle(run *models.Run, title string) (*models.Conversation, error) {
	return tx.ReplaceTitle(run, "", title)
}

// ReplaceTitle gives the run's conversation another title where its title is the old one and
// no person gave it. It returns the conversation when it did, else nil.
func (tx *Tx) ReplaceTitle(run *models.Run, old, title string) (*models.Conversation, error) {
	conv, err := tx.conversation(run)
	if err != nil || title == "" || conv.Title != old || conv.TitleGiven {
		return nil, err
	}
	conv.Title, conv.Version = title, conv.Version+1
	err = tx.db.Model(&models.Conversation{}).Where("id = ?", conv.ID).
		Updates(map[string]any{"title": conv.Title, "version": conv.Version}).Error
	if err != nil {
		return nil, fmt.Errorf("store the title of conversation %s: %w", conv.ID, err)
	}
	return conv, tx.store.indexTitle(tx.db, conv)
}

// activeRun is the id of the conversation's active root run, or "".
func activeRun(tx *gorm.DB, conversationID string) (string, error) {
	var ids []string
	err := tx.Model(&models.Run{}).Where("active_key = ?", conversationID).Limit(1).Pluck("id", &ids).Error
	if err != nil {
		return "", fmt.Errorf("look for an active run of conversation %s: %w", conversationID, err)
	}
	if len(ids) == 0 {
		return "", nil
	}
	return ids[0], nil
}

func activate(run *models.Run) {
	key := run.ConversationID
	run.ActiveKey = &key
	run.Deferred = false
	run.EnqueueNo++
}

// placeMessage stores the run's user message below its parent and makes it the
// end of the active branch; a run that answers an existing message makes that
// one the end.
func (s *Store) placeMessage(tx *gorm.DB, conv *models.Conversation, run *models.Run, message *models.Message,
	parent *string) error {
	if message != nil {
		switch {
		case parent == nil:
			message.ParentID = conv.ActiveLeafID
		case *parent != "":
			if err := messageExists(tx, conv.ID, *parent); err != nil {
				return err
			}
			message.ParentID = *parent
		}
		if err := s.insertMessage(tx, conv.UserID, message); err != nil {
			return err
		}
		run.UserMessageID = message.ID
	} else if err := messageExists(tx, conv.ID, run.UserMessageID); err != nil {
		return err
	}
	conv.ActiveLeafID = run.UserMessageID
	conv.UpdatedAt = models.Now()
	err := tx.Model(&models.Conversation{}).Where("id = ?", conv.ID).
		Updates(map[string]any{"active_leaf_id": conv.ActiveLeafID, "updated_at": conv.UpdatedAt}).Error
	if err != nil {
		return fmt.Errorf("move the end of conversation %s: %w", conv.ID, err)
	}
	return nil
}

func messageExists(tx *gorm.DB, conversationID, messageID string) error {
	var n int64
	err := tx.Model(&models.Message{}).Where("id = ? AND conversation_id = ?", messageID,
		conversationID).Count(&n).Error
	if err != nil {
		return fmt.Errorf("look for message %s: %w", messageID, err)
	}
	if n == 0 {
		return &Error{Code: CodeNotFound, Message: fmt.Sprintf("there is no message %s in this conversation",
			messageID)}
	}
	return nil
}
