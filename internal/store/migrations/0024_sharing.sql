-- Members of projects, read-only links to conversations, and who acts in what belongs to another.
CREATE TABLE project_members (
	project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
	user_id TEXT NOT NULL,
	role TEXT NOT NULL,
	created_at BIGINT NOT NULL,
	PRIMARY KEY (project_id, user_id)
);
CREATE INDEX idx_project_members_user_id ON project_members (user_id);
CREATE TABLE share_links (
	id TEXT NOT NULL PRIMARY KEY,
	hash TEXT NOT NULL UNIQUE,
	conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
	created_by TEXT NOT NULL,
	created_at BIGINT NOT NULL,
	expires_at BIGINT NOT NULL
);
CREATE INDEX idx_share_links_conversation_id ON share_links (conversation_id);
ALTER TABLE runs ADD COLUMN actor_id TEXT NOT NULL DEFAULT '';
ALTER TABLE messages ADD COLUMN author_id TEXT NOT NULL DEFAULT '';
ALTER TABLE messages ADD COLUMN author_name TEXT NOT NULL DEFAULT '';
ALTER TABLE uploads ADD COLUMN conversation_id TEXT NOT NULL DEFAULT '';
ALTER TABLE approvals ADD COLUMN decided_by_name TEXT NOT NULL DEFAULT '';
