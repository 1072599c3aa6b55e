package undo

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"nanoclaw/internal/models"
	"nanoclaw/internal/store"
	"nanoclaw/internal/workspace"
)

type only struct{ *workspace.Local }

func (o only) Open(context.Context, string) (workspace.Filesystem, error) { return o.Local, nil }

// benched is a project of small files and a service that keeps versions.
func benched(b *testing.B, files int) (*workspace.Local, *Service, workspace.Actor) {
	b.Helper()
	base := b.TempDir()
	dir := filepath.Join(base, "p")
	must := func(err error) {
		b.Helper()
		if err != nil {
			b.Fatal(err)
		}
	}
	must(os.Mkdir(dir, 0o755))
	for i := range files {
		must(os.WriteFile(filepath.Join(dir, fmt.Sprint(i)), fmt.Appendf(nil, "%04000d", i), 0o644))
	}
	s, err := store.Open(b.Context(), store.Options{SQLiteFile: filepath.Join(base, "db")})
	must(err)
	b.Cleanup(func() { s.Close() })
	_, err = s.EnsureLocalUser(b.Context())
	must(err)
	conversation := &models.Conversation{UserID: models.LocalUserID}
	must(s.CreateConversation(b.Context(), conversation))
	must(s.InTx(b.Context(), func(tx *store.Tx) error {
		return tx.StartRun(store.StartRun{
			Run: &models.Run{ID: runID, RootRunID: runID, UserID: models.LocalUserID,
				ConversationID: conversation.ID},
			Message: &models.Message{ID: store.NewID(), ConversationID: conversation.ID, Role: "user", Text: "go"},
		})
	}))
	local := workspace.NewLocal(dir, nil)
	service := New(Options{Store: s, Projects: only{local}, Dir: filepath.Join(base, "versions"),
		Logger: slog.New(slog.DiscardHandler),
		Limits: func() Limits {
			return Limits{RunBytes: 1 << 28, FileBytes: 10 << 20, CommandFiles: 2000, CommandBytes: 16 << 20}
		}})
	return local, service, workspace.Actor{RunID: runID, RootRunID: runID}
}

// What noting a change costs beside the write itself.
func BenchmarkWrite(b *testing.B) {
	for _, noted := range []bool{false, true} {
		b.Run(fmt.Sprint("noted ", noted), func(b *testing.B) {
			local, service, actor := benched(b, 1)
			var files workspace.Filesystem = local
			if noted {
				files = service.Recorded(actor, "p", local)
			}
			for i := 0; b.Loop(); i++ {
				if _, err := files.Write(b.Context(), "0", fmt.Appendf(nil, "version %d", i),
					workspace.WriteOptions{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// What comparing a project of 1,900 files costs around a command that does nothing.
func BenchmarkCommand(b *testing.B) {
	_, service, actor := benched(b, 1900)
	for b.Loop() {
		service.Command(b.Context(), actor, "p")(b.Context())
	}
}
