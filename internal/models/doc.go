// Package models holds the tables as GORM structs, and nothing else: no queries,
// no rules. Ids are UUIDv7 texts, which sort by time of creation; times are
// microseconds since 1970 UTC. SQLite and PostgreSQL hold the same tables.
package models
