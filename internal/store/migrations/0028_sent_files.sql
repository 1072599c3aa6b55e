-- The files that a tool call handed to the person: uploads, as a JSON list.
ALTER TABLE tool_calls ADD COLUMN files TEXT NOT NULL DEFAULT '';
