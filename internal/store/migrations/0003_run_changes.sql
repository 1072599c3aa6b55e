-- What runs changed in files, by path: what was there before, and what the run left.
-- A path is bytes: a name need not be UTF-8. The row with an empty path holds a note.

CREATE TABLE run_changes (
	root_run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
	project_id TEXT NOT NULL,
	path $BLOB NOT NULL,
	run_id TEXT NOT NULL DEFAULT '',
	call_id TEXT NOT NULL DEFAULT '',
	before_kind TEXT NOT NULL DEFAULT '',
	before_size BIGINT NOT NULL DEFAULT 0,
	before_mode BIGINT NOT NULL DEFAULT 0,
	before_etag TEXT NOT NULL DEFAULT '',
	before_link TEXT NOT NULL DEFAULT '',
	kept BOOLEAN NOT NULL DEFAULT FALSE,
	reason TEXT NOT NULL DEFAULT '',
	after_known BOOLEAN NOT NULL DEFAULT FALSE,
	after_kind TEXT NOT NULL DEFAULT '',
	after_size BIGINT NOT NULL DEFAULT 0,
	after_etag TEXT NOT NULL DEFAULT '',
	after_link TEXT NOT NULL DEFAULT '',
	after_stamp TEXT NOT NULL DEFAULT '',
	moved_from $BLOB,
	mixed BOOLEAN NOT NULL DEFAULT FALSE,
	created_at BIGINT NOT NULL DEFAULT 0,
	updated_at BIGINT NOT NULL DEFAULT 0,
	PRIMARY KEY (root_run_id, project_id, path)
);
CREATE INDEX idx_run_changes_before_etag ON run_changes (before_etag);
