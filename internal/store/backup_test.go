package store

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"nanoclaw/internal/models"
)

// CH14
func TestABackupIsAWholeDatabaseOfOneMomentWhileWritesGoOn(t *testing.T) {
	t.Parallel()
	t.Run("sqlite", func(t *testing.T) {
		s := openSQLite(t, newClock())
		ctx := t.Context()
		conv := models.Conversation{UserID: "u", Title: "kept 保存"}
		must(t, s.CreateConversation(ctx, &conv))
		stop, writing := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(writing)
			for {
				select {
				case <-stop:
					return
				default:
					if err := s.CreateConversation(ctx, &models.Conversation{UserID: "u",
						Title: "written meanwhile"}); err != nil {
						t.Errorf("write during the backup: %v", err)
						return
					}
				}
			}
		}()
		file := filepath.Join(t.TempDir(), "it's a backup.db")
		err := s.Backup(ctx, file)
		close(stop)
		<-writing
		must(t, err)
		info, err := os.Stat(file)
		must(t, err)
		if info.Mode().Perm() != 0o600 {
			t.Errorf("the backup has mode %v", info.Mode().Perm())
		}
		wantCode(t, s.Backup(ctx, file), CodeConflict)

		restored := openWith(t, Options{SQLiteFile: file})
		if _, err := restored.GetConversation(ctx, "u", conv.ID); err != nil {
			t.Errorf("the conversation in the backup: %v", err)
		}
		hits, err := restored.Search(ctx, "u", SearchQuery{Text: "保存"})
		if err != nil || len(hits.Items) != 1 {
			t.Errorf("the search in the backup: %v, %v", hits.Items, err)
		}
		must(t, restored.CreateConversation(ctx, &models.Conversation{UserID: "u", Title: "after"}))
	})
}

func TestABackupThatFailsLeavesNothing(t *testing.T) {
	t.Parallel()
	t.Run("sqlite", func(t *testing.T) {
		s := openSQLite(t, newClock())
		folder := t.TempDir()
		if err := s.Backup(t.Context(), filepath.Join(folder, "missing", "b.db")); err == nil {
			t.Error("a backup into a folder that is missing succeeded")
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := s.Backup(ctx, filepath.Join(folder, "b.db")); err == nil {
			t.Error("a cancelled backup succeeded")
		}
		if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
			t.Errorf("the folder holds %v, %v", left, err)
		}
	})
}
