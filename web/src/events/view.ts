/** What the page asks of a state: derived, never stored. */
import type { Approval, Run, RunStatus, Step, ToolCall, Usage } from "@/api/types";
import { joinSnapshot } from "./snapshot";
import { emptyState, hasEnded, type ConversationState, type LiveRun } from "./state";

/** The root run that is at work, or null. With several (one queued behind another) the one that runs. */
export function activeRun(state: ConversationState): LiveRun | null {
  const open = Object.values(state.runs).filter((r) => r.id === r.rootId && !r.deferred && !hasEnded(r.status));
  return open.find((r) => r.status !== "queued") ?? open[0] ?? null;
}

/** Turns that wait until the active run ends, in their order. */
export function deferredRuns(state: ConversationState): LiveRun[] {
  return Object.values(state.runs)
    .filter((r) => r.deferred && !hasEnded(r.status))
    .sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** Sub-agents of a run, in the order of their creation; of one call where it is given. */
export function childrenOf(state: ConversationState, runId: string, callId?: string): LiveRun[] {
  return Object.values(state.runs)
    .filter((r) => r.parentId === runId && (!callId || !r.parentCallId || r.parentCallId === callId))
    .sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** Approvals that wait for a decision, oldest first; of one root run where it is given. */
export function pendingApprovals(state: ConversationState, rootId?: string): Approval[] {
  return Object.values(state.approvals)
    .filter((a) => a.status === "pending" && (!rootId || !a.root_run_id || a.root_run_id === rootId))
    .filter((a) => !callOf(state, a)?.finished && !rootEnded(state, a))
    .sort((a, b) => (a.id < b.id ? -1 : 1));
}

function callOf(state: ConversationState, approval: Approval) {
  return state.runs[approval.run_id ?? ""]?.calls[approval.tool_call.id];
}

function rootEnded(state: ConversationState, approval: Approval): boolean {
  const root = state.runs[approval.root_run_id ?? ""];
  return root !== undefined && hasEnded(root.status);
}

/** The status to show: a run of which something waits for a decision waits. */
export function shownStatus(state: ConversationState, run: LiveRun): RunStatus {
  if (hasEnded(run.status)) return run.status;
  const waits = pendingApprovals(state, run.rootId).some((a) => run.id === run.rootId || a.run_id === run.id);
  return waits ? "waiting_approval" : run.status;
}

/** Tokens so far: the server's sum, and the model turns since. A root run's are those of its sub-agents too. */
export function usageOf(run: LiveRun, state?: ConversationState): Usage {
  const sum = { ...run.usage };
  const below = Object.values(state?.runs ?? {}).filter((r) => r.rootId === run.id && r.id !== run.id);
  for (const turn of [run, ...below].flatMap((r) => Object.values(r.turns))) {
    if (turn.time <= run.usageAt) continue;
    sum.prompt_tokens += turn.prompt_tokens;
    sum.completion_tokens += turn.completion_tokens;
    sum.total_tokens += turn.total_tokens;
  }
  return sum;
}

/** A finished run as the server stores it, in the shape of a live one; with all its sub-agents. */
export function storedRuns(run: Run, steps?: Step[] | null, calls?: ToolCall[] | null): Record<string, LiveRun> {
  const message = steps ? { steps, tool_calls: calls } : null;
  return joinSnapshot(emptyState(), {
    type: "snapshot",
    run_id: run.id,
    root_run_id: run.id,
    agent_path: run.agent_path ?? "",
    time: "",
    run: { ...run, root_run_id: run.id },
    message: message as never,
  }).runs;
}
