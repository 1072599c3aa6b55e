/** What an answer shows, in order: thinking, text, and calls, which stand together when they came together. */
import type { Message } from "@/api/types";
import { joinSnapshot } from "@/events/snapshot";
import { emptyRun, emptyState, type LiveCall, type LiveRun, type LiveStep } from "@/events/state";

export type Part =
  | { kind: "thinking"; key: string; step: LiveStep; open: boolean }
  | { kind: "text"; key: string; step: LiveStep; open: boolean }
  | { kind: "user"; key: string; step: LiveStep }
  | { kind: "calls"; key: string; batches: Batch[] };

/** Calls that one model turn asked for together. */
export interface Batch {
  key: string;
  stepId: string;
  calls: LiveCall[];
}

/** Parts of a run; the last one that the model makes is open as long as the run is at work. */
export function partsOf(run: LiveRun, working: boolean): Part[] {
  const parts: Part[] = [];
  const last = run.steps.findLastIndex((s) => !s.pending);
  run.steps.forEach((step, i) => {
    const open = working && i === last;
    if (step.kind === "user") parts.push({ kind: "user", key: step.key, step });
    else if (step.kind === "call") {
      const call = run.calls[step.callId];
      if (!call) return;
      const last = parts.at(-1);
      if (last?.kind !== "calls") {
        parts.push({ kind: "calls", key: step.key, batches: [{ key: step.key, stepId: step.stepId, calls: [call] }] });
        return;
      }
      const batch = last.batches.at(-1)!;
      if (step.stepId && batch.stepId === step.stepId) batch.calls.push(call);
      else last.batches.push({ key: step.key, stepId: step.stepId, calls: [call] });
    } else if (step.text.trim() !== "" || open) {
      parts.push({ kind: step.kind, key: step.key, step, open });
    }
  });
  return parts;
}

const stored = new WeakMap<Message, LiveRun>();

/** An answer as a run: the stored message is what counts; the live run adds the times that it knew. */
export function runOfMessage(message: Message, live: LiveRun | null): LiveRun {
  let run = stored.get(message);
  if (!run) {
    run = fromMessage(message);
    stored.set(message, run);
  }
  if (!live) return run;
  const times = new Map(live.steps.map((s) => [s.key, s]));
  const calls = { ...run.calls };
  for (const [id, call] of Object.entries(live.calls)) {
    if (calls[id]) calls[id] = { ...call, call: calls[id].call, finished: true };
  }
  return {
    ...live,
    calls,
    steps: run.steps.map((s) => {
      const known = times.get(s.key);
      return known ? { ...s, startedAt: known.startedAt, endedAt: known.endedAt } : s;
    }),
  };
}

/** What a task has answered: its title and status, which the server puts before, are shown as a link to it. */
const textIn = (message: Message) => (message.task ? message.text.replace(/^\*\*.*\*\*\s*/, "") : message.text);

function fromMessage(message: Message): LiveRun {
  const id = message.run_id || message.id;
  const steps = message.steps?.length
    ? message.steps
    : [{ index: 0, type: "text" as const, text: textIn(message), step_id: message.id }];
  const state = joinSnapshot(emptyState(), {
    type: "snapshot",
    run_id: id,
    root_run_id: id,
    agent_path: "",
    time: "",
    run: {
      id,
      root_run_id: id,
      conversation_id: message.conversation_id,
      status: "completed",
      usage: message.usage ?? undefined,
    },
    message: { ...message, steps },
  });
  return state.runs[id] ?? emptyRun(id, id);
}

/** Milliseconds between two times; 0 where one is not known. */
export function between(start: string, end: string): number {
  if (!start || !end) return 0;
  return Math.max(0, Date.parse(end) - Date.parse(start));
}
