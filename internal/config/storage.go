package config

// Database is where the truth is kept.
type Database struct {
	URL Secret `yaml:"url" doc:"postgres://user:password@host:5432/database, of PostgreSQL 14 or newer: several servers can share it. Empty: SQLite, in sqlite_file. nanoclaw migrate copies what SQLite holds."`
	// MaxConnections is of one process.
	MaxConnections int    `yaml:"max_connections" check:"min=2,max=1000" doc:"Connections of one server to PostgreSQL at most."`
	SQLiteFile     string `yaml:"sqlite_file" doc:"Database file. Empty: one in data_dir. A relative path starts at the working directory."`
	// Synchronous is the pragma of SQLite that decides when a commit is flushed.
	Synchronous string `yaml:"synchronous" check:"oneof=normal|full" doc:"When SQLite flushes its log to the disk. normal: a power cut may lose the last transactions, so that a run goes on from an earlier checkpoint and may repeat a tool call; a crash of the process loses nothing. full: at every commit, which loses nothing and is slower."`
}

// NamedDB is a database for db_query. Its role should be one that can only read:
// the server opens a read-only transaction, but which functions a role may call
// and what it may see is the database's business.
type NamedDB struct {
	URL Secret `yaml:"url" check:"required" doc:"postgres://…, or sqlite:// and the path of a file. A model writes the statements: use a role that can only read, and only what every user of db_query may see."`
}

// Retention says how long things are kept; 0 is for ever.
type Retention struct {
	Events  Duration `yaml:"events" check:"zero,min=1m" doc:"Events that a client can replay."`
	Steps   Duration `yaml:"steps" check:"zero,min=1h" doc:"Single steps of finished runs, and the approvals that they asked for; messages and their tool calls stay."`
	Hidden  Duration `yaml:"hidden_conversations" check:"zero,min=1m" doc:"Conversations that an interface (such as /v1) made for single requests, since something last happened in them."`
	Firings Duration `yaml:"firings" check:"zero,min=1h" doc:"History of schedules and hooks. Before it ends, a hook does not start a second run for a request that is sent again."`
	Audit   Duration `yaml:"audit" check:"zero,min=1h" doc:"Audit rows."`
	// AuditText bounds each string in a row's arguments.
	AuditText Size `yaml:"audit_text" check:"min=64,max=1MiB" doc:"Bytes of one string among the arguments of an audit row; a longer one is cut, with its size and SHA-256."`
}
