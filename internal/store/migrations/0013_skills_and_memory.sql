-- Which skills people switched on or off, in a project and in a conversation: a JSON object by name, or nothing.
-- memory_off: agents are not told what they noted in the project.
ALTER TABLE projects ADD COLUMN skills TEXT;
ALTER TABLE projects ADD COLUMN memory_off BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE conversations ADD COLUMN skills TEXT;
