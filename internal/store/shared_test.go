package store

import (
	"strings"
	"testing"
	"time"

	"gorm.io/gorm"

	"nanoclaw/internal/models"
	"nanoclaw/internal/store/pgtest"
)

// twoProcesses are two stores on one PostgreSQL database, as two servers have them.
func twoProcesses(t *testing.T) (a, b *Store) {
	t.Helper()
	t.Parallel()
	options := Options{URL: pgtest.URL(t), MaxConnections: 4}
	return openWith(t, options), openWith(t, options)
}

// overlap runs first, which calls inside in its transaction, and second meanwhile: first ends when
// second has ended or waits for it. It returns the error of second.
func overlap(t *testing.T, a *Store, first func(inside func()) error, second func() error) error {
	t.Helper()
	entered, leave := make(chan struct{}), make(chan struct{})
	firstEnded, secondEnded := make(chan error, 1), make(chan error, 1)
	go func() {
		firstEnded <- first(func() {
			close(entered)
			<-leave
		})
	}()
	<-entered
	go func() { secondEnded <- second() }()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for waits := false; !waits; {
		select {
		case err := <-secondEnded:
			close(leave)
			must(t, <-firstEnded)
			return err
		case <-tick.C:
			must(t, a.read(t.Context()).Raw("SELECT count(*) > 0 FROM pg_locks WHERE NOT granted AND database = "+
				"(SELECT oid FROM pg_database WHERE datname = current_database())").Scan(&waits).Error)
		}
	}
	close(leave)
	must(t, <-firstEnded)
	return <-secondEnded
}

// GR6: a user who starts runs on several servers at once has no more at work than the quota.
func TestTheQuotaOfRunsHoldsAcrossProcesses(t *testing.T) {
	a, b := twoProcesses(t)
	one, two := &models.Conversation{UserID: "u"}, &models.Conversation{UserID: "u"}
	must(t, a.CreateConversation(t.Context(), one))
	must(t, a.CreateConversation(t.Context(), two))
	start := func(s *Store, conv *models.Conversation, inside func()) error {
		run := &models.Run{ID: NewID(), UserID: "u", ActorID: "u", ConversationID: conv.ID, AssistantMessageID: NewID(),
			CreatedAt: models.Now()}
		run.RootRunID = run.ID
		message := &models.Message{ID: NewID(), ConversationID: conv.ID, RunID: run.ID, Role: models.RoleUser,
			Text: "x", CreatedAt: models.Now()}
		return s.InTx(t.Context(), func(tx *Tx) error {
			err := tx.StartRun(StartRun{Run: run, Message: message, MaxAtWork: 1})
			inside()
			return err
		})
	}
	err := overlap(t, a, func(inside func()) error { return start(a, one, inside) },
		func() error { return start(b, two, func() {}) })
	if !IsCode(err, CodeQuota) {
		t.Errorf("a second run where one is allowed: %v", err)
	}
}

// GR6: uploads that arrive at several servers at once take no more room than the quota.
func TestTheQuotaOfStorageHoldsAcrossProcesses(t *testing.T) {
	a, b := twoProcesses(t)
	const quota = 15
	upload := func() *models.Upload {
		return &models.Upload{ID: NewID(), UserID: "u", Name: "f", ContentType: "text/plain", Data: []byte("ten bytes.")}
	}
	err := overlap(t, a, func(inside func()) error {
		return a.tx(t.Context(), func(tx *gorm.DB) error {
			must(t, a.roomForUpload(tx, "u", 10, quota))
			must(t, createUpload(tx, upload()))
			inside()
			return nil
		})
	}, func() error {
		return b.ReceiveUploadWithin(t.Context(), quota, upload(), strings.NewReader("ten bytes."))
	})
	used, readErr := b.UserStorage(t.Context(), "u")
	if !IsCode(err, CodeStorageQuota) || used != 10 || readErr != nil {
		t.Errorf("a second upload: %v; %d bytes are stored, %v", err, used, readErr)
	}
}

// US1, GR6: passwords that are tried at several servers at once are no more than those that may
// be tried one after the other, and a right one is not counted.
func TestSignInsAreCountedAcrossProcesses(t *testing.T) {
	a, b := twoProcesses(t)
	begin := func(s *Store, inside func()) error {
		left, err := s.BeginSignIn(t.Context(), Attempt{ID: "pair", Wait: func(failures int64) time.Duration {
			inside()
			return time.Duration(failures) * time.Hour
		}})
		if err == nil && left > 0 {
			return &Error{Code: "wait"}
		}
		return err
	}
	err := overlap(t, a, func(inside func()) error { return begin(a, inside) },
		func() error { return begin(b, func() {}) })
	if !IsCode(err, "wait") {
		t.Errorf("a second password where one may be tried: %v", err)
	}
	must(t, b.SignInSucceeded(t.Context(), "other", "pair"))
	must(t, begin(b, func() {}))
	if err := begin(a, func() {}); !IsCode(err, "wait") {
		t.Errorf("behind a right password and a wrong one: %v", err)
	}
}

// US1, GR6: two servers that take one administrator each leave one.
func TestTheLastAdministratorStaysAcrossProcesses(t *testing.T) {
	a, b := twoProcesses(t)
	var ids []string
	for _, name := range []string{"one", "two"} {
		user := &models.User{Name: name, Role: models.AccountAdmin, PasswordHash: "x"}
		must(t, a.CreateUser(t.Context(), user))
		ids = append(ids, user.ID)
	}
	err := overlap(t, a, func(inside func()) error {
		_, err := a.UpdateAccount(t.Context(), ids[0], func(u *models.User) error {
			u.Role = models.AccountUser
			inside()
			return nil
		})
		return err
	}, func() error { return b.DeleteUser(t.Context(), ids[1]) })
	if !IsCode(err, CodeLastAdmin) {
		t.Errorf("the last administrator is deleted: %v", err)
	}
}
