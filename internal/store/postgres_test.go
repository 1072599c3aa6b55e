package store

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"gorm.io/gorm"

	"nanoclaw/internal/models"
	"nanoclaw/internal/store/pgtest"
)

// GR1: an address that cannot work is one sentence about what to do.
func TestAnAddressThatCannotWorkSaysWhatToDo(t *testing.T) {
	t.Parallel()
	address, err := url.Parse(pgtest.URL(t))
	must(t, err)
	changed := func(change func(u *url.URL, query url.Values)) string {
		other := *address
		query := other.Query()
		change(&other, query)
		other.RawQuery = query.Encode()
		return other.String()
	}
	for name, test := range map[string]struct{ url, want string }{
		"malformed": {"postgres://u:s3cret@h:x/d", "percent-encode"},
		"wrong password": {changed(func(u *url.URL, _ url.Values) { u.User = url.UserPassword("nanoclaw", "s3cret") }),
			"password of the user"},
		"wrong user":   {changed(func(u *url.URL, _ url.Values) { u.User = url.UserPassword("other", "s3cret") }), "user"},
		"no database":  {changed(func(u *url.URL, _ url.Values) { u.Path = "/missing" }), "createdb missing"},
		"no TLS there": {changed(func(_ *url.URL, q url.Values) { q.Set("sslmode", "require") }), "sslmode=disable"},
		"nobody there": {changed(func(u *url.URL, _ url.Values) { u.Host = "127.0.0.1:1" }), "does not answer"},
		"old server":   {pgtest.Older(t, address.String()), "too old"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := Open(t.Context(), Options{URL: test.url})
			if err == nil {
				t.Fatal(errors.Join(errors.New("it was opened"), s.Close()))
			}
			if text := err.Error(); !strings.Contains(text, test.want) || strings.Contains(text, "s3cret") ||
				strings.Contains(text, "\n") {
				t.Errorf("the error is %q, want %q, without the password", text, test.want)
			}
		})
	}
}

// GR1: replicas that start at the same time find or make the same tables.
func TestManyReplicasMayOpenANewDatabaseAtOnce(t *testing.T) {
	t.Parallel()
	address := pgtest.URL(t)
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			s, err := Open(t.Context(), Options{URL: address})
			if err != nil {
				t.Errorf("open: %v", err)
				return
			}
			if _, err := s.EnsureLocalUser(t.Context()); err != nil {
				t.Errorf("use: %v", err)
			}
			must(t, s.Close())
		})
	}
	wg.Wait()
}

// GR1: PostgreSQL's texts hold no NUL and UTF-8 alone; what a model or a program writes
// does not fail for it.
func TestATextThatPostgresCannotHoldIsStoredWithoutIt(t *testing.T) {
	t.Parallel()
	s := openPostgres(t, newClock())
	conv := models.Conversation{UserID: "u", Title: "a\x00b\xff"}
	must(t, s.CreateConversation(t.Context(), &conv))
	got, err := s.GetConversation(t.Context(), "u", conv.ID)
	must(t, err)
	if got.Title != "a\uFFFDb\uFFFD" {
		t.Errorf("the title is %q", got.Title)
	}
}

// GR1: a message with more different words than one tsvector holds is found by each.
func TestALongMessageIsFoundByItsFirstAndLastWords(t *testing.T) {
	t.Parallel()
	s := openPostgres(t, newClock())
	conv := models.Conversation{UserID: "u"}
	must(t, s.CreateConversation(t.Context(), &conv))
	var text strings.Builder
	for i := range 120_000 {
		text.WriteString(" w" + strings.Repeat("x", i%5) + string(rune('a'+i%26)) + string(rune('a'+i/26%26)) +
			string(rune('a'+i/676%26)) + string(rune('a'+i/17576%26)))
	}
	message := addMessage(t, s, conv.ID, "", "first"+text.String()+" last")
	for _, query := range []string{"first", "last", "last first", "first waaaa"} {
		hits, err := s.Search(t.Context(), "u", SearchQuery{Text: query})
		must(t, err)
		if len(hits.Items) != 1 || hits.Items[0].MessageID != message.ID {
			t.Errorf("%q found %d", query, len(hits.Items))
		}
	}
}

// GR1: deadlocks are repeated in one place, and nobody sees them.
func TestADeadlockIsRepeated(t *testing.T) {
	t.Parallel()
	s := openPostgres(t, newClock())
	var convs [2]models.Conversation
	for i := range convs {
		convs[i].UserID = "u"
		must(t, s.CreateConversation(t.Context(), &convs[i]))
	}
	var first sync.WaitGroup // both have a lock before they want the other's
	first.Add(2)
	var wg sync.WaitGroup
	for i := range 2 {
		wg.Go(func() {
			tries := 0
			err := s.tx(t.Context(), func(tx *gorm.DB) error {
				tries++
				if _, err := lockConversation(tx, "u", convs[i].ID, 0); err != nil {
					return err
				}
				if tries == 1 {
					first.Done()
					first.Wait()
				}
				_, err := lockConversation(tx, "u", convs[1-i].ID, 0)
				return err
			})
			if err != nil {
				t.Errorf("the transaction failed: %v", err)
			}
		})
	}
	wg.Wait()
	if s.Stats().Repeats == 0 {
		t.Error("nothing was repeated: there was no deadlock")
	}
}

