package runs

import (
	"fmt"
	"unicode/utf8"

	"nanoclaw/internal/models"
	"nanoclaw/internal/runs/eventlog"
	"nanoclaw/internal/store"
)

// announcedText is how many bytes of a task's answer stand in the message that announces
// its end. All of it is in the task's own conversation.
const announcedText = 16 << 10

// announceTasks stores a message for each background task whose end can be told now: of
// the tasks that ended while the run was at work in their conversation, and of the run
// itself where it is a task. In a conversation with an active run the answer comes first.
func (s *Service) announceTasks(tx *store.Tx, ended *models.Run) error {
	if origin := ended.Settings.Task; origin != nil {
		if err := s.announceIn(tx, ended.UserID, origin.ConversationID); err != nil {
			return err
		}
		tx.Send(taskRow(ended))
	}
	return s.announceIn(tx, ended.UserID, ended.ConversationID)
}

func (s *Service) announceIn(tx *store.Tx, userID, conversationID string) error {
	ended, err := tx.EndedTasks(conversationID)
	if err != nil || len(ended) == 0 {
		return err
	}
	conv, err := tx.LockIdle(userID, conversationID)
	if err != nil || conv == nil {
		return err
	}
	if ended, err = tx.EndedTasks(conversationID); err != nil { // nobody else announces them now
		return err
	}
	for _, task := range ended {
		message := announcement(task)
		if err := tx.Announce(conv, task.Run, message); err != nil {
			return err
		}
		view, err := ViewMessage(message)
		if err != nil {
			return err
		}
		tx.Send(messageRow(conv, view))
	}
	return nil
}

// messageRow is message.created of a message that no run stores.
func messageRow(conv *models.Conversation, view *MessageView) *models.Outbox {
	return &models.Outbox{Subject: eventlog.EventSubject(conv.UserID, conv.ID, ""), MessageID: store.NewID(),
		Payload: encodeConversation(EventMessageCreated, conv.ID, messagePayload{Message: view})}
}

// announcement is the message that tells of the end of a task.
func announcement(task store.EndedTask) *models.Message {
	run := task.Run
	text := fmt.Sprintf("**Background task “%s” %s.**", run.TaskName, endWord(run.Status))
	if run.ErrorMessage != "" && run.Status != models.RunCancelled {
		text += "\n\n" + run.ErrorMessage
	}
	if answer := task.Answer.Text; answer != "" {
		text += "\n\n" + cutAnswer(answer)
	}
	return &models.Message{
		ID: store.NewID(), Role: models.RoleAssistant, Text: text, CreatedAt: now(),
		Attachments: task.Answer.Attachments,
		Task: encode(models.TaskEnd{RunID: run.ID, ConversationID: run.ConversationID, Name: run.TaskName,
			Status: run.Status}),
	}
}

func cutAnswer(text string) string {
	if len(text) <= announcedText {
		return text
	}
	cut := announcedText
	for !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + fmt.Sprintf("\n\n[… %d bytes more: check_agent_task has all of it]", len(text)-cut)
}

func endWord(status string) string {
	switch status {
	case models.RunCancelled:
		return "was cancelled"
	case models.RunInterrupted:
		return "was interrupted"
	}
	return status
}

// taskRow tells the conversation that a task was submitted in how it is.
func taskRow(run *models.Run) *models.Outbox {
	home := run.Settings.Task.ConversationID
	return &models.Outbox{Subject: eventlog.EventSubject(run.UserID, home, ""), MessageID: store.NewID(),
		Payload: encodeConversation(EventTaskUpdated, home, runPayload{Run: ViewRun(run)})}
}
