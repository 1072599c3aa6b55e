-- What starts runs without a person: times, and requests of other programs.
CREATE TABLE schedules (
	id TEXT PRIMARY KEY,
	user_id TEXT NOT NULL DEFAULT '',
	name TEXT NOT NULL DEFAULT '',
	cron TEXT NOT NULL DEFAULT '',
	timezone TEXT NOT NULL DEFAULT '',
	agent TEXT NOT NULL DEFAULT '',
	model TEXT NOT NULL DEFAULT '',
	project_id TEXT NOT NULL DEFAULT '',
	text TEXT NOT NULL DEFAULT '',
	missed TEXT NOT NULL DEFAULT '',
	overlap TEXT NOT NULL DEFAULT '',
	jitter_seconds BIGINT NOT NULL DEFAULT 0,
	enabled BOOLEAN NOT NULL DEFAULT FALSE,
	source TEXT NOT NULL DEFAULT '',
	next_at BIGINT NOT NULL DEFAULT 0,
	last_run_id TEXT NOT NULL DEFAULT '',
	created_at BIGINT NOT NULL DEFAULT 0,
	updated_at BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX idx_schedules_user ON schedules (user_id, id);
CREATE INDEX idx_schedules_due ON schedules (next_at) WHERE enabled;

CREATE TABLE hooks (
	id TEXT PRIMARY KEY,
	user_id TEXT NOT NULL DEFAULT '',
	name TEXT NOT NULL DEFAULT '',
	agent TEXT NOT NULL DEFAULT '',
	model TEXT NOT NULL DEFAULT '',
	project_id TEXT NOT NULL DEFAULT '',
	text TEXT NOT NULL DEFAULT '',
	auth TEXT NOT NULL DEFAULT '',
	secret TEXT NOT NULL DEFAULT '',
	enabled BOOLEAN NOT NULL DEFAULT FALSE,
	created_at BIGINT NOT NULL DEFAULT 0,
	updated_at BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX idx_hooks_user ON hooks (user_id, id);

CREATE TABLE firings (
	id TEXT PRIMARY KEY,
	trigger_id TEXT NOT NULL DEFAULT '',
	firing_key TEXT NOT NULL DEFAULT '',
	due_at BIGINT NOT NULL DEFAULT 0,
	outcome TEXT NOT NULL DEFAULT '',
	detail TEXT NOT NULL DEFAULT '',
	run_id TEXT NOT NULL DEFAULT '',
	conversation_id TEXT NOT NULL DEFAULT '',
	created_at BIGINT NOT NULL DEFAULT 0
);
CREATE UNIQUE INDEX idx_firings_key ON firings (trigger_id, firing_key);
CREATE INDEX idx_firings_created ON firings (created_at);
