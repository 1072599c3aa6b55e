-- What an approval can cover and does, and what a standing one covers: a JSON object, empty
-- for the call with the same arguments alone. One that covers more has no arguments_hash.
ALTER TABLE approvals ADD COLUMN coverages TEXT NOT NULL DEFAULT '';
ALTER TABLE approvals ADD COLUMN coverage TEXT NOT NULL DEFAULT '';
ALTER TABLE approval_rules ADD COLUMN coverage TEXT NOT NULL DEFAULT '';
