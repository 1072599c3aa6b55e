-- tags: words by which people find a conversation again, as a JSON array of texts; NULL: none.
ALTER TABLE conversations ADD COLUMN tags TEXT;
