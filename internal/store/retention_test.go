package store

import (
	"slices"
	"testing"

	"gorm.io/gorm"

	"nanoclaw/internal/models"
)

// CH14
func TestPurgeStepsTakesOldEndedRunsAlone(t *testing.T) {
	onEachEngine(t, func(t *testing.T, open openFunc) {
		s := open(t, newClock())
		ctx := t.Context()
		conv := models.Conversation{UserID: "u"}
		must(t, s.CreateConversation(ctx, &conv))
		roots := map[string]string{}
		must(t, s.tx(ctx, func(tx *gorm.DB) error {
			for name, run := range map[string]models.Run{
				"old":         {Status: models.RunCompleted, FinishedAt: 10},
				"new":         {Status: models.RunCompleted, FinishedAt: 30},
				"interrupted": {Status: models.RunInterrupted, FinishedAt: 10},
				"active":      {Status: models.RunRunning},
			} {
				run.ID, run.ConversationID = NewID(), conv.ID
				run.RootRunID = run.ID
				child := models.Run{ID: NewID(), ConversationID: conv.ID, RootRunID: run.ID, ParentRunID: run.ID,
					Status: models.RunCompleted, FinishedAt: 5}
				must(t, tx.Create([]*models.Run{&run, &child}).Error)
				roots[run.ID] = name
				for _, id := range []string{run.ID, child.ID} {
					step := models.Step{ID: NewID(), RunID: id, RootRunID: run.ID}
					must(t, tx.Create(&step).Error)
					must(t, tx.Create(&models.ToolCall{ID: NewID(), RunID: id, RootRunID: run.ID,
						StepID: step.ID}).Error)
					must(t, tx.Create(&models.Approval{ID: NewID(), CallID: NewID(), RunID: id, RootRunID: run.ID,
						Status: models.ApprovalApproved}).Error)
				}
			}
			return nil
		}))
		n, err := s.PurgeSteps(ctx, 20)
		must(t, err)
		if n != 1 {
			t.Errorf("%d runs lost their steps, want 1", n)
		}
		for _, model := range []any{&models.Step{}, &models.ToolCall{}, &models.Approval{}} {
			var left []string
			must(t, s.db.Model(model).Pluck("root_run_id", &left).Error)
			for i := range left {
				left[i] = roots[left[i]]
			}
			slices.Sort(left)
			if want := []string{"active", "active", "interrupted", "interrupted", "new", "new"}; !slices.Equal(left,
				want) {
				t.Errorf("%T: left are those of %v, want %v", model, left, want)
			}
		}
	})
}
