-- Audit rows, as JSON, that are stored and not yet in the chain. In a database of several
-- processes a transaction writes here, so that it does not wait for the end of the chain.
CREATE TABLE audit_pending (
	id $AUTO_ID,
	line TEXT NOT NULL
);
