-- Accounts of auth_mode multi. Secrets are kept as hashes: argon2id of passwords, SHA-256 of random tokens.
ALTER TABLE users ADD COLUMN password_hash TEXT NOT NULL DEFAULT '';
ALTER TABLE users ADD COLUMN disabled_at BIGINT NOT NULL DEFAULT 0;
CREATE TABLE sessions (
	id VARCHAR(36) NOT NULL PRIMARY KEY,
	hash VARCHAR(64) NOT NULL UNIQUE,
	user_id VARCHAR(36) NOT NULL,
	address VARCHAR(64) NOT NULL,
	client VARCHAR(300) NOT NULL,
	created_at BIGINT NOT NULL,
	last_seen_at BIGINT NOT NULL,
	expires_at BIGINT NOT NULL
);
CREATE INDEX idx_sessions_user_id ON sessions (user_id);
CREATE TABLE api_tokens (
	id VARCHAR(36) NOT NULL PRIMARY KEY,
	hash VARCHAR(64) NOT NULL UNIQUE,
	user_id VARCHAR(36) NOT NULL,
	name VARCHAR(200) NOT NULL,
	scope VARCHAR(20) NOT NULL,
	created_at BIGINT NOT NULL,
	last_used_at BIGINT NOT NULL,
	expires_at BIGINT NOT NULL
);
CREATE INDEX idx_api_tokens_user_id ON api_tokens (user_id);
CREATE TABLE account_links (
	hash VARCHAR(64) NOT NULL PRIMARY KEY,
	user_id VARCHAR(36) NOT NULL,
	expires_at BIGINT NOT NULL
);
CREATE TABLE sign_in_failures (
	id VARCHAR(64) NOT NULL PRIMARY KEY,
	failures BIGINT NOT NULL,
	last_at BIGINT NOT NULL
);
