-- Indexes that no query needs, and indexes of the audit on a few values that nearly all rows share: every run pays for
-- each of them.
DROP INDEX idx_runs_deferred;
DROP INDEX idx_runs_parent_call_id;
DROP INDEX idx_runs_parent_run_id;
DROP INDEX idx_runs_user_id;
DROP INDEX idx_steps_created_at;
DROP INDEX idx_tool_calls_step_id;
DROP INDEX idx_messages_parent_id;
DROP INDEX idx_messages_run_id;
DROP INDEX idx_audit_outcome;
DROP INDEX idx_audit_tool;
DROP INDEX idx_audit_user_id;
