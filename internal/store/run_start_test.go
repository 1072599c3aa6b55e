package store

import (
	"errors"
	"testing"
	"time"

	"nanoclaw/internal/models"
)

// EX3: a run whose first transaction was repeated, as after a deadlock, is at its first attempt.
func TestARunThatIsStoredAtTheSecondTryIsAtItsFirstAttempt(t *testing.T) {
	onEachEngine(t, func(t *testing.T, open openFunc) {
		s := open(t, newClock())
		_, err := s.EnsureLocalUser(t.Context())
		must(t, err)
		conv := &models.Conversation{ID: NewID(), UserID: models.LocalUserID}
		must(t, s.CreateConversation(t.Context(), conv))
		run := &models.Run{ID: NewID(), ConversationID: conv.ID, UserID: models.LocalUserID, AgentPath: "main",
			CreatedAt: models.Now()}
		run.RootRunID = run.ID
		message := &models.Message{ID: NewID(), ConversationID: conv.ID, RunID: run.ID, Role: models.RoleUser, Text: "x"}
		again := errors.New("again")
		for _, want := range []error{again, nil} {
			err := s.InTx(t.Context(), func(tx *Tx) error {
				must(t, tx.StartRun(StartRun{Run: run, Message: message, Owner: "me", Lease: time.Minute}))
				return want
			})
			if !errors.Is(err, want) {
				t.Fatalf("%v, want %v", err, want)
			}
		}
		stored, err := s.Run(t.Context(), models.LocalUserID, run.ID)
		must(t, err)
		if stored.Attempt != 1 || stored.EnqueueNo != 1 || stored.StaleAttempts != 1 || stored.Status != models.RunRunning {
			t.Errorf("attempt %d, enqueued %d, %d stale, %s", stored.Attempt, stored.EnqueueNo, stored.StaleAttempts,
				stored.Status)
		}
	})
}
