package api

import (
	"context"

	"nanoclaw/internal/models"
	"nanoclaw/internal/runs"
	"nanoclaw/internal/store"
)

type listTasksInput struct {
	PageInput
	Conversation string `query:"conversation_id" doc:"The conversation that they were submitted in."`
	Active       bool   `query:"active" doc:"Only those that have not ended."`
}

func (s *server) registerTasks() {
	handle(s, op("GET", "/tasks", "list-tasks", "Runs", "Background tasks, newest first",
		describe("Each is the root run of a conversation of its own: read it as GET /runs/{id}, its messages as those "+
			"of its conversation_id, and stop it with POST /runs/{id}/cancel.")), s.listTasks)
}

func (s *server) listTasks(ctx context.Context, in *listTasksInput) (*struct{ Body *List[*Run] }, error) {
	part, err := s.Store.ListTasks(ctx, currentUser(ctx), store.TaskQuery{ConversationID: in.Conversation,
		Active: in.Active, Page: in.page()})
	if err != nil {
		return nil, err
	}
	return &struct{ Body *List[*Run] }{newList(part, func(run *models.Run) *Run { return runs.ViewRun(run) })}, nil
}

// stopTasks cancels the background tasks that were submitted in a conversation, and those
// of their conversations, and waits for their end.
func (s *server) stopTasks(ctx context.Context, user, conversationID string) error {
	query := store.TaskQuery{ConversationID: conversationID, Page: store.Page{Limit: store.MaxLimit}}
	for {
		part, err := s.Store.ListTasks(ctx, user, query)
		if err != nil {
			return err
		}
		var active []string
		for _, task := range part.Items {
			if !models.RunEnded(task.Status) {
				active = append(active, task.ID)
			}
			if err := s.stopTasks(ctx, user, task.ConversationID); err != nil {
				return err
			}
		}
		if err := s.stopRuns(ctx, user, active); err != nil || part.Next == "" {
			return err
		}
		query.Cursor = part.Next
	}
}
