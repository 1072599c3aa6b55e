-- The first tables. Times are microseconds since 1970 UTC, 0 is never; flags are
-- BOOLEAN; JSON is text. $AUTO_ID and $BLOB are spelled by the dialect.

CREATE TABLE users (
	id TEXT PRIMARY KEY,
	name TEXT NOT NULL DEFAULT '',
	role TEXT NOT NULL DEFAULT '',
	timezone TEXT NOT NULL DEFAULT '',
	created_at BIGINT NOT NULL DEFAULT 0,
	updated_at BIGINT NOT NULL DEFAULT 0
);
CREATE UNIQUE INDEX idx_users_name ON users (name);

CREATE TABLE projects (
	id TEXT PRIMARY KEY,
	user_id TEXT NOT NULL DEFAULT '',
	name TEXT NOT NULL DEFAULT '',
	description TEXT NOT NULL DEFAULT '',
	instructions TEXT NOT NULL DEFAULT '',
	path TEXT NOT NULL DEFAULT '',
	version BIGINT NOT NULL DEFAULT 0,
	created_at BIGINT NOT NULL DEFAULT 0,
	updated_at BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX idx_projects_list ON projects (user_id, updated_at, id);

CREATE TABLE conversations (
	id TEXT PRIMARY KEY,
	user_id TEXT NOT NULL DEFAULT '',
	project_id TEXT NOT NULL DEFAULT '',
	title TEXT NOT NULL DEFAULT '',
	title_given BOOLEAN NOT NULL DEFAULT FALSE,
	agent TEXT NOT NULL DEFAULT '',
	model TEXT NOT NULL DEFAULT '',
	system_prompt TEXT NOT NULL DEFAULT '',
	temperature DOUBLE PRECISION,
	max_tokens BIGINT NOT NULL DEFAULT 0,
	thinking TEXT NOT NULL DEFAULT '',
	tools_enabled BOOLEAN NOT NULL DEFAULT FALSE,
	pinned BOOLEAN NOT NULL DEFAULT FALSE,
	active_leaf_id TEXT NOT NULL DEFAULT '',
	version BIGINT NOT NULL DEFAULT 0,
	created_at BIGINT NOT NULL DEFAULT 0,
	updated_at BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX idx_conversations_list ON conversations (user_id, updated_at, id);
CREATE INDEX idx_conversations_project ON conversations (project_id, updated_at, id);

CREATE TABLE messages (
	id TEXT PRIMARY KEY,
	conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
	parent_id TEXT NOT NULL DEFAULT '',
	run_id TEXT NOT NULL DEFAULT '',
	role TEXT NOT NULL DEFAULT '',
	text TEXT NOT NULL DEFAULT '',
	attachments TEXT,
	steps TEXT NOT NULL DEFAULT '',
	tool_calls TEXT NOT NULL DEFAULT '',
	usage TEXT NOT NULL DEFAULT '',
	model TEXT NOT NULL DEFAULT '',
	created_at BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX idx_messages_conversation ON messages (conversation_id, created_at);
CREATE INDEX idx_messages_parent_id ON messages (parent_id);
CREATE INDEX idx_messages_run_id ON messages (run_id);

CREATE TABLE uploads (
	id TEXT PRIMARY KEY,
	user_id TEXT NOT NULL DEFAULT '',
	name TEXT NOT NULL DEFAULT '',
	content_type TEXT NOT NULL DEFAULT '',
	size BIGINT NOT NULL DEFAULT 0,
	data $BLOB,
	created_at BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX idx_uploads_created_at ON uploads (created_at);
CREATE INDEX idx_uploads_user_id ON uploads (user_id);

CREATE TABLE runs (
	id TEXT PRIMARY KEY,
	conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
	user_id TEXT NOT NULL DEFAULT '',
	project_id TEXT NOT NULL DEFAULT '',
	root_run_id TEXT NOT NULL DEFAULT '',
	parent_run_id TEXT NOT NULL DEFAULT '',
	parent_call_id TEXT NOT NULL DEFAULT '',
	task_index BIGINT NOT NULL DEFAULT 0,
	task_name TEXT NOT NULL DEFAULT '',
	child_key TEXT,
	agent TEXT NOT NULL DEFAULT '',
	agent_path TEXT NOT NULL DEFAULT '',
	status TEXT NOT NULL DEFAULT '',
	active_key TEXT,
	deferred BOOLEAN NOT NULL DEFAULT FALSE,
	user_message_id TEXT NOT NULL DEFAULT '',
	assistant_message_id TEXT NOT NULL DEFAULT '',
	parent_message_id TEXT NOT NULL DEFAULT '',
	input TEXT NOT NULL DEFAULT '',
	settings TEXT NOT NULL DEFAULT '',
	attempt BIGINT NOT NULL DEFAULT 0,
	stale_attempts BIGINT NOT NULL DEFAULT 0,
	enqueue_no BIGINT NOT NULL DEFAULT 0,
	claimed_no BIGINT NOT NULL DEFAULT 0,
	lease_owner TEXT NOT NULL DEFAULT '',
	lease_until BIGINT NOT NULL DEFAULT 0,
	cancel_requested_at BIGINT NOT NULL DEFAULT 0,
	response TEXT NOT NULL DEFAULT '',
	incomplete BOOLEAN NOT NULL DEFAULT FALSE,
	error_code TEXT NOT NULL DEFAULT '',
	error_message TEXT NOT NULL DEFAULT '',
	prompt_tokens BIGINT NOT NULL DEFAULT 0,
	completion_tokens BIGINT NOT NULL DEFAULT 0,
	total_tokens BIGINT NOT NULL DEFAULT 0,
	cost DOUBLE PRECISION NOT NULL DEFAULT 0,
	estimated BOOLEAN NOT NULL DEFAULT FALSE,
	created_at BIGINT NOT NULL DEFAULT 0,
	started_at BIGINT NOT NULL DEFAULT 0,
	finished_at BIGINT NOT NULL DEFAULT 0,
	worked_micros BIGINT NOT NULL DEFAULT 0
);
CREATE UNIQUE INDEX idx_runs_active_key ON runs (active_key);
CREATE UNIQUE INDEX idx_runs_child_key ON runs (child_key);
CREATE INDEX idx_runs_conversation ON runs (conversation_id, created_at);
CREATE INDEX idx_runs_deferred ON runs (deferred);
CREATE INDEX idx_runs_parent_call_id ON runs (parent_call_id);
CREATE INDEX idx_runs_parent_run_id ON runs (parent_run_id);
CREATE INDEX idx_runs_root_run_id ON runs (root_run_id);
CREATE INDEX idx_runs_status ON runs (status);
CREATE INDEX idx_runs_user_id ON runs (user_id);

CREATE TABLE steps (
	id TEXT PRIMARY KEY,
	run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
	number BIGINT NOT NULL DEFAULT 0,
	root_run_id TEXT NOT NULL DEFAULT '',
	model TEXT NOT NULL DEFAULT '',
	reasoning TEXT NOT NULL DEFAULT '',
	text TEXT NOT NULL DEFAULT '',
	opaque TEXT NOT NULL DEFAULT '',
	finish_reason TEXT NOT NULL DEFAULT '',
	partial BOOLEAN NOT NULL DEFAULT FALSE,
	prompt_tokens BIGINT NOT NULL DEFAULT 0,
	completion_tokens BIGINT NOT NULL DEFAULT 0,
	total_tokens BIGINT NOT NULL DEFAULT 0,
	cost DOUBLE PRECISION NOT NULL DEFAULT 0,
	estimated BOOLEAN NOT NULL DEFAULT FALSE,
	created_at BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX idx_steps_created_at ON steps (created_at);
CREATE UNIQUE INDEX idx_steps_order ON steps (run_id, number);
CREATE INDEX idx_steps_root_run_id ON steps (root_run_id);

CREATE TABLE tool_calls (
	id TEXT PRIMARY KEY,
	run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
	root_run_id TEXT NOT NULL DEFAULT '',
	step_id TEXT NOT NULL DEFAULT '',
	step_number BIGINT NOT NULL DEFAULT 0,
	call_index BIGINT NOT NULL DEFAULT 0,
	provider_id TEXT NOT NULL DEFAULT '',
	state TEXT NOT NULL DEFAULT '',
	effect TEXT NOT NULL DEFAULT '',
	name TEXT NOT NULL DEFAULT '',
	arguments TEXT NOT NULL DEFAULT '',
	result TEXT NOT NULL DEFAULT '',
	success BOOLEAN NOT NULL DEFAULT FALSE,
	skipped BOOLEAN NOT NULL DEFAULT FALSE,
	cached BOOLEAN NOT NULL DEFAULT FALSE,
	duplicate_of TEXT NOT NULL DEFAULT '',
	execution_time DOUBLE PRECISION NOT NULL DEFAULT 0,
	agent_path TEXT NOT NULL DEFAULT '',
	started_at BIGINT NOT NULL DEFAULT 0,
	finished_at BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX idx_tool_calls_root_run_id ON tool_calls (root_run_id);
CREATE INDEX idx_tool_calls_run ON tool_calls (run_id, step_number, call_index);
CREATE INDEX idx_tool_calls_step_id ON tool_calls (step_id);

CREATE TABLE approvals (
	id TEXT PRIMARY KEY,
	call_id TEXT NOT NULL DEFAULT '',
	run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
	root_run_id TEXT NOT NULL DEFAULT '',
	conversation_id TEXT NOT NULL DEFAULT '',
	user_id TEXT NOT NULL DEFAULT '',
	agent_path TEXT NOT NULL DEFAULT '',
	tool TEXT NOT NULL DEFAULT '',
	arguments_hash TEXT NOT NULL DEFAULT '',
	arguments TEXT NOT NULL DEFAULT '',
	edited_arguments TEXT NOT NULL DEFAULT '',
	findings TEXT NOT NULL DEFAULT '',
	status TEXT NOT NULL DEFAULT '',
	scope TEXT NOT NULL DEFAULT '',
	reason TEXT NOT NULL DEFAULT '',
	decided_by TEXT NOT NULL DEFAULT '',
	created_at BIGINT NOT NULL DEFAULT 0,
	decided_at BIGINT NOT NULL DEFAULT 0,
	expires_at BIGINT NOT NULL DEFAULT 0
);
CREATE UNIQUE INDEX idx_approvals_call_id ON approvals (call_id);
CREATE INDEX idx_approvals_conversation_id ON approvals (conversation_id);
CREATE INDEX idx_approvals_expires_at ON approvals (expires_at);
CREATE INDEX idx_approvals_pending ON approvals (user_id, status);
CREATE INDEX idx_approvals_root_run_id ON approvals (root_run_id);
CREATE INDEX idx_approvals_run_id ON approvals (run_id);

CREATE TABLE token_usages (
	id TEXT PRIMARY KEY,
	step_id TEXT NOT NULL DEFAULT '',
	user_id TEXT NOT NULL DEFAULT '',
	conversation_id TEXT NOT NULL DEFAULT '',
	project_id TEXT NOT NULL DEFAULT '',
	run_id TEXT NOT NULL DEFAULT '',
	root_run_id TEXT NOT NULL DEFAULT '',
	model TEXT NOT NULL DEFAULT '',
	day TEXT NOT NULL DEFAULT '',
	prompt_tokens BIGINT NOT NULL DEFAULT 0,
	completion_tokens BIGINT NOT NULL DEFAULT 0,
	total_tokens BIGINT NOT NULL DEFAULT 0,
	cached_tokens BIGINT NOT NULL DEFAULT 0,
	cost DOUBLE PRECISION NOT NULL DEFAULT 0,
	estimated BOOLEAN NOT NULL DEFAULT FALSE,
	created_at BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX idx_token_usages_conversation_id ON token_usages (conversation_id);
CREATE INDEX idx_token_usages_day ON token_usages (day);
CREATE INDEX idx_token_usages_root_run_id ON token_usages (root_run_id);
CREATE UNIQUE INDEX idx_token_usages_step_id ON token_usages (step_id);
CREATE INDEX idx_usage_user_day ON token_usages (user_id, day);

CREATE TABLE outbox (
	id $AUTO_ID,
	subject TEXT NOT NULL DEFAULT '',
	message_id TEXT NOT NULL DEFAULT '',
	payload $BLOB,
	created_at BIGINT NOT NULL DEFAULT 0
);

CREATE TABLE idempotency_keys (
	user_id TEXT NOT NULL DEFAULT '',
	key TEXT NOT NULL DEFAULT '',
	request_hash TEXT NOT NULL DEFAULT '',
	done BOOLEAN NOT NULL DEFAULT FALSE,
	status BIGINT NOT NULL DEFAULT 0,
	content_type TEXT NOT NULL DEFAULT '',
	location TEXT NOT NULL DEFAULT '',
	body $BLOB,
	created_at BIGINT NOT NULL DEFAULT 0,
	expires_at BIGINT NOT NULL DEFAULT 0,
	PRIMARY KEY (user_id, key)
);
CREATE INDEX idx_idempotency_keys_expires_at ON idempotency_keys (expires_at);

CREATE TABLE audit (
	id $AUTO_ID,
	time BIGINT NOT NULL DEFAULT 0,
	kind TEXT NOT NULL DEFAULT '',
	user_id TEXT NOT NULL DEFAULT '',
	project_id TEXT NOT NULL DEFAULT '',
	conversation_id TEXT NOT NULL DEFAULT '',
	run_id TEXT NOT NULL DEFAULT '',
	call_id TEXT NOT NULL DEFAULT '',
	agent_path TEXT NOT NULL DEFAULT '',
	tool TEXT NOT NULL DEFAULT '',
	arguments TEXT NOT NULL DEFAULT '',
	resolved_path TEXT NOT NULL DEFAULT '',
	outcome TEXT NOT NULL DEFAULT '',
	severity TEXT NOT NULL DEFAULT '',
	detail TEXT NOT NULL DEFAULT '',
	duration_micros BIGINT NOT NULL DEFAULT 0,
	previous_hash TEXT NOT NULL DEFAULT '',
	hash TEXT NOT NULL DEFAULT ''
);
CREATE INDEX idx_audit_call_id ON audit (call_id);
CREATE INDEX idx_audit_conversation_id ON audit (conversation_id);
CREATE INDEX idx_audit_outcome ON audit (outcome);
CREATE INDEX idx_audit_project_id ON audit (project_id);
CREATE INDEX idx_audit_time ON audit (time);
CREATE INDEX idx_audit_tool ON audit (tool);
CREATE INDEX idx_audit_user_id ON audit (user_id);
-- Only the few messages with files: retention looks for unused uploads here.
CREATE INDEX idx_messages_with_attachments ON messages (id) WHERE attachments IS NOT NULL;

-- What full-text search finds: a title (message_id is empty) or a message. The
-- words themselves are in the dialect's own search table, under the same id.
CREATE TABLE search_documents (
	id $AUTO_ID,
	conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
	message_id TEXT NOT NULL DEFAULT ''
);
CREATE INDEX idx_search_documents_message ON search_documents (conversation_id, message_id);
