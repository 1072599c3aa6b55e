-- Work that one process does at a time: who does it, until when nobody else may, and what
-- whoever does it next has to know.

CREATE TABLE leases (
	name TEXT PRIMARY KEY,
	owner TEXT NOT NULL,
	expires_at BIGINT NOT NULL,
	note TEXT NOT NULL DEFAULT ''
);
