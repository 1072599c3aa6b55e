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
	open(log gormLog) (writer, readers *gorm.DB, err error)

	// transaction runs fn serializably.
	transaction(ctx context.Context, fn func(tx *gorm.DB) error) error
	// close ends what open started, before the connections are closed.
	close()
	// probe writes something that nobody reads.
	probe(tx *gorm.DB) error
	snapshotIsolation() sql.IsolationLevel

	// columnType spells a type of the schema: autoID is a primary key that counts
	// up and never repeats a number, blob is bytes.
	columnType(t columnType) string

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

type columnType int

const (
	autoID columnType = iota
	blob
)
