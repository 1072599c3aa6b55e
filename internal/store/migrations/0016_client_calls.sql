-- Conversations that an interface makes for one request are in no list.
ALTER TABLE conversations ADD COLUMN hidden BOOLEAN NOT NULL DEFAULT FALSE;
CREATE INDEX idx_conversations_hidden ON conversations (updated_at) WHERE hidden;

-- Calls of tools that the client runs wait for its result.
CREATE TABLE client_calls (
	call_id TEXT PRIMARY KEY,
	root_run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
	user_id TEXT NOT NULL DEFAULT '',
	name TEXT NOT NULL DEFAULT '',
	result TEXT NOT NULL DEFAULT '',
	asked_at BIGINT NOT NULL DEFAULT 0,
	answered_at BIGINT NOT NULL DEFAULT 0,
	expires_at BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX idx_client_calls_run ON client_calls (root_run_id);
CREATE INDEX idx_client_calls_waiting ON client_calls (expires_at) WHERE answered_at = 0;
