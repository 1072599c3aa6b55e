-- A background task has a conversation of its own, which knows the one it was submitted in.
-- task_announced: the end of its run is a message there.
ALTER TABLE conversations ADD COLUMN task_of TEXT NOT NULL DEFAULT '';
ALTER TABLE conversations ADD COLUMN task_announced BOOLEAN NOT NULL DEFAULT FALSE;
CREATE INDEX idx_conversations_task ON conversations (task_of) WHERE task_of <> '';

-- Of a message that announces the end of a background task: which one, as JSON.
ALTER TABLE messages ADD COLUMN task TEXT NOT NULL DEFAULT '';
