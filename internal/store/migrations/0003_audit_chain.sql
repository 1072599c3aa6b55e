-- The audit's hash chain, and a run's rows with those of its sub-agents.

ALTER TABLE audit ADD COLUMN root_run_id TEXT NOT NULL DEFAULT '';
CREATE INDEX idx_audit_run_id ON audit (run_id);
CREATE INDEX idx_audit_root_run_id ON audit (root_run_id);

CREATE TABLE audit_chain (
	id BIGINT PRIMARY KEY,
	last_id BIGINT NOT NULL DEFAULT 0,
	last_hash TEXT NOT NULL DEFAULT '',
	begin_id BIGINT NOT NULL DEFAULT 0,
	begin_hash TEXT NOT NULL DEFAULT '',
	removed BIGINT NOT NULL DEFAULT 0,
	unchained BIGINT NOT NULL DEFAULT 0,
	updated_at BIGINT NOT NULL DEFAULT 0
);
INSERT INTO audit_chain (id, last_id, begin_id, unchained)
	SELECT 1, COALESCE(MAX(id), 0), COALESCE(MAX(id), 0), COALESCE(MAX(id), 0) FROM audit;
