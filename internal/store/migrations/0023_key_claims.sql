-- Who answers the request of an idempotency key, and until when others wait for that answer.
ALTER TABLE idempotency_keys ADD COLUMN claim VARCHAR(36) NOT NULL DEFAULT '';
ALTER TABLE idempotency_keys ADD COLUMN claimed_until BIGINT NOT NULL DEFAULT 0;