// GR9: an outage has a code, and everything goes on when it is over.
func TestAnOutageIsUnavailableAndPasses(t *testing.T) {
	t.Parallel()
	address, line := pgtest.Line(t, pgtest.URL(t))
	s := openWith(t, Options{URL: address})
	conv := models.Conversation{UserID: "u"}
	must(t, s.CreateConversation(t.Context(), &conv))
	line.Cut()
	_, err := s.GetConversation(t.Context(), "u", conv.ID)
	wantCode(t, err, CodeUnavailable)
	wantCode(t, s.CreateConversation(t.Context(), &models.Conversation{UserID: "u"}), CodeUnavailable)
	wantCode(t, s.Writable(t.Context()), CodeUnavailable)
	wantCode(t, s.Ping(t.Context()), CodeUnavailable)
	line.Restore()
	_, err = s.GetConversation(t.Context(), "u", conv.ID)
	must(t, err)
	must(t, s.Writable(t.Context()))
}

// CH3, GR1: a transaction that is cancelled is no outage, though its connection is closed in the
// middle; one whose time is over may be.
func TestACancelledTransactionIsNoOutage(t *testing.T) {
	t.Parallel()
	closed := fmt.Errorf("set the state: %w", unavailable(errors.New("conn closed")))
	ctx, cancel := context.WithCancel(t.Context())
	wantCode(t, stopped(ctx, closed), CodeUnavailable)
	cancel()
	if err := stopped(ctx, closed); !errors.Is(err, context.Canceled) || IsCode(err, CodeUnavailable) {
		t.Errorf("cancelled: %v", err)
	}
	late, cancel := context.WithTimeout(t.Context(), 0)
	defer cancel()
	err := stopped(late, closed)
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("late: %v", err)
	}
	wantCode(t, err, CodeUnavailable)
}

// GR4, GR9: a run's work waits for a database that is away: reads by gorm and by hand,
// transactions, and one on a single state of the database.
func TestThePatientWaitForTheDatabase(t *testing.T) {
	t.Parallel()
	address, line := pgtest.Line(t, pgtest.URL(t))
	s := openWith(t, Options{URL: address})
	conv := models.Conversation{UserID: "u"}
	must(t, s.CreateConversation(t.Context(), &conv))
	ctx := Patient(t.Context())
	work := []func() error{
		func() error { _, err := s.GetConversation(ctx, "u", conv.ID); return err },
		func() error { _, err := s.KeptBytes(ctx, "r"); return err },
		func() error { return s.CreateConversation(ctx, &models.Conversation{UserID: "u"}) },
		func() error { return s.snapshot(ctx, func(tx *gorm.DB) error { return tx.Exec("SELECT 1").Error }) },
		func() error {
			return s.InTx(ctx, func(tx *Tx) error {
				var one int
				return tx.db.Raw("SELECT 1").Row().Scan(&one)
			})
		},
	}
	for i, do := range work {
		line.Cut()
		_, err := s.KeptBytes(t.Context(), "r") // closes what the pool had
		wantCode(t, err, CodeUnavailable)
		<-line.Refused
		done := make(chan error, 1)
		go func() { done <- do() }()
		<-line.Refused
		line.Restore()
		if err := <-done; err != nil {
			t.Errorf("work %d: %v", i, err)
		}
	}

	line.Cut()
	for name, outlive := range map[string]func(context.Context) context.Context{
		"the work's own end":      func(ctx context.Context) context.Context { return ctx },
		"work that is not undone": context.WithoutCancel,
	} {
		ended, end := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- s.AppendAudit(outlive(Patient(ended)), someAudit(1)) }()
		<-line.Refused
		end()
		if err := <-done; !IsCode(err, CodeUnavailable) && !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
	}
	line.Restore()
}

// GR4: a process that stops in the middle of a transaction does not hold its locks for
// longer than a lease.
func TestATransactionThatIsLeftAloneLosesItsLocks(t *testing.T) {
	t.Parallel()
	s := openPostgres(t, newClock())
	var value string
	must(t, s.read(t.Context()).Raw("SHOW idle_in_transaction_session_timeout").Scan(&value).Error)
	if value != abandonedAfter {
		t.Errorf("the timeout is %s, want %s", value, abandonedAfter)
	}
	if err := (postgresDialector{}).Translate(&pgconn.PgError{Code: "25P03"}); !IsCode(err, CodeUnavailable) {
		t.Errorf("the session's end is %v", err)
	}
}

// CH3: the end of a context does not cost a connection.
func TestACancelledQueryKeepsItsConnection(t *testing.T) {
	t.Parallel()
	s := openWith(t, Options{URL: pgtest.URL(t), MaxConnections: 1})
	backend := func() (pid int) {
		must(t, s.read(t.Context()).Raw("SELECT pg_backend_pid()").Scan(&pid).Error)
		return pid
	}
	before := backend()
	ctx, cancel := context.WithCancel(t.Context())
	go cancel()
	err := s.read(ctx).Exec("SELECT pg_sleep(60)").Error
	if !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
	if after := backend(); after != before {
		t.Error("the connection is another one")
	}
}
