package store

import (
	"database/sql"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/go-gormigrate/gormigrate/v2"
	"gorm.io/gorm"
	"gorm.io/gorm/schema"

	"nanoclaw/internal/models"
)

func TestTheTablesHaveWhatTheModelsDeclare(t *testing.T) {
	onEachEngine(t, func(t *testing.T, open openFunc) {
		s := open(t, newClock())
		for _, model := range []any{&models.User{}, &models.Project{}, &models.Conversation{}, &models.Message{},
			&models.Upload{}, &models.UploadPart{}, &models.Run{}, &models.Step{}, &models.ToolCall{},
			&models.Approval{},
			&models.TokenUsage{}, &models.Outbox{}, &models.EventBody{}, &models.IdempotencyKey{}, &models.Audit{},
			&searchDocument{}} {
			declared, err := schema.Parse(model, &sync.Map{}, s.db.NamingStrategy)
			must(t, err)
			columns, err := s.db.Migrator().ColumnTypes(model)
			must(t, err)
			var have []string
			for _, column := range columns {
				have = append(have, column.Name())
			}
			want := slices.Clone(declared.DBNames)
			slices.Sort(have)
			slices.Sort(want)
			if !slices.Equal(have, want) {
				t.Errorf("table %s has the columns %v, the model %v: write a migration", declared.Table, have, want)
			}
			for _, index := range declared.ParseIndexes() {
				if !s.db.Migrator().HasIndex(model, index.Name) {
					t.Errorf("table %s has no index %s: write a migration", declared.Table, index.Name)
				}
			}
		}
	})
}

// CH14
func TestADatabaseOfANewerProgramIsRefused(t *testing.T) {
	onEachEngine(t, func(t *testing.T, open openFunc) {
		s := open(t, newClock())
		must(t, s.db.Exec("INSERT INTO migrations (id) VALUES ('9999_from_the_future')").Error)
		err := s.migrate(t.Context(), migrations(s.dialect))
		wantCode(t, err, CodeDatabaseTooNew)
		if err != nil && !strings.Contains(err.Error(), "9999_from_the_future") {
			t.Errorf("the error does not name the migration: %v", err)
		}
	})
}

func TestOnlyPendingMigrationsRun(t *testing.T) {
	onEachEngine(t, func(t *testing.T, open openFunc) {
		s := open(t, newClock())
		must(t, s.CreateUser(t.Context(), &models.User{ID: "a", Name: "a"}))
		ran := 0
		next := &gormigrate.Migration{ID: "9000_test", Migrate: func(tx *gorm.DB) error {
			ran++
			return tx.Exec("ALTER TABLE users ADD COLUMN test_column TEXT").Error
		}}
		for range 2 {
			must(t, s.migrate(t.Context(), append(migrations(s.dialect), next)))
		}
		if ran != 1 {
			t.Errorf("the new migration ran %d times", ran)
		}
		_, err := s.GetUser(t.Context(), "a")
		must(t, err)
	})
}

// Issue 10: the database of the original nanoClaw is recognised, answered with what to
// do, and left as it is.
func TestADatabaseOfAnotherProgramIsRefusedAndLeftAlone(t *testing.T) {
	file := filepath.Join(t.TempDir(), "chat.db")
	db, err := sql.Open("sqlite", file)
	must(t, err)
	for _, statement := range []string{
		"CREATE TABLE conversations (id INTEGER PRIMARY KEY, title VARCHAR(255))",
		"CREATE TABLE messages (id INTEGER PRIMARY KEY, content TEXT)",
		"INSERT INTO conversations VALUES (1, 'mine')",
	} {
		_, err = db.Exec(statement)
		must(t, err)
	}
	must(t, db.Close())
	_, err = Open(t.Context(), Options{SQLiteFile: file})
	wantCode(t, err, CodeForeignDatabase)
	for _, part := range []string{"original nanoClaw", "conversations, messages", "database.sqlite_file"} {
		if err != nil && !strings.Contains(err.Error(), part) {
			t.Errorf("the error lacks %q: %v", part, err)
		}
	}
	db, err = sql.Open("sqlite", file)
	must(t, err)
	defer db.Close()
	var tables, rows int
	must(t, db.QueryRow("SELECT count(*) FROM sqlite_master WHERE type = 'table'").Scan(&tables))
	must(t, db.QueryRow("SELECT count(*) FROM conversations WHERE title = 'mine'").Scan(&rows))
	if tables != 2 || rows != 1 {
		t.Errorf("it has %d tables and %d rows now", tables, rows)
	}
}
