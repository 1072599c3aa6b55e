-- Sign-in with OpenID Connect: who an account is at a provider, and sign-ins that are under way.
ALTER TABLE users ADD COLUMN issuer TEXT NOT NULL DEFAULT '';
ALTER TABLE users ADD COLUMN subject TEXT NOT NULL DEFAULT '';
CREATE UNIQUE INDEX idx_users_subject ON users (issuer, subject) WHERE subject <> '';
CREATE TABLE sign_in_states (
	hash TEXT NOT NULL PRIMARY KEY,
	provider TEXT NOT NULL,
	nonce TEXT NOT NULL,
	verifier TEXT NOT NULL,
	back TEXT NOT NULL,
	expires_at BIGINT NOT NULL
);
