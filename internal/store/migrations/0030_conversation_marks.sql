-- permission_mode: what agents do in a conversation without asking: '' as configured, ask, edits or plan.
-- archived: in no list unless it is asked for. unread: a run ended that nobody has looked at.
ALTER TABLE conversations ADD COLUMN permission_mode TEXT NOT NULL DEFAULT '';
ALTER TABLE conversations ADD COLUMN archived BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE conversations ADD COLUMN unread BOOLEAN NOT NULL DEFAULT FALSE;
