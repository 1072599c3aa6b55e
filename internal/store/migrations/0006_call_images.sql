-- The images of a tool call's result: uploads, as a JSON list.

ALTER TABLE tool_calls ADD COLUMN images TEXT NOT NULL DEFAULT '';
