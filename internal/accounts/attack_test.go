package accounts

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"nanoclaw/internal/models"
	"nanoclaw/internal/store"
)

const right = "four-words-in-a-row"

// desk is a service whose work for passwords is noted, and whose clock a test moves.
type desk struct {
	*Service
	ahead atomic.Int64

	mu   sync.Mutex
	work []string
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	d := &desk{}
	s, err := store.Open(t.Context(), store.Options{SQLiteFile: filepath.Join(t.TempDir(), "db"),
		Now: func() time.Time { return time.Now().Add(time.Duration(d.ahead.Load())) }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	if _, err := s.EnsureLocalUser(t.Context()); err != nil {
		t.Fatal(err)
	}
	hour := func() Limits { return Limits{SessionLifetime: time.Hour, SessionIdle: time.Hour} }
	d.Service = &Service{Store: s, Limits: hour, derive: d.note}
	if _, err := d.Create(t.Context(), "anna", models.AccountAdmin, right); err != nil {
		t.Fatal(err)
	}
	return d
}

// note stands for argon2.IDKey: a key that only the same password and salt have.
func (d *desk) note(password, salt []byte, passes, memory uint32, threads uint8, length uint32) []byte {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.work = append(d.work, fmt.Sprintf("%d passes of %d KiB, %d threads, %d bytes", passes, memory, threads, length))
	key := sha256.Sum256(slices.Concat(salt, password))
	return key[:length]
}

func (d *desk) worked() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	done := d.work
	d.work = nil
	return done
}

func (d *desk) try(ctx context.Context, name, password, address string) string {
	_, _, err := d.SignIn(ctx, name, password, Client{Address: address})
	var refused *Error
	switch {
	case err == nil:
		return "signed in"
	case errors.As(err, &refused):
		return refused.Code
	}
	return err.Error()
}

// US1: timing of unknown users. Whatever is the matter with a name, the same work is done for
// a password, and the answer is the same.
func TestAnUnknownUserCostsTheSameWork(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ctx := t.Context()
	disabled, yes := &models.User{Name: "disabled", Role: models.AccountUser}, true
	hash, err := d.derive.hash(ctx, right)
	if err != nil {
		t.Fatal(err)
	}
	disabled.PasswordHash = hash
	for _, user := range []*models.User{disabled, {Name: "invited", Role: models.AccountUser},
		{Name: "company", Role: models.AccountUser, Issuer: "https://login.example", Subject: "1"}} {
		if err := d.Store.CreateUser(ctx, user); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := d.Update(ctx, disabled.ID, Change{Disabled: &yes}); err != nil {
		t.Fatal(err)
	}
	d.worked()
	want := fmt.Sprintf("%d passes of %d KiB, %d threads, %d bytes", argonPasses, argonMemory, argonThreads, keyLength)
	for i, name := range []string{"anna", "nobody", "disabled", "invited", "company", "", "bad name \a", "Änna"} {
		password := right
		if name == "anna" {
			password = "wrong"
		}
		got := d.try(ctx, name, password, fmt.Sprintf("203.0.113.%d", i))
		if work := d.worked(); got != CodeWrongCredentials || len(work) != 1 || work[0] != want {
			t.Errorf("%q: %s, with the work %q, want once %q", name, got, work, want)
		}
	}
	if got := d.try(ctx, "anna", right, "203.0.113.1"); got != "signed in" || len(d.worked()) != 1 {
		t.Errorf("the right password: %s", got)
	}
}

// US1: tries at the same moment get no further than tries one after the other.
func TestParallelGuessesGetNoFurther(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.worked()
	var tries sync.WaitGroup
	codes := make([]string, 40)
	for i := range codes {
		tries.Go(func() { codes[i] = d.try(t.Context(), "anna", "a guess", "203.0.113.1") })
	}
	tries.Wait()
	count := map[string]int{}
	for _, code := range codes {
		count[code]++
	}
	if len(d.worked()) != freePairAttempts || count[CodeWrongCredentials] != freePairAttempts ||
		count[CodeTooManyAttempts] != len(codes)-freePairAttempts {
		t.Errorf("the answers are %v, want %d guesses", count, freePairAttempts)
	}
}

// US1: who is locked out is who guesses, and nobody else; the wait ends, and the right
// password begins anew.
func TestALockOutLocksNobodyElseOut(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ctx := t.Context()
	if _, err := d.Create(ctx, "ben", models.AccountUser, right); err != nil {
		t.Fatal(err)
	}
	const guesser = "203.0.113.1"
	for range freePairAttempts {
		d.try(ctx, "anna", "a guess", guesser)
	}
	for _, step := range []struct{ name, password, address, want string }{
		{"anna", right, guesser, CodeTooManyAttempts},
		{"ANNA", right, guesser, CodeTooManyAttempts},
		{"ben", right, guesser, "signed in"},
		{"anna", right, "203.0.113.2", "signed in"},
		{"anna", right, "2001:db8::1", "signed in"},
	} {
		if got := d.try(ctx, step.name, step.password, step.address); got != step.want {
			t.Errorf("%s from %s: %s, want %s", step.name, step.address, got, step.want)
		}
	}
	d.ahead.Add(int64(firstWait))
	if got := d.try(ctx, "anna", "a guess", guesser); got != CodeWrongCredentials {
		t.Errorf("behind the wait: %s", got)
	}
	d.ahead.Add(int64(firstWait))
	if got := d.try(ctx, "anna", right, guesser); got != CodeTooManyAttempts {
		t.Errorf("the wait is not doubled: %s", got)
	}
	d.ahead.Add(int64(firstWait))
	for i := range 3 {
		if got := d.try(ctx, "anna", right, guesser); got != "signed in" {
			t.Errorf("the right password, %d times: %s", i, got)
		}
	}
}

// US1: whoever has a whole IPv6 network has no more tries with it, and takes none from others.
func TestANetworkOfAddressesIsOneGuesser(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for i := range freePairAttempts {
		d.try(t.Context(), "anna", "a guess", fmt.Sprintf("2001:db8:0:1::%x", i))
	}
	for address, want := range map[string]string{
		"2001:db8:0:1:ffff::1": CodeTooManyAttempts,
		"2001:db8:0:2::1":      "signed in",
		"203.0.113.1":          "signed in",
		"no address":           "signed in",
	} {
		if got := d.try(t.Context(), "anna", right, address); got != want {
			t.Errorf("from %s: %s, want %s", address, got, want)
		}
	}
	if networkOf("::ffff:203.0.113.1") != networkOf("203.0.113.1") || networkOf("fe80::1%eth0") != "fe80::/64" {
		t.Error("an address in another form counts as another one")
	}
}

// US1: many names from one address wait as one does, and a person who signs in there takes
// nothing off it.
func TestManyNamesFromOneAddressWait(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ctx := t.Context()
	for i := range freeAddressAttempts {
		if got := d.try(ctx, fmt.Sprintf("name-%d", i), "a guess", "203.0.113.1"); got != CodeWrongCredentials {
			t.Fatalf("guess %d: %s", i, got)
		}
		if i == freeAddressAttempts/2 && d.try(ctx, "anna", right, "203.0.113.1") != "signed in" {
			t.Fatal("anna cannot sign in beside somebody who guesses a little")
		}
	}
	if got := d.try(ctx, "one-more", "a guess", "203.0.113.1"); got != CodeTooManyAttempts {
		t.Errorf("the guesses go on: %s", got)
	}
	if got := d.try(ctx, "anna", right, "203.0.113.2"); got != "signed in" {
		t.Errorf("from elsewhere: %s", got)
	}
}
