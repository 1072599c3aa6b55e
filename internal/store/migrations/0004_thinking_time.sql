-- How long the model thought in a step, in milliseconds; 0: not, or nobody knows.

ALTER TABLE steps ADD COLUMN thinking_ms BIGINT NOT NULL DEFAULT 0;
