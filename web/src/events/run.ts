/**
 * How a run grows. Each function joins what is known with what came, so that a
 * repeated event changes nothing: text only gets longer, a finished call stays
 * finished, an ended run stays ended. Only a later attempt takes something back.
 */
import type { Run, RunStatus, Steering, ToolCall } from "@/api/types";
import { codePoints, dropCodePoints } from "./codepoints";
import { hasEnded, type LiveCall, type LiveRun, type LiveStep } from "./state";
import type { DeltaEvent } from "./types";

/** Joins a run as the server describes it, without its children. */
export function joinRun(live: LiveRun, run: Run, time: string, attempt = run.attempt ?? live.attempt): LiveRun {
  const knowsUsage = run.usage && time >= live.usageAt;
  const next: LiveRun = {
    ...live,
    parentId: run.parent_run_id ?? live.parentId,
    parentCallId: run.parent_call_id ?? live.parentCallId,
    agent: run.agent || live.agent,
    agentPath: run.agent_path || live.agentPath,
    taskName: run.task_name || live.taskName,
    text: run.text || live.text,
    deferred: run.status === "queued" && run.deferred === true,
    userMessageId: run.user_message_id || live.userMessageId,
    usage: knowsUsage ? run.usage! : live.usage,
    usageAt: knowsUsage ? time : live.usageAt,
    response: run.response || live.response,
    incomplete: live.incomplete || run.incomplete === true,
    createdAt: live.createdAt || (run.created_at ?? ""),
    startedAt: live.startedAt || (run.started_at ?? ""),
  };
  const status: RunStatus = run.status === "waiting_approval" ? "running" : run.status;
  if (attempt > live.attempt || rank(status) > rank(live.status)) {
    next.status = status;
    next.error = hasEnded(status) ? (run.error ?? null) : null;
    next.finishedAt = hasEnded(status) ? (run.finished_at ?? "") : "";
  }
  next.attempt = Math.max(attempt, live.attempt);
  return next;
}

function rank(status: RunStatus): number {
  if (hasEnded(status)) return 2;
  return status === "queued" ? 0 : 1;
}

/** Adds a piece of text. `null`: a piece before it is missing. */
export function joinDelta(live: LiveRun, event: DeltaEvent): LiveRun | null {
  const kind = event.type === "text.delta" ? "text" : "thinking";
  const key = `${event.step_id}/${kind}`;
  // Almost always it is the last one.
  const at = live.steps.findLastIndex((s) => s.key === key);
  const old = live.steps[at];
  const known = old?.length ?? 0;
  if (!old && event.time <= live.snapshotAt) return live;
  if (event.offset > known) return null;
  const end = event.offset + codePoints(event.delta);
  if (old && end <= known) return live;
  const step: LiveStep = old
    ? {
        ...old,
        text: old.text + dropCodePoints(event.delta, known - event.offset),
        length: end,
        attempt: live.attempt,
        startedAt: old.startedAt || event.time,
        endedAt: event.time,
      }
    : {
        key,
        kind,
        stepId: event.step_id,
        text: event.delta,
        length: end,
        callId: "",
        attempt: live.attempt,
        startedAt: event.time,
        endedAt: event.time,
      };
  return { ...live, retry: null, steps: old ? live.steps.with(at, step) : withStep(live.steps, step) };
}

/** Adds a person's message into the run; once the model gets it, it stands behind what came before. */
export function joinSteering(live: LiveRun, message: Steering, time: string): LiveRun {
  const key = `user/${message.id}`;
  const old = live.steps.find((s) => s.key === key);
  if (old && (message.pending || !old.pending)) return live;
  const step: LiveStep = {
    key,
    kind: "user",
    stepId: "",
    text: message.text,
    length: codePoints(message.text),
    callId: "",
    attempt: live.attempt,
    startedAt: time,
    endedAt: time,
    ...(message.pending ? { pending: true } : {}),
  };
  const rest = live.steps.filter((s) => s !== old);
  return { ...live, steps: step.pending ? [...rest, step] : withStep(rest, step) };
}

/** Adds what is shown next: what the model has not got yet stays behind it. */
function withStep(steps: LiveStep[], step: LiveStep): LiveStep[] {
  const pending = steps.findIndex((s) => s.pending);
  return steps.toSpliced(pending < 0 ? steps.length : pending, 0, step);
}

/** Adds a tool call, or what became of it. An empty time: a snapshot tells it. */
export function joinCall(live: LiveRun, call: ToolCall, time: string, finished: boolean, stepId = ""): LiveRun {
  const key = `call/${call.id}`;
  const old = live.calls[call.id];
  const known = old !== undefined && old.call.function.name !== "";
  if (time === "" && old?.queued && !finished)
    return { ...live, calls: { ...live.calls, [call.id]: { ...old, queued: false } } };
  if (old ? old.finished || (known && !finished) : time !== "" && time <= live.snapshotAt) return live;
  const entry: LiveCall = {
    call: old && call.function.name !== "" ? { ...old.call, ...call } : (old?.call ?? call),
    finished,
    // A snapshot does not tell what waits: that much is known of events alone.
    queued: !finished && time !== "" && (old?.queued ?? true),
    startedAt: old?.startedAt || time,
    finishedAt: finished ? time : "",
    progress: finished ? null : (old?.progress ?? null),
  };
  const step: LiveStep = {
    key,
    kind: "call",
    stepId,
    text: "",
    length: 0,
    callId: call.id,
    attempt: live.attempt,
    startedAt: time,
    endedAt: time,
  };
  return {
    ...live,
    calls: { ...live.calls, [call.id]: entry },
    steps: old ? live.steps : withStep(live.steps, step),
  };
}

/** Notes how far a call is; the first note tells that it runs. What is older or comes after its end changes nothing. */
export function joinProgress(
  live: LiveRun,
  id: string,
  progress: { message: string; fraction: number | null; time: string },
): LiveRun {
  const old = live.calls[id];
  if (!old || old.finished || (old.progress && old.progress.time > progress.time)) return live;
  const startedAt = old.queued ? progress.time : old.startedAt;
  return { ...live, calls: { ...live.calls, [id]: { ...old, queued: false, startedAt, progress } } };
}
