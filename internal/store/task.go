package store

import (
	"context"
	"fmt"

	"gorm.io/gorm"

	"nanoclaw/internal/models"
)

// A background task is the root run of a hidden conversation with TaskOf set. Its
// ChildKey tells it from turns that a person adds there later.

// endedRun are the statuses of runs that have ended.
var endedRun = []string{models.RunCompleted, models.RunFailed, models.RunCancelled, models.RunInterrupted}

// TaskQuery selects background tasks of a user.
type TaskQuery struct {
	ConversationID string // that they were submitted in; empty: any
	Active         bool   // only those that have not ended
	Page
}

// ListTasks returns the runs of background tasks, newest first.
func (s *Store) ListTasks(ctx context.Context, userID string, query TaskQuery) (List[models.Run], error) {
	tasks := s.read(ctx).Model(&models.Conversation{}).Select("id").Where("user_id = ? AND task_of <> ''", userID)
	if query.ConversationID != "" {
		tasks = tasks.Where("task_of = ?", query.ConversationID)
	}
	db := s.read(ctx).Where("parent_run_id = '' AND child_key IS NOT NULL AND conversation_id IN (?)", tasks)
	if query.Active {
		db = db.Where("status NOT IN ?", endedRun)
	}
	list, err := newestFirst(db, query.Page, func(r models.Run) string { return r.ID })
	if err != nil {
		return list, fmt.Errorf("list background tasks: %w", err)
	}
	return list, nil
}

// Task returns the run of a background task that was submitted in a conversation, or not_found.
func (s *Store) Task(ctx context.Context, conversationID, runID string) (*models.Run, error) {
	var run models.Run
	err := tasksOf(s.read(ctx), conversationID).Where("id = ?", runID).Take(&run).Error
	if err != nil {
		return nil, found(err, "background task", runID)
	}
	return &run, nil
}

func tasksOf(db *gorm.DB, conversationID string) *gorm.DB {
	below := db.Session(&gorm.Session{NewDB: true}).Model(&models.Conversation{}).Select("id").
		Where("task_of = ? AND task_of <> ''", conversationID) // as the index says
	return db.Where("parent_run_id = '' AND child_key IS NOT NULL AND conversation_id IN (?)", below)
}

// ActiveTasks counts the background tasks of a conversation that have not ended. No
// other is added to it before the transaction ends.
func (tx *Tx) ActiveTasks(userID, conversationID string) (int64, error) {
	if _, err := tx.lockOnce(userID, conversationID); err != nil {
		return 0, err
	}
	var n int64
	err := tasksOf(tx.db.Model(&models.Run{}), conversationID).Where("status NOT IN ?", endedRun).Count(&n).Error
	if err != nil {
		return 0, fmt.Errorf("count the background tasks of conversation %s: %w", conversationID, err)
	}
	return n, nil
}

// TaskByKey is the run of the task with that ChildKey; nil: there is none.
func (tx *Tx) TaskByKey(key string) (*models.Run, error) {
	var runs []*models.Run
	if err := tx.db.Where("child_key = ?", key).Limit(1).Find(&runs).Error; err != nil {
		return nil, fmt.Errorf("look for background task %s: %w", key, err)
	}
	if len(runs) == 0 {
		return nil, nil
	}
	return runs[0], nil
}

// EndedTask is a background task that has ended, with the answer that it gave.
type EndedTask struct {
	Run    *models.Run
	Answer models.Message // empty: it is not there any more
}

// EndedTasks are the background tasks of a conversation that have ended and are not
// announced, in the order of their ends.
func (tx *Tx) EndedTasks(conversationID string) ([]EndedTask, error) {
	var runs []*models.Run
	below := tx.db.Model(&models.Conversation{}).Select("id").
		Where("task_of = ? AND task_of <> '' AND NOT task_announced", conversationID)
	err := tx.db.Where("parent_run_id = '' AND child_key IS NOT NULL AND conversation_id IN (?)", below).
		Where("status IN ?", endedRun).Order("finished_at, id").Find(&runs).Error
	if err != nil {
		return nil, fmt.Errorf("look for ended tasks of conversation %s: %w", conversationID, err)
	}
	ended := make([]EndedTask, len(runs))
	for i, run := range runs {
		var answers []models.Message
		err := tx.db.Select("text", "attachments").Where("id = ?", run.AssistantMessageID).Limit(1).Find(&answers).Error
		if err != nil {
			return nil, fmt.Errorf("read the answer of task %s: %w", run.ID, err)
		}
		ended[i] = EndedTask{Run: run}
		if len(answers) > 0 {
			ended[i].Answer = answers[0]
		}
	}
	return ended, nil
}

// LockIdle locks a conversation in which no run is active; nil: one is, or there is no
// such conversation any more.
func (tx *Tx) LockIdle(userID, conversationID string) (*models.Conversation, error) {
	conv, err := tx.lockOnce(userID, conversationID)
	if IsCode(err, CodeNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if busy, err := activeRun(tx.db, conv.ID); err != nil || busy != "" {
		return nil, err
	}
	return conv, nil
}

// Announce stores the message that tells of a task's end, at the end of the active
// branch of a conversation that LockIdle locked.
func (tx *Tx) Announce(conv *models.Conversation, task *models.Run, message *models.Message) error {
	message.ConversationID, message.ParentID = conv.ID, conv.ActiveLeafID
	if err := tx.store.insertMessage(tx.db, conv.UserID, message); err != nil {
		return err
	}
	conv.ActiveLeafID, conv.UpdatedAt = message.ID, models.Now()
	err := tx.db.Model(&models.Conversation{}).Where("id = ?", conv.ID).
		Updates(map[string]any{"active_leaf_id": conv.ActiveLeafID, "updated_at": conv.UpdatedAt}).Error
	if err == nil {
		err = tx.db.Model(&models.Conversation{}).Where("id = ?", task.ConversationID).
			UpdateColumn("task_announced", true).Error
	}
	if err != nil {
		return fmt.Errorf("announce the end of task %s: %w", task.ID, err)
	}
	return nil
}
