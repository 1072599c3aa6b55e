// Package store holds the queries and migrations over the tables of package
// models: SQLite in the data directory, and behind the same methods PostgreSQL.
//
// What it promises: a method either does all that it says or nothing; what
// belongs to another user is not_found; errors that a caller decides on are
// *Error with a code. Readers never wait for the writer. It knows nothing of
// HTTP, NATS, tools or models that think: rows go in and rows come out.
//
// SQL that only SQLite knows stands in sqlite.go alone.
package store
