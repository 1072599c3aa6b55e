package doctor

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"time"

	_ "modernc.org/sqlite" // the driver of the store
)

// database asks SQLite for a quick check of the file.
func (v *visit) database(ctx context.Context) []Check {
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
		return warn("database", fmt.Sprintf("%s: the check did not end within %s", size, checkTime), "it is large; PRAGMA quick_check of the sqlite3 program checks it as a whole")
	case err != nil:
		return fail("database", fmt.Sprintf("%s cannot be read: %v", size, err), "restore a backup: nanoclaw restore")
	case answer != "ok":
		return fail("database", fmt.Sprintf("%s is damaged: %s", size, answer), "restore a backup: nanoclaw restore")
	}
	return ok("database", fmt.Sprintf("%s, is whole (checked in %d ms)", size, time.Since(began).Milliseconds()))
}

// quickCheck reads a database without making a file beside it: where no log is
// left behind, nobody writes, and the file alone is the database.
func quickCheck(ctx context.Context, file string) (answer string, err error) {
	query := url.Values{"mode": {"ro"}, "_pragma": {"busy_timeout(1000)"}}
	if info, err := os.Stat(file + "-wal"); err != nil || info.Size() == 0 {
		query.Set("immutable", "1")
	}
	address := url.URL{Scheme: "file", Path: filepath.ToSlash(absolute(file)), RawQuery: query.Encode()}
	db, err := sql.Open("sqlite", address.String())
	if err != nil {
		return "", err
	}
	err = db.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&answer)
	return answer, errors.Join(err, db.Close())
}
