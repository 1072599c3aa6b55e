package undo

import (
	"database/sql"
	"path/filepath"
	"strings"
	"testing"

	"nanoclaw/internal/models"
	"nanoclaw/internal/store"
)

// addRun makes a conversation with the run that tests act for.
func addRun(t *testing.T, s *store.Store) error {
	t.Helper()
	if _, err := s.EnsureLocalUser(t.Context()); err != nil {
		return err
	}
	conversation := &models.Conversation{UserID: models.LocalUserID}
	if err := s.CreateConversation(t.Context(), conversation); err != nil {
		return err
	}
	run := &models.Run{ID: runID, RootRunID: runID, UserID: models.LocalUserID, ConversationID: conversation.ID}
	message := &models.Message{ID: store.NewID(), ConversationID: conversation.ID, Role: "user", Text: "go"}
	return s.InTx(t.Context(), func(tx *store.Tx) error {
		return tx.StartRun(store.StartRun{Run: run, Message: message})
	})
}

// finishRun ends it, past the store.
func (w *world) finishRun() {
	w.t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(filepath.Dir(w.dir), "db"))
	w.must(err)
	_, err = db.Exec("UPDATE runs SET status = ?, finished_at = ?", models.RunCompleted, models.Now())
	w.must(err)
	w.must(db.Close())
}

// CH11: what a command changed that the server's end cut off cannot be listed, and
// the answer says so.
func TestACommandThatWasCutOffIsNamed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if notes := w.changes("").Notes; len(notes) != 0 {
		t.Errorf("notes %q", notes)
	}
	db, err := sql.Open("sqlite", filepath.Join(filepath.Dir(w.dir), "db"))
	w.must(err)
	for id, call := range map[string][2]string{
		"1": {"shell_execute", `{"success":false,"error":"the server stopped","code":"outcome_unknown"}`},
		"2": {"execute_python", `{"success":false,"error":"\"code\":\"outcome_unknown\"}","code":"failed"}`},
		"3": {"file_write", `{"success":false,"error":"the server stopped","code":"outcome_unknown"}`},
	} {
		_, err = db.Exec(
			"INSERT INTO tool_calls (id, run_id, root_run_id, state, name, success, result) VALUES (?, ?, "+
				"?, ?, ?, 0, ?)",
			id, runID, runID, models.CallFinished, call[0], call[1])
		w.must(err)
	}
	w.must(db.Close())
	if notes := w.changes("").Notes; len(notes) != 1 || !strings.Contains(notes[0], "shell_execute") {
		t.Errorf("notes %q", notes)
	}
}
