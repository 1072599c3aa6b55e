package main

import (
	"context"
	"database/sql"
	"net"
	"net/url"
	"strings"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver pgx
	natsserver "github.com/nats-io/nats-server/v2/server"

	"nanoclaw/internal/runs/eventlog/natstest"
	"nanoclaw/internal/store"
	"nanoclaw/internal/store/pgtest"
)

// startTimeout ends a start that hangs. What it waits for itself takes less than 10 s.
const startTimeout = time.Minute

// GR1, GR2: a database or NATS servers that cannot be used end the start with exit code 1 and one
// line that says what to do, without the password. All servers are real but for those that
// are silent or old.
func TestAStartOnServersThatCannotBeUsedSaysWhatToDo(t *testing.T) {
	t.Parallel()
	database := func(t *testing.T, change func(u *url.URL, query url.Values)) string {
		u, err := url.Parse(pgtest.URL(t))
		if err != nil {
			t.Fatal(err)
		}
		query := u.Query()
		change(u, query)
		u.RawQuery = query.Encode()
		return "database: { url: '" + u.String() + "' }\n"
	}
	nats := func(t *testing.T, change func(*natsserver.Options), more string) string {
		servers, err := natstest.Start(t.TempDir(), 1, change)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(servers.Stop)
		return "nats: { url: '" + servers.URLs()[0] + "'" + more + " }\n"
	}
	for name, test := range map[string]struct {
		config func(t *testing.T) string
		want   string
	}{
		"a malformed address of the database": {func(*testing.T) string {
			return "database: { url: 'postgres://u:s3cret@h:x/d' }\n"
		}, "percent-encode"},
		"no database server": {func(t *testing.T) string {
			return database(t, func(u *url.URL, _ url.Values) { u.Host = "127.0.0.1:1" })
		}, "does not answer"},
		"a silent database server": {func(t *testing.T) string {
			return database(t, func(u *url.URL, _ url.Values) { u.Host = silent(t) })
		}, "does not answer"},
		"a wrong password of the database": {func(t *testing.T) string {
			return database(t, func(u *url.URL, _ url.Values) { u.User = url.UserPassword("nanoclaw", "s3cret") })
		}, "password of the user"},
		"a database without TLS": {func(t *testing.T) string {
			return database(t, func(_ *url.URL, q url.Values) { q.Set("sslmode", "require") })
		}, "sslmode=disable"},
		"an old database server": {func(t *testing.T) string {
			return "database: { url: '" + pgtest.Older(t, pgtest.URL(t)) + "' }\n"
		}, "update the server"},
		"tables of a newer version": {newerTables, "9999_from_the_future"},
		"no NATS server": {func(*testing.T) string {
			return "nats: { url: 'nats://127.0.0.1:1' }\n"
		}, "check nats.url"},
		"a silent NATS server": {func(t *testing.T) string {
			return "nats: { url: 'nats://" + silent(t) + "' }\n"
		}, "check nats.url"},
		"a wrong password of NATS": {func(t *testing.T) string {
			return nats(t, func(o *natsserver.Options) { o.Username, o.Password = "u", "right" }, ", user: u, password: s3cret")
		}, "check nats.user"},
		"NATS without TLS": {func(t *testing.T) string {
			return strings.Replace(nats(t, nil, ""), "nats://", "tls://", 1)
		}, "TLS"},
		"NATS without JetStream": {func(t *testing.T) string {
			return nats(t, func(o *natsserver.Options) { o.JetStream = false }, "")
		}, "start its servers with -js"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			i := newInvocation(t)
			i.configure(quiet + test.config(t))
			ctx, cancel := context.WithTimeout(t.Context(), startTimeout)
			defer cancel()
			code := i.runContext(ctx, "serve", "--listen", "127.0.0.1:0")
			if code != exitFailed || ctx.Err() != nil {
				t.Errorf("exit code %d, want %d; the deadline: %v", code, exitFailed, ctx.Err())
			}
			said := i.errors.String()
			told := 0
			for line := range strings.Lines(said) {
				if !strings.Contains(line, "slow database statement") { // a busy machine
					told++
				}
			}
			if told != 1 || !strings.Contains(said, test.want) || strings.Contains(said, "s3cret") {
				t.Errorf("it says %q: want one line with %q, without the password", said, test.want)
			}
		})
	}
}

// US1, GR1: an account that is made on the command line is one of the configured database.
func TestAccountsAreMadeInTheConfiguredDatabase(t *testing.T) {
	t.Parallel()
	address := pgtest.URL(t)
	i := newInvocation(t)
	i.configure(quiet + "database: { url: '" + address + "' }\n")
	i.want(exitOK, "", "", "user", "add", "anna")
	s, err := store.Open(t.Context(), store.Options{URL: address})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.UserByName(t.Context(), "anna"); err != nil {
		t.Errorf("the account: %v", err)
	}
}

// newerTables is a database with a migration that this program does not know.
func newerTables(t *testing.T) string {
	address := pgtest.URL(t)
	made, err := store.Open(t.Context(), store.Options{URL: address})
	if err != nil {
		t.Fatal(err)
	}
	if err := made.Close(); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("pgx", address)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), "INSERT INTO migrations (id) VALUES ('9999_from_the_future')"); err != nil {
		t.Fatal(err)
	}
	return "database: { url: '" + address + "' }\n"
}

// silent is a server that takes connections and says nothing.
func silent(t *testing.T) string {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			t.Cleanup(func() { _ = conn.Close() })
		}
	}()
	return listener.Addr().String()
}
