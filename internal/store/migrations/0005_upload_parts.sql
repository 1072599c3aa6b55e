-- An upload's bytes in parts, so that no file is ever held in memory as a whole.

CREATE TABLE upload_parts (
	upload_id TEXT NOT NULL REFERENCES uploads (id) ON DELETE CASCADE,
	position BIGINT NOT NULL,
	data $BLOB NOT NULL,
	PRIMARY KEY (upload_id, position)
);
INSERT INTO upload_parts (upload_id, position, data) SELECT id, 0, data FROM uploads WHERE data IS NOT NULL AND size > 0;
ALTER TABLE uploads DROP COLUMN data;
