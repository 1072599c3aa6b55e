/**
 * A snapshot is what the server has shown of a run so far. It fills what a cut
 * connection missed. Of a later attempt it also takes back what the lost attempt
 * showed and did not save.
 */
import type { Run, Step, ToolCall } from "@/api/types";
import { codePoints } from "./codepoints";
import { joinCall, joinRun } from "./run";
import { emptyRun, type ConversationState, type LiveRun, type LiveStep } from "./state";
import type { SnapshotEvent } from "./types";

export function joinSnapshot(state: ConversationState, event: SnapshotEvent): ConversationState {
  if (event.runs?.length) {
    return event.runs.reduce((s, run) => joinSnapshot(s, { ...event, ...run, runs: null }), state);
  }
  if (!event.run) return state;
  const runs = { ...state.runs };
  const root = event.run;
  joinTree(runs, root, root.root_run_id || root.id, event);
  const stale = { ...state.stale };
  delete stale[root.id];
  return { ...state, runs, stale, approvals: joinApprovals(state, event, root.id) };
}

function joinTree(runs: Record<string, LiveRun>, run: Run, rootId: string, event: SnapshotEvent): void {
  const live = runs[run.id] ?? emptyRun(run.id, rootId);
  const isRoot = run.id === rootId;
  const attempt = (isRoot ? event.attempt : undefined) ?? run.attempt ?? live.attempt;
  let next = live;
  // An older attempt's snapshot has nothing to tell.
  if (attempt >= live.attempt) {
    const told = isRoot ? event.message : event.agents?.find((a) => a.run_id === run.id);
    const steps = told?.steps ?? run.steps;
    const calls = told?.tool_calls ?? run.tool_calls;
    next = joinRun(live, run, event.time, attempt);
    const waits = event.retries?.[run.id];
    if (waits) next = { ...next, retry: { error: waits.error, try: waits.try, max: waits.max, at: waits.retry_at } };
    if (steps) next = joinSteps(next, steps, calls ?? [], event.time);
  }
  runs[run.id] = next;
  for (const child of run.children ?? []) {
    joinTree(runs, { parent_run_id: run.id, ...child }, rootId, event);
  }
}

function joinSteps(live: LiveRun, steps: Step[], calls: ToolCall[], time: string): LiveRun {
  const known = new Map(live.steps.map((s) => [s.key, s]));
  const records = new Map(calls.map((c) => [c.id, c]));
  const told: LiveStep[] = [];
  const keys = new Set<string>();
  let run = live;
  for (const step of [...steps].sort((a, b) => a.index - b.index)) {
    const key = keyOf(step);
    if (keys.has(key)) continue;
    const heard = known.get(key);
    if (step.pending && heard && !heard.pending && heard.attempt >= run.attempt) continue; // the snapshot is older
    keys.add(key);
    if (step.type === "tool_call" || step.type === "tool_result") {
      const record = records.get(step.id_ref ?? "") ?? unknownCall(step.id_ref ?? "");
      const finished = record.result !== undefined && record.result !== null && record.result !== "";
      run = joinCall(run, record, "", finished, step.step_id);
      const entry = run.steps.find((s) => s.key === key);
      if (entry) told.push({ ...entry, stepId: entry.stepId || (step.step_id ?? ""), attempt: run.attempt });
    } else {
      told.push(joinText(known.get(key), key, step, run.attempt));
    }
  }
  const rest = live.steps.filter((s) => !keys.has(s.key));
  const lost = rest.filter((s) => s.attempt < run.attempt);
  return {
    ...run,
    // What is not in the snapshot came after it, or belongs to a lost attempt.
    steps: [
      ...told.filter((s) => !s.pending),
      ...rest.filter((s) => s.attempt >= run.attempt),
      ...told.filter((s) => s.pending),
    ],
    snapshotAt: time > run.snapshotAt ? time : run.snapshotAt,
    calls: without(run.calls, lost),
  };
}

/** A call that is still at work may be told by its id alone; its name comes with an event. */
function unknownCall(id: string): ToolCall {
  return { id, type: "function", function: { name: "", arguments: "" } };
}

function joinText(old: LiveStep | undefined, key: string, step: Step, attempt: number): LiveStep {
  const text = step.text ?? "";
  const length = codePoints(text);
  // Text of an earlier attempt is replaced, of this one only ever extended.
  const keep = old && old.attempt >= attempt && old.length > length;
  return {
    key,
    kind: step.type === "thinking" ? "thinking" : step.type === "user" ? "user" : "text",
    stepId: step.step_id ?? "",
    text: keep ? old.text : text,
    length: keep ? old.length : length,
    callId: "",
    attempt,
    startedAt: old?.startedAt ?? "",
    endedAt: old?.endedAt ?? "",
    ...(step.duration_ms ? { took: step.duration_ms } : {}),
    ...(step.pending ? { pending: true } : {}),
  };
}

function keyOf(step: Step): string {
  if (step.type === "tool_call" || step.type === "tool_result") return `call/${step.id_ref}`;
  if (step.type === "user") return `user/${step.id_ref}`;
  return `${step.step_id ?? `#${step.index}`}/${step.type}`;
}

function without(calls: LiveRun["calls"], lost: LiveStep[]): LiveRun["calls"] {
  if (!lost.some((s) => s.callId)) return calls;
  const rest = { ...calls };
  for (const step of lost) delete rest[step.callId];
  return rest;
}

/**
 * Milliseconds within which a snapshot may not know yet what an event has told: an
 * approval gets its time before it is stored. A decision missed in this time shows
 * when somebody decides again.
 */
const commitTime = 10_000;

function joinApprovals(state: ConversationState, event: SnapshotEvent, rootId: string) {
  const approvals = { ...state.approvals };
  const told = new Set((event.approvals ?? []).map((a) => a.id));
  for (const [id, approval] of Object.entries(approvals)) {
    const older = Date.parse(event.time) - Date.parse(approval.created_at ?? "") > commitTime;
    if (approval.status === "pending" && approval.root_run_id === rootId && older && !told.has(id)) {
      // It was decided while we were away; how, its call will say.
      approvals[id] = { ...approval, status: "approved" };
    }
  }
  for (const approval of event.approvals ?? []) {
    const old = approvals[approval.id];
    if (!old || old.status === "pending") approvals[approval.id] = { root_run_id: rootId, ...old, ...approval };
  }
  return approvals;
}
