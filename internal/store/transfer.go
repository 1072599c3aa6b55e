package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"gorm.io/gorm"

	"nanoclaw/internal/models"
)

const (
	transferLease = "transfer"
	transferTTL   = time.Minute
	transferRows  = 500
	transferBytes = 4 << 20
)

// transferState is noted in the target with each batch, so that a transfer that was
// interrupted goes on behind it.
type transferState struct {
	Source string           `json:"source"` // id of the database that is copied
	Done   bool             `json:"done"`
	Rows   map[string]int64 `json:"rows"` // by table: the last row of the source that is there
}

// Transferred is a table that was copied and compared.
type Transferred struct {
	Table string
	Rows  int64
}

// Transfer copies everything from a SQLite database that nobody else has open into an empty
// one of PostgreSQL, compares both, and returns the tables. One that was interrupted goes
// on. Errors: conflict where the target holds anything else. note is called for each table
// that is there.
func Transfer(ctx context.Context, from, to *Store, note func(Transferred)) (err error) {
	if from.Shared() || !to.Shared() {
		return invalid("only a SQLite database can be copied, and only to PostgreSQL")
	}
	t := &transfer{from: from, to: to, owner: NewID()}
	defer func() { err = errors.Join(err, to.DropLease(context.WithoutCancel(ctx), transferLease, t.owner)) }()
	if err := t.begin(ctx); err != nil {
		return err
	}
	tables, err := t.tables(ctx)
	if err != nil {
		return err
	}
	for _, table := range tables {
		if err := t.copy(ctx, table); err != nil {
			return fmt.Errorf("copy the table %s: %w", table.name, err)
		}
	}
	for _, table := range tables {
		rows, err := t.compare(ctx, table)
		if err != nil {
			return fmt.Errorf("compare the table %s: %w", table.name, err)
		}
		note(Transferred{table.name, rows})
	}
	if err := t.numbers(ctx); err != nil {
		return err
	}
	if err := t.compareAudit(ctx); err != nil {
		return err
	}
	t.state.Done = true
	return to.tx(ctx, t.save)
}

// compareAudit checks the chain of the copy, whose hashes do not depend on the database.
func (t *transfer) compareAudit(ctx context.Context) error {
	original, err := t.from.VerifyAudit(ctx, nil)
	if err != nil {
		return err
	}
	report, err := t.to.VerifyAudit(ctx, nil)
	if err != nil {
		return err
	}
	if original.LastHash != report.LastHash || (original.Break == nil) != (report.Break == nil) {
		return errors.New("the audit's chain of the copy is not that of the original: empty the target and begin again")
	}
	return nil
}

// TransferUnfinished is an error where the database is the target of a transfer that has
// not ended: part of the data is missing.
func (s *Store) TransferUnfinished(ctx context.Context) error {
	note, err := s.LeaseNote(ctx, transferLease)
	if err != nil || note == "" {
		return err
	}
	var state transferState
	if err := json.Unmarshal([]byte(note), &state); err != nil {
		return fmt.Errorf("read how far the database was copied: %w", err)
	}
	if s.Shared() && !state.Done {
		return invalid("the database is half copied: run nanoclaw migrate again, with the same SQLite database")
	}
	return nil
}

type transfer struct {
	from, to *Store
	owner    string
	state    transferState
}

// begin takes the target, which is empty or was begun with the same source.
func (t *transfer) begin(ctx context.Context) error {
	source, err := t.sourceID(ctx)
	if err != nil {
		return err
	}
	taken, err := t.to.TakeLease(ctx, transferLease, t.owner, transferTTL)
	if err != nil {
		return err
	}
	if !taken {
		return conflict("another process copies into the database, or did so a minute ago: wait for it")
	}
	note, err := t.to.LeaseNote(ctx, transferLease)
	if err != nil {
		return err
	}
	if note != "" {
		if err := json.Unmarshal([]byte(note), &t.state); err != nil {
			return fmt.Errorf("read how far the database was copied: %w", err)
		}
		switch {
		case t.state.Source != source:
			return conflict("the target holds the copy of another database: name an empty one")
		case t.state.Done:
			return conflict("the target holds the copy of this database already: set database.url to use it")
		}
		return nil
	}
	t.state = transferState{Source: source, Rows: map[string]int64{}}
	return t.to.tx(ctx, func(tx *gorm.DB) error {
		if err := mustBeEmpty(tx); err != nil {
			return err
		}
		if err := tx.Exec("DELETE FROM audit_chain").Error; err != nil { // that of the migrations
			return err
		}
		return t.save(tx)
	})
}

