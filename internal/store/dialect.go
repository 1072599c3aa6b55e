package store

import (
	"context"
	"database/sql"

	"gorm.io/gorm"
)

// dialect is what two databases do differently. Everything else in this package
// is SQL that both understand.
type dialect interface {
	// open returns the writer and the readers.
	open(ctx context.Context, log gormLog) (writer, readers *gorm.DB, err error)
	// openReadOnly returns readers of a database that is there, and changes nothing.
	openReadOnly(ctx context.Context, log gormLog) (readers *gorm.DB, err error)
	// shared says whether other processes may work on the database at the same time.
	shared() bool

	// transaction runs fn all or not at all. Where it is repeated, fn runs again. What fn
	// decides on and locks (clause.Locking) stays as it is until the end.
	transaction(ctx context.Context, fn func(tx *gorm.DB) error) error
	// serialize waits until no other transaction of that name is under way, and keeps others
	// waiting until the end of tx.
	serialize(tx *gorm.DB, name string) error
	// close ends what open started, before the connections are closed.
	close()
	// probe writes something that nobody reads.
	probe(tx *gorm.DB) error
	snapshotIsolation() sql.IsolationLevel

	// schema spells the types of a migration's statement: $AUTO_ID is a primary key that
	// counts up and never repeats a number, $BLOB is bytes.
	schema(statement string) string
	// migrate runs fn while no other process changes the tables.
	migrate(db *gorm.DB, fn func(db *gorm.DB, inTransaction bool) error) error
	// foreign says what to do about a database with the tables of another program.
	foreign(tables string) string

	// searchSchema makes the table that indexDocument fills.
	searchSchema() []string
	// indexDocument stores a new document's terms, in the order of the text.
	indexDocument(tx *gorm.DB, id int64, userID string, terms []string) error
	removeDocuments(tx *gorm.DB, ids []int64) error
	// matching selects, for use as a subquery, the column id of up to limit
	// documents that match: those with the greatest ids below before.
	matching(tx *gorm.DB, q searchTerms, before int64, limit int) *gorm.DB

	// backup writes a copy of one moment into an empty file.
	backup(ctx context.Context, path string) error
}
