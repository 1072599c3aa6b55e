package doctor

import (
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"nanoclaw/internal/models"
	"nanoclaw/internal/store"
)

// CF5: a server that is not ready, events that are stuck and a damaged event log
// are found.
func TestTheDoctorFindsOutages(t *testing.T) {
	t.Parallel()
	p := newPatient(t, quiet)
	data := filepath.Join(p.dir, "data")
	database, err := store.Open(t.Context(), store.Options{SQLiteFile: filepath.Join(data, "nanoclaw.db")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = database.Close() })
	p.want("outbox", OK, "nothing waits", "")
	p.want("server", OK, "does not run", "")

	url := "http://127.0.0.1:1"
	p.options.Owner = func(string) (*Owner, error) { return &Owner{PID: 1, URL: url}, nil }
	p.want("server", Fail, "is not ready", "free the disk")
	p.pages[url+"/readyz"] = `{"status":"ready"}`
	p.want("server", OK, "is ready", "")

	old := []*models.Outbox{{Subject: "events.u.c.r", MessageID: "m", Payload: []byte("{}")}}
	if err := database.Publish(t.Context(), old); err != nil {
		t.Fatal(err)
	}
	p.want("outbox", OK, "nothing waits", "") // it was written just now
	age(t, filepath.Join(data, "nanoclaw.db"))
	p.want("outbox", Fail, "1 events wait", "once the cause is gone")

	stream := filepath.Join(data, "nats", "jetstream", "$G", "streams", "EVENTS")
	if err := os.MkdirAll(filepath.Join(stream, "msgs"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"meta.inf": `{"name":"EVENTS"}`, "meta.sum": "1234"} {
		if err := os.WriteFile(filepath.Join(stream, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p.want("event_log", OK, "can be written", "")
	if err := os.Truncate(filepath.Join(stream, "meta.inf"), 5); err != nil {
		t.Fatal(err)
	}
	p.want("event_log", Warn, "damaged", "repairs it")
}

// age makes everything in the outbox an hour older.
func age(t *testing.T, file string) {
	t.Helper()
	db, err := sql.Open("sqlite", file)
	if err == nil {
		_, err = db.ExecContext(t.Context(), "UPDATE outbox SET created_at = created_at - 3600000000")
	}
	if err = errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
}
