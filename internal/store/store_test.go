package store

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"gorm.io/gorm"

	"nanoclaw/internal/models"
)

func TestOpenMakesTheFileAndItsFolderForTheOwnerAlone(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "new folder", "a #?%&.db")
	for range 2 { // new, then existing
		s, err := Open(t.Context(), Options{SQLiteFile: file})
		must(t, err)
		must(t, s.Ping(t.Context()))
		for _, name := range []string{file, file + "-wal"} {
			info, err := os.Stat(name)
			must(t, err)
			if info.Mode().Perm() != 0o600 {
				t.Errorf("%s has mode %v", filepath.Base(name), info.Mode().Perm())
			}
		}
		must(t, s.Close())
	}
}

func TestOpenSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	_, err := Open(t.Context(), Options{})
	wantCode(t, err, CodeInvalidArgument)
	_, err = Open(t.Context(), Options{URL: "postgres://localhost:x/y"})
	wantCode(t, err, CodeInvalidArgument)
	garbage := filepath.Join(t.TempDir(), "garbage.db")
	must(t, os.WriteFile(garbage, []byte("this is no database, however long one looks at it"), 0o600))
	if _, err = Open(t.Context(), Options{SQLiteFile: garbage}); err == nil {
		t.Error("a file of text was opened as a database")
	}
	if got, _ := os.ReadFile(garbage); string(got) != "this is no database, however long one looks at it" {
		t.Error("the file that is no database was changed")
	}
}

func TestManyProcessesMayOpenANewDatabaseAtOnce(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "test.db")
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			s, err := Open(t.Context(), Options{SQLiteFile: file})
			if err != nil {
				t.Errorf("open: %v", err)
				return
			}
			if _, err := s.EnsureLocalUser(t.Context()); err != nil {
				t.Errorf("use: %v", err)
			}
			if err := s.Close(); err != nil {
				t.Errorf("close: %v", err)
			}
		})
	}
	wg.Wait()
}

func TestConcurrentReadThenWriteTransactionsLoseNothing(t *testing.T) {
	onEachEngine(t, func(t *testing.T, open openFunc) {
		s := open(t, newClock())
		conv := models.Conversation{UserID: "u"}
		must(t, s.CreateConversation(t.Context(), &conv))
		var wg sync.WaitGroup
		for range 32 {
			wg.Go(func() {
				for range 10 {
					_, err := s.UpdateConversation(t.Context(), "u", conv.ID, 0, func(c *models.Conversation) error {
						c.MaxTokens++
						return nil
					})
					if err != nil {
						t.Errorf("a transaction failed: %v", err)
					}
				}
			})
		}
		wg.Wait()
		got, err := s.GetConversation(t.Context(), "u", conv.ID)
		must(t, err)
		if got.MaxTokens != 320 || got.Version != 321 {
			t.Errorf("of 320 additions %d are left, version %d", got.MaxTokens, got.Version)
		}
	})
}

func TestAFailedTransactionLeavesNothing(t *testing.T) {
	onEachEngine(t, func(t *testing.T, open openFunc) {
		s := open(t, newClock())
		err := s.tx(t.Context(), func(tx *gorm.DB) error {
			must(t, tx.Create(&models.User{ID: "a", Name: "a"}).Error)
			return fmt.Errorf("no")
		})
		if err == nil || err.Error() != "no" {
			t.Errorf("the error is %v", err)
		}
		_, err = s.GetUser(t.Context(), "a")
		wantCode(t, err, CodeNotFound)
	})
}

func TestAViolatedUniqueIndexIsAConflict(t *testing.T) {
	onEachEngine(t, func(t *testing.T, open openFunc) {
		s := open(t, newClock())
		must(t, s.CreateUser(t.Context(), &models.User{Name: "ann"}))
		wantCode(t, s.CreateUser(t.Context(), &models.User{Name: "ann"}), CodeConflict)
	})
}

func TestReadersSeeWhatIsCommittedAndDoNotWaitForTheWriter(t *testing.T) {
	onEachEngine(t, func(t *testing.T, open openFunc) {
		s := open(t, newClock())
		must(t, s.tx(t.Context(), func(tx *gorm.DB) error {
			must(t, tx.Create(&models.User{ID: "a", Name: "a"}).Error)
			_, err := s.GetUser(t.Context(), "a") // would hang or fail if it waited
			wantCode(t, err, CodeNotFound)
			return nil
		}))
		_, err := s.GetUser(t.Context(), "a")
		must(t, err)
	})
}

func TestASnapshotDoesNotSeeWhatOthersCommitMeanwhile(t *testing.T) {
	onEachEngine(t, func(t *testing.T, open openFunc) {
		s := open(t, newClock())
		must(t, s.snapshot(t.Context(), func(tx *gorm.DB) error {
			var before, after int64
			must(t, tx.Model(&models.User{}).Count(&before).Error)
			must(t, s.CreateUser(t.Context(), &models.User{Name: "late"}))
			must(t, tx.Model(&models.User{}).Count(&after).Error)
			if before != 0 || after != 0 {
				t.Errorf("the snapshot saw %d users, then %d", before, after)
			}
			return nil
		}))
	})
}

func TestIDsGrow(t *testing.T) {
	t.Parallel()
	last := ""
	for range 10_000 {
		id := NewID()
		if len(id) != 36 || id[14] != '7' || id <= last {
			t.Fatalf("the id %q follows %q", id, last)
		}
		last = id
	}
}
