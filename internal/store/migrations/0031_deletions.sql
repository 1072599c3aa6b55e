-- What was deleted and may have files on machines and in a store that this database does not
-- reach: kind is conversation, user or project.
CREATE TABLE deletions (
    kind TEXT NOT NULL,
    id TEXT NOT NULL,
    deleted_at BIGINT NOT NULL,
    PRIMARY KEY (kind, id)
);
