-- What a person sent to a run while it was at work, in JSON; null: nothing.
ALTER TABLE runs ADD COLUMN steering TEXT;
