-- Texts that people keep to send again. shared: everybody on the server can use it.
CREATE TABLE prompts (
	id TEXT PRIMARY KEY,
	user_id TEXT NOT NULL DEFAULT '',
	name TEXT NOT NULL DEFAULT '',
	text TEXT NOT NULL DEFAULT '',
	shared BOOLEAN NOT NULL DEFAULT FALSE,
	created_at BIGINT NOT NULL DEFAULT 0,
	updated_at BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX idx_prompts_user ON prompts (user_id, updated_at);
CREATE INDEX idx_prompts_shared ON prompts (updated_at) WHERE shared;
