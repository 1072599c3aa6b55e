package store

import (
	"context"
	"embed"
	"fmt"
	"slices"
	"strings"

	"github.com/go-gormigrate/gormigrate/v2"
	"gorm.io/gorm"
)

// migrations is the history of the tables, oldest first. One that was released
// is never changed: each holds its own SQL, not the models of today.
func migrations(d dialect) []*gormigrate.Migration {
	return []*gormigrate.Migration{
		script("0001_tables", d, d.searchSchema()...),
		script("0002_approvals", d),
		script("0003_audit_chain", d),
		script("0003_run_changes", d),
		script("0004_thinking_time", d),
		script("0005_upload_parts", d),
		script("0005_event_bodies", d),
		script("0006_call_images", d),
		script("0007_approval_coverage", d),
		script("0008_fewer_indexes", d),
		script("0010_leases", d),
		script("0013_skills_and_memory", d),
		script("0016_client_calls", d),
		script("0017_triggers", d),
		script("0021_accounts", d),
		script("0023_key_claims", d),
		script("0024_sharing", d),
		script("0025_quotas", d),
		script("0026_oidc", d),
		script("0027_background_tasks", d),
		script("0028_sent_files", d),
		script("0030_conversation_marks", d),
		script("0031_deletions", d),
		script("0032_steering", d),
		script("0033_prompts", d),
		script("0038_audit_pending", d),
		script("0039_tags", d),
	}
}

// migrate runs what is pending. An up-to-date database costs one query.
func (s *Store) migrate(ctx context.Context, known []*gormigrate.Migration) error {
	db := s.db.WithContext(ctx)
	// a reader changes nothing in another program's file
	pending, err := s.pendingMigrations(s.readers.WithContext(ctx), known)
	if err != nil || !pending {
		return err
	}
	err = s.dialect.migrate(db, func(db *gorm.DB, inTransaction bool) error {
		options := &gormigrate.Options{TableName: "migrations", IDColumnName: "id", IDColumnSize: 255,
			UseTransaction: !inTransaction}
		return gormigrate.New(db, options, known).Migrate()
	})
	if err != nil {
		return fmt.Errorf("bring the database's tables up to date: %w", err)
	}
	return nil
}

func (s *Store) pendingMigrations(db *gorm.DB, known []*gormigrate.Migration) (bool, error) {
	var done []string
	if err := db.Table("migrations").Order("id").Pluck("id", &done).Error; err != nil {
		if !db.Migrator().HasTable("migrations") {
			return true, s.checkEmpty(db)
		}
		return false, fmt.Errorf("read which migrations the database has: %w", err)
	}
	for _, id := range done {
		if !slices.ContainsFunc(known, func(m *gormigrate.Migration) bool { return m.ID == id }) {
			return false, &Error{Code: CodeDatabaseTooNew, Message: fmt.Sprintf(
				"a newer version of nanoclaw has written this database (migration %s is unknown here): install that "+
					"version, or restore a backup made before the update", id)}
		}
	}
	return len(done) < len(known), nil
}

// checkEmpty refuses a database that another program has tables in, such as one of the
// original nanoClaw: nothing in it is touched.
func (s *Store) checkEmpty(db *gorm.DB) error {
	tables, err := db.Migrator().GetTables()
	if err != nil {
		return fmt.Errorf("read which tables the database has: %w", err)
	}
	if len(tables) == 0 || slices.Contains(tables, "migrations") { // another process has just made them
		return nil
	}
	slices.Sort(tables)
	return &Error{Code: CodeForeignDatabase,
		Message: s.dialect.foreign(strings.Join(tables[:min(len(tables), 10)], ", "))}
}

//go:embed migrations/*.sql
var scripts embed.FS

// script is the migration of that file, and the dialect's own statements after it.
func script(id string, d dialect, more ...string) *gormigrate.Migration {
	return &gormigrate.Migration{ID: id, Migrate: func(tx *gorm.DB) error {
		text, err := scripts.ReadFile("migrations/" + id + ".sql")
		if err != nil {
			return fmt.Errorf("read migration %s: %w", id, err)
		}
		for _, statement := range append(strings.SplitAfter(d.schema(string(text)), ";\n"), more...) {
			if strings.TrimSpace(statement) == "" {
				continue
			}
			if err := tx.Exec(statement).Error; err != nil {
				return fmt.Errorf("migration %s: %q: %w", id, statement, err)
			}
		}
		return nil
	}}
}
