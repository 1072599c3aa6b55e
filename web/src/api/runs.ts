import { pathOf, request } from "./client";
import type {
  Approval,
  ApprovalRule,
  Decision,
  FileChanges,
  Obeyed,
  Page,
  Reverted,
  Run,
  StartRun,
  Steering,
  Upload,
} from "./types";

/**
 * Starts a turn. `key` makes a retry of the same send harmless. A message that is a
 * command to a waiting run (/approve, /deny) starts none: its decisions are answered.
 */
export function startRun(conversation: string, body: StartRun, key: string) {
  return request<Run | Obeyed>(pathOf("conversations", conversation, "runs"), {
    method: "POST",
    json: body,
    headers: { "Idempotency-Key": key },
  });
}

/** Sends a message into a root run at work. */
export function steerRun(run: string, text: string, key: string) {
  return request<Steering>(pathOf("runs", run, "messages"), {
    method: "POST",
    json: { text },
    headers: { "Idempotency-Key": key },
  });
}

/** Answers a user's message again, with another model where one is named. */
export function regenerate(message: string, model?: string) {
  return request<Run>(pathOf("messages", message, "regenerate"), { method: "POST", json: { model } });
}

/** Goes on with a run that failed or was interrupted, behind what it has done. */
export function continueRun(run: string) {
  return request<Run>(pathOf("runs", run, "continue"), { method: "POST", json: {} });
}

export function getRun(id: string, signal?: AbortSignal) {
  return request<Run>(pathOf("runs", id), { signal });
}

/** Stops a root run with all below it, or one sub-agent. */
export function cancelRun(id: string) {
  return request<Run>(pathOf("runs", id, "cancel"), { method: "POST", json: {} });
}

/** Background tasks, newest first: those at work, and the last ones that ended. */
export function listTasks() {
  return request<Page<Run>>("/tasks", { query: { limit: 50 } });
}

export function pendingApprovals() {
  return request<Page<Approval>>("/approvals", { query: { status: "pending" } });
}

export function decide(id: string, body: Decision) {
  return request<Approval>(pathOf("approvals", id), { method: "POST", json: body });
}

/** The last calls of a conversation that waited for a person, with who decided. */
export const decisionsIn = (conversation: string) =>
  request<Page<Approval>>("/approvals", { query: { conversation_id: conversation, limit: 200 } });

/** The standing approvals in force. */
export function approvalRules() {
  return request<Page<ApprovalRule>>("/approvals/rules", { query: { limit: 200 } });
}

export function revokeRule(id: string) {
  return request<void>(pathOf("approvals", "rules", id), { method: "DELETE" });
}

/** What a run changed in files, with diffs; of one path alone the diff may be longer. */
export function runChanges(run: string, path?: string) {
  return request<FileChanges>(pathOf("runs", run, "changes"), { query: { path } });
}

/** Takes a run's changes back: all, or those of some paths; with `dry_run` it only says what would happen. */
export function revertRun(run: string, body: { paths?: string[]; dry_run?: boolean }) {
  return request<Page<Reverted>>(pathOf("runs", run, "revert"), { method: "POST", json: body });
}

export function upload(file: File) {
  const form = new FormData();
  form.append("file", file, file.name);
  return request<Upload>("/uploads", { method: "POST", body: form });
}
