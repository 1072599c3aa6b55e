package store

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"gorm.io/gorm"

	"nanoclaw/internal/models"
)

// grouped holds the writer until the callers stand in line behind it, lets them run as
// one group once ready has returned, and returns how many commits that took.
func grouped(t *testing.T, s *Store, ready func(), callers ...func() error) (errs []error, commits int64) {
	t.Helper()
	d := s.dialect.(*sqliteDB)
	inside, release := make(chan struct{}), make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := s.tx(context.Background(), func(*gorm.DB) error {
			close(inside)
			<-release
			return nil
		}); err != nil {
			t.Error(err)
		}
	})
	<-inside
	before := s.Stats().Commits
	errs = make([]error, len(callers))
	for i, caller := range callers {
		wg.Go(func() {
			defer func() {
				if value := recover(); value != nil {
					errs[i] = fmt.Errorf("panic: %v", value)
				}
			}()
			errs[i] = caller()
		})
		for len(d.group.queue) < i+1 { // in line, in order
			select {
			case <-t.Context().Done():
				t.Fatal("a caller does not stand in line")
			default:
			}
		}
	}
	ready()
	close(release)
	wg.Wait()
	return errs, s.Stats().Commits - before - 1
}

func addUser(s *Store, ctx context.Context, name string, then func(tx *gorm.DB) error) func() error {
	return func() error {
		return s.tx(ctx, func(tx *gorm.DB) error {
			if err := tx.Create(&models.User{ID: name, Name: name}).Error; err != nil {
				return err
			}
			return then(tx)
		})
	}
}

func fine(*gorm.DB) error { return nil }

func names(t *testing.T, s *Store) string {
	t.Helper()
	var found []string
	must(t, s.read(t.Context()).Model(&models.User{}).Order("name").Pluck("name", &found).Error)
	return strings.Join(found, " ")
}

// EX1: callers that wait share a commit, and each keeps its own error.
func TestCallersOfAGroupKeepTheirOwnErrors(t *testing.T) {
	t.Parallel()
	s := openSQLite(t, newClock())
	failure := errors.New("no")
	early, cancelEarly := context.WithCancel(t.Context())
	late, cancelLate := context.WithCancel(t.Context())
	errs, commits := grouped(t, s, cancelEarly,
		addUser(s, t.Context(), "a", fine),
		addUser(s, t.Context(), "fails", func(*gorm.DB) error { return failure }),
		addUser(s, t.Context(), "b", fine),
		addUser(s, t.Context(), "panics", func(*gorm.DB) error { panic("oh") }),
		addUser(s, t.Context(), "a", fine),
		addUser(s, early, "is cancelled before it begins", fine),
		addUser(s, late, "is cancelled while it works", func(tx *gorm.DB) error {
			cancelLate()
			if err := tx.Create(&models.User{ID: "x", Name: "x"}).Error; !errors.Is(err, context.Canceled) {
				t.Errorf("a statement of a cancelled caller: %v", err)
			}
			return nil
		}),
		addUser(s, t.Context(), "c", fine),
	)
	for i, want := range []func(error) bool{
		isNil, func(err error) bool { return errors.Is(err, failure) }, isNil,
		func(err error) bool { return err != nil && strings.HasPrefix(err.Error(), "panic: oh") },
		func(err error) bool { return IsCode(err, CodeConflict) },
		isCanceled, isCanceled, isNil,
	} {
		if !want(errs[i]) {
			t.Errorf("caller %d got %v", i, errs[i])
		}
	}
	if got := names(t, s); got != "a b c" || commits != 1 {
		t.Errorf("stored are %q, by %d commits; want \"a b c\" by one", got, commits)
	}
}

func isNil(err error) bool { return err == nil }

func isCanceled(err error) bool { return errors.Is(err, context.Canceled) }

