-- What was approved with other arguments is bound to those; the calls that wait
-- are found by the moment at which waiting ends.
ALTER TABLE approvals ADD COLUMN edited_hash TEXT NOT NULL DEFAULT '';
ALTER TABLE approvals ADD COLUMN project_id TEXT NOT NULL DEFAULT '';
ALTER TABLE approvals ADD COLUMN live BOOLEAN NOT NULL DEFAULT FALSE;
CREATE INDEX idx_approvals_waiting ON approvals (expires_at) WHERE status = 'pending';

CREATE TABLE approval_rules (
	id TEXT PRIMARY KEY,
	user_id TEXT NOT NULL DEFAULT '',
	conversation_id TEXT REFERENCES conversations (id) ON DELETE CASCADE,
	tool TEXT NOT NULL DEFAULT '',
	arguments_hash TEXT NOT NULL DEFAULT '',
	arguments TEXT NOT NULL DEFAULT '',
	approval_id TEXT NOT NULL DEFAULT '',
	created_by TEXT NOT NULL DEFAULT '',
	created_at BIGINT NOT NULL DEFAULT 0,
	revoked_at BIGINT NOT NULL DEFAULT 0,
	revoked_by TEXT NOT NULL DEFAULT ''
);
CREATE INDEX idx_approval_rules_call ON approval_rules (user_id, arguments_hash);
