-- Events that are too large for the event log, which carries a reference to them.

CREATE TABLE event_bodies (
	message_id VARCHAR(120) PRIMARY KEY,
	conversation_id VARCHAR(36) NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
	payload $BLOB NOT NULL,
	created_at BIGINT NOT NULL
);

CREATE INDEX idx_event_bodies_conversation_id ON event_bodies (conversation_id);

CREATE INDEX idx_event_bodies_created_at ON event_bodies (created_at);
