package doctor

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"time"

	_ "modernc.org/sqlite" // the driver of the store

	"nanoclaw/internal/store"
)

// database asks SQLite for a quick check of the file, or PostgreSQL for its tables.
func (v *visit) database(ctx context.Context) []Check {
	if v.config.Database.URL != "" {
		return v.postgres(ctx)
	}
	file := v.config.Database.SQLiteFile
	if file == "" {
		file = filepath.Join(v.config.DataDir, "nanoclaw.db")
	}
	info, err := os.Stat(file)
	if errors.Is(err, fs.ErrNotExist) {
		return ok("database", "will be made at the first start")
	}
	if err != nil {
		return fail("database", err.Error(), "nanoclaw has to be able to read its database")
	}
	began := time.Now()
	answer, err := quickCheck(ctx, file)
	size := fmt.Sprintf("%s, %.1f MiB", absolute(file), float64(info.Size())/(1<<20))
	switch {
	case ctx.Err() != nil:
		return warn("database", fmt.Sprintf("%s: the check did not end within %s", size, checkTime),
			"it is large; PRAGMA quick_check of the sqlite3 program checks it as a whole")
	case err != nil:
		return fail("database", fmt.Sprintf("%s cannot be read: %v", size, err), "restore a backup: nanoclaw restore")
	case answer != "ok":
		return fail("database", fmt.Sprintf("%s is damaged: %s", size, answer), "restore a backup: nanoclaw restore")
	}
	return ok("database", fmt.Sprintf("%s, is whole (checked in %d ms)", size, time.Since(began).Milliseconds()))
}

// quickCheck asks SQLite whether a file is whole.
func quickCheck(ctx context.Context, file string) (answer string, err error) {
	db, err := openReadOnly(file)
	if err != nil {
		return "", err
	}
	err = db.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&answer)
	return answer, errors.Join(err, db.Close())
}

// postgres opens the database as the server does, but changes nothing.
func (v *visit) postgres(ctx context.Context) []Check {
	began := time.Now()
	s, err := store.OpenReadOnly(ctx, store.Options{URL: v.config.Database.URL.Reveal(), MaxConnections: 2,
		Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return fail("database", err.Error(), "database.url in config.yml says where it is; after a restore with "+
			"pg_restore a server of the same version or newer has to be started once")
	}
	err = errors.Join(s.TransferUnfinished(ctx), s.Close())
	if err != nil {
		return fail("database", err.Error(), "nothing is served from it before that")
	}
	return ok("database", fmt.Sprintf("PostgreSQL has all tables (checked in %d ms)", time.Since(began).Milliseconds()))
}

// outbox looks for events that a working server would have sent long ago.
func (v *visit) outbox(ctx context.Context) []Check {
	if v.config.Database.URL != "" {
		return nil // a server says it in its readiness
	}
	file := v.config.Database.SQLiteFile
	if file == "" {
		file = filepath.Join(v.config.DataDir, "nanoclaw.db")
	}
	if _, err := os.Stat(file); err != nil {
		return ok("outbox", "nothing waits to be sent")
	}
	db, err := openReadOnly(file)
	if err != nil {
		return warn("outbox", err.Error(), "see the check of the database")
	}
	defer db.Close()
	var count int
	if err := db.QueryRowContext(ctx, "SELECT count(*) FROM outbox WHERE created_at < ?",
		time.Now().Add(-outboxTime).UnixMicro()).Scan(&count); err != nil {
		return warn("outbox", "it cannot be read: "+err.Error(), "see the check of the database")
	}
	switch {
	case count == 0:
		return ok("outbox", "nothing waits to be sent")
	case v.owner != nil && v.owner.URL != "":
		return fail("outbox", fmt.Sprintf("%d events wait to be sent for more than %s", count, outboxTime),
			"clients do not see what happens: the checks of the server, event_log and disk_space say why; they are "+
				"sent once the cause is gone")
	}
	return ok("outbox", fmt.Sprintf("%d events will be sent at the next start", count))
}

// outboxTime is after how long an unsent event shows that something is wrong.
const outboxTime = 30 * time.Second

// openReadOnly opens a database without making a file beside it: where no log is
// left behind, nobody writes, and the file alone is the database.
func openReadOnly(file string) (*sql.DB, error) {
	query := url.Values{"mode": {"ro"}, "_pragma": {"busy_timeout(1000)"}}
	if info, err := os.Stat(file + "-wal"); err != nil || info.Size() == 0 {
		query.Set("immutable", "1")
	}
	address := url.URL{Scheme: "file", Path: filepath.ToSlash(absolute(file)), RawQuery: query.Encode()}
	return sql.Open("sqlite", address.String())
}