// sourceID names the source for ever.
func (t *transfer) sourceID(ctx context.Context) (string, error) {
	if _, err := t.from.TakeLease(ctx, transferLease, t.owner, 0); err != nil {
		return "", err
	}
	id, err := t.from.LeaseNote(ctx, transferLease)
	if err != nil || id != "" {
		return id, err
	}
	id = NewID()
	return id, t.from.SetLeaseNote(ctx, transferLease, t.owner, id)
}

func mustBeEmpty(tx *gorm.DB) error {
	tables, err := tx.Migrator().GetTables()
	if err != nil {
		return fmt.Errorf("read which tables the target has: %w", err)
	}
	for _, table := range tables {
		if table == "migrations" || table == "audit_chain" || table == "leases" {
			continue
		}
		var found []int
		if err := tx.Table(table).Select("1").Limit(1).Scan(&found).Error; err != nil {
			return fmt.Errorf("look into the table %s: %w", table, err)
		}
		if len(found) > 0 {
			return conflict("the target is not empty: its table %s has rows; name an empty database", table)
		}
	}
	return nil
}

// save notes how far the transfer is, as a part of tx, and extends the lease.
func (t *transfer) save(tx *gorm.DB) error {
	text, err := json.Marshal(t.state)
	if err != nil {
		return err
	}
	done := tx.Exec("UPDATE leases SET note = ?, expires_at = ? WHERE name = ? AND owner = ?", string(text),
		models.TimeOf(t.to.now().Std().Add(transferTTL)), transferLease, t.owner)
	if done.Error == nil && done.RowsAffected == 0 {
		return conflict("another process copies into the database now")
	}
	return done.Error
}

// numbers lets tables that count rows go on behind the greatest number that SQLite gave.
func (t *transfer) numbers(ctx context.Context) error {
	var last []struct {
		Name string
		Seq  int64
	}
	if err := t.from.read(ctx).Raw("SELECT name, seq FROM sqlite_sequence WHERE seq > 0").Scan(&last).Error; err != nil {
		return fmt.Errorf("read the numbers of rows: %w", err)
	}
	return t.to.tx(ctx, func(tx *gorm.DB) error {
		for _, table := range last {
			err := tx.Exec("SELECT setval(pg_get_serial_sequence(?, 'id'), ?)", table.Name, table.Seq).Error
			if err != nil {
				return fmt.Errorf("set the next number of the table %s: %w", table.Name, err)
			}
		}
		return nil
	})
}

// index makes the documents of a batch searchable in the target.
func (t *transfer) index(ctx context.Context, tx *gorm.DB, ids []int64) error {
	var documents []struct {
		ID           int64
		UserID, Text string
	}
	err := t.from.read(ctx).Raw(`SELECT d.id, c.user_id, COALESCE(m.text, c.title) AS text FROM search_documents d
		JOIN conversations c ON c.id = d.conversation_id LEFT JOIN messages m ON m.id = d.message_id
		WHERE d.id IN ?`, ids).Scan(&documents).Error
	if err != nil {
		return fmt.Errorf("read what is searchable: %w", err)
	}
	for _, document := range documents {
		pieces := searchPieces(document.Text)
		if err := t.to.dialect.indexDocument(tx, document.ID, document.UserID, pieces); err != nil {
			return fmt.Errorf("index document %d: %w", document.ID, err)
		}
	}
	return nil
}

func quoted(names []string) string { return `"` + strings.Join(names, `", "`) + `"` }