// EX1: a commit that fails has stored nothing, and everybody in it learns that; the next
// group is not concerned.
func TestAFailedCommitFailsItsWholeGroup(t *testing.T) {
	t.Parallel()
	s := openSQLite(t, newClock())
	failure := errors.New("no")
	errs, commits := grouped(t, s, func() {},
		addUser(s, t.Context(), "a", fine),
		addUser(s, t.Context(), "fails", func(*gorm.DB) error { return failure }),
		func() error { // what a commit alone finds out
			return s.tx(t.Context(), func(tx *gorm.DB) error {
				must(t, tx.Exec("PRAGMA defer_foreign_keys = ON").Error)
				return tx.Create(&models.Message{ID: NewID(), ConversationID: "none"}).Error
			})
		},
		addUser(s, t.Context(), "b", fine),
	)
	for i, err := range errs {
		if own := errors.Is(err, failure); err == nil || own != (i == 1) {
			t.Errorf("caller %d got %v", i, err)
		}
	}
	if got := names(t, s); got != "" || commits != 0 {
		t.Errorf("stored are %q, by %d commits", got, commits)
	}
	must(t, addUser(s, t.Context(), "after", fine)())
	if got := names(t, s); got != "after" {
		t.Errorf("stored are %q afterwards", got)
	}
}

// CH5: a full disk is storage_full for whoever needs the room, and the store goes on
// once there is some.
func TestAGroupSurvivesAFullDisk(t *testing.T) {
	t.Parallel()
	s := openSQLite(t, newClock())
	limit := func(pages int) {
		must(t, s.tx(t.Context(), func(tx *gorm.DB) error {
			var got int
			return tx.Raw(fmt.Sprintf("PRAGMA max_page_count = %d", pages)).Scan(&got).Error
		}))
	}
	limit(1) // it is never less than the pages that there are
	errs, _ := grouped(t, s, func() {},
		addUser(s, t.Context(), "small", fine),
		addUser(s, t.Context(), "large", func(tx *gorm.DB) error {
			return tx.Create(&models.User{ID: "l", Name: strings.Repeat("x", 1<<20)}).Error
		}),
	)
	wantCode(t, errs[1], CodeStorageFull)
	if stored := names(t, s) == "small"; stored != (errs[0] == nil) || !stored && !IsCode(errs[0], CodeStorageFull) {
		t.Errorf("stored is %q, but its caller got %v", names(t, s), errs[0])
	}
	limit(1 << 30)
	must(t, addUser(s, t.Context(), "large", fine)())
}

// EX1: many callers at once get what they would get one after the other.
func TestManyConcurrentCallersAreAllServed(t *testing.T) {
	t.Parallel()
	s := openSQLite(t, newClock())
	const callers = 300
	var wg sync.WaitGroup
	for i := range callers {
		wg.Go(func() {
			err := s.tx(t.Context(), func(tx *gorm.DB) error {
				var n int64
				if err := tx.Model(&models.User{}).Count(&n).Error; err != nil {
					return err
				}
				name := fmt.Sprintf("user %d", n) // unique only where nobody else writes meanwhile
				if err := tx.Create(&models.User{ID: name, Name: name}).Error; err != nil {
					return err
				}
				if i%10 == 0 {
					return context.DeadlineExceeded
				}
				return nil
			})
			if (err != nil) != (i%10 == 0) {
				t.Errorf("caller %d got %v", i, err)
			}
		})
	}
	wg.Wait()
	var n int64
	must(t, s.read(t.Context()).Model(&models.User{}).Count(&n).Error)
	if n != callers*9/10 {
		t.Errorf("%d rows are stored, want %d", n, callers*9/10)
	}
}

// A store that is closed refuses to write, and whoever waits is not left waiting.
func TestAClosedStoreRefusesToWrite(t *testing.T) {
	t.Parallel()
	s := openSQLite(t, newClock())
	must(t, s.Close())
	if err := addUser(s, t.Context(), "late", fine)(); err == nil {
		t.Error("a closed store has stored something")
	}
}
