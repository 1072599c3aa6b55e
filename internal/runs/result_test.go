package runs

import (
	"context"
	"sync"
	"testing"
	"time"

	"nanoclaw/internal/models"
	"nanoclaw/internal/store"
	"nanoclaw/internal/tools"
)

// FS5, EX2: calls that finish before the database comes to them share one transaction,
// and their audit rows are stored with them.
func TestResultsOfAParallelBatchShareATransactionWithTheirAuditRows(t *testing.T) {
	h := newHouse(t)
	tree, calls := claimedTree(t, h, "c1", "c2", "c3")
	for _, id := range calls {
		if !h.runs.AuditCall(&models.Audit{Kind: models.AuditCall, CallID: id, RootRunID: tree.root.ID}) {
			t.Fatal("the run is not at work")
		}
	}
	inside, release := make(chan struct{}), make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := h.store.InTx(context.Background(), func(*store.Tx) error {
			close(inside)
			<-release
			return nil
		}); err != nil {
			t.Error(err)
		}
	})
	await(t, inside)
	before := h.store.Stats().Transactions
	for i, id := range calls {
		wg.Go(func() {
			if err := tree.storeResult(tree.root, tools.Record{ID: id, Result: "{}", Success: true}); err != nil {
				t.Error(err)
			}
		})
		for waiting := 0; waiting != i+1; {
			tree.results.mu.Lock()
			waiting = len(tree.results.waiting)
			tree.results.mu.Unlock()
		}
	}
	close(release)
	wg.Wait()
	if n := h.store.Stats().Transactions - before; n != 1 {
		t.Errorf("three results took %d transactions, want 1", n)
	}
	_, stored, err := h.store.Steps(t.Context(), tree.root.ID)
	if err != nil {
		t.Fatal(err)
	}
	for _, call := range stored {
		if call.State != models.CallFinished {
			t.Errorf("call %s is %s", call.ID, call.State)
		}
	}
	list, err := h.store.ListAudit(t.Context(), store.AuditQuery{RunID: tree.root.ID})
	if err != nil || len(list.Items) != 3 {
		t.Errorf("%d audit rows are stored, %v", len(list.Items), err)
	}
}

// claimedTree is a run with calls that nobody works on but the test.
func claimedTree(t *testing.T, h *house, calls ...string) (*tree, []string) {
	t.Helper()
	conv := &models.Conversation{UserID: models.LocalUserID}
	if err := h.store.CreateConversation(t.Context(), conv); err != nil {
		t.Fatal(err)
	}
	run := &models.Run{ID: store.NewID(), ConversationID: conv.ID, UserID: conv.UserID, AgentPath: RootPath}
	run.RootRunID = run.ID
	step := &models.Step{ID: store.NewID(), RunID: run.ID, RootRunID: run.ID}
	var rows []*models.ToolCall
	for i, id := range calls {
		rows = append(rows, &models.ToolCall{ID: id, RunID: run.ID, RootRunID: run.ID, StepID: step.ID, CallIndex: i,
			State: models.CallPending, Name: "look", Arguments: "{}"})
	}
	err := h.store.InTx(t.Context(), func(tx *store.Tx) (err error) {
		message := &models.Message{ID: store.NewID(), ConversationID: conv.ID, RunID: run.ID, Role: models.RoleUser}
		if err := tx.StartRun(store.StartRun{Run: run, Message: message}); err != nil {
			return err
		}
		if run, err = tx.Claim(run.ID, run.EnqueueNo, "test", time.Hour); err != nil {
			return err
		}
		return tx.AddStep(step, rows, &models.TokenUsage{ID: store.NewID(), StepID: step.ID, RunID: run.ID})
	})
	if err != nil {
		t.Fatal(err)
	}
	at := newTree(h.runs, run, func(error) {})
	h.runs.mu.Lock()
	h.runs.active[run.ID] = at
	h.runs.mu.Unlock()
	t.Cleanup(func() {
		h.runs.mu.Lock()
		delete(h.runs.active, run.ID)
		h.runs.mu.Unlock()
	})
	return at, calls
}
