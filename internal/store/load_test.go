package store

import (
	"testing"

	"nanoclaw/internal/models"
)

func TestLoadCountsQueuedRunsPendingApprovalsAndUnpublishedEvents(t *testing.T) {
	onEachEngine(t, func(t *testing.T, open openFunc) {
		s := open(t, newClock())
		if load, err := s.Load(t.Context()); err != nil || load != (Load{}) {
			t.Fatalf("an empty database: %+v, %v", load, err)
		}
		working, fence := guardedRun(t, s, "c1")
		_, err := s.AskApproval(t.Context(), fence, askFor(working, "c1", "h1"), false, oneEvent)
		must(t, err)
		conv := &models.Conversation{ID: NewID(), UserID: models.LocalUserID}
		must(t, s.CreateConversation(t.Context(), conv))
		queued := &models.Run{ID: NewID(), ConversationID: conv.ID, UserID: models.LocalUserID, AgentPath: "main",
			CreatedAt: 1234}
		queued.RootRunID = queued.ID
		message := &models.Message{ID: NewID(), ConversationID: conv.ID, RunID: queued.ID, Role: models.RoleUser,
			Text: "x"}
		must(t, s.InTx(t.Context(), func(tx *Tx) error {
			return tx.StartRun(StartRun{Run: queued, Message: message})
		}))
		want := Load{QueuedRuns: 1, OldestQueued: 1234, PendingApprovals: 1, OutboxRows: 1}
		if load, err := s.Load(t.Context()); err != nil || load != want {
			t.Errorf("%+v, %v; want %+v", load, err, want)
		}
	})
}
