/**
 * For tests alone: random runs as event logs, and a plain second implementation of
 * what a server would put into a snapshot, to hold the reducer against.
 */
import fc from "fast-check";
import type { Approval, Run, Steering, Step, ToolCall } from "@/api/types";
import type { ServerEvent, SnapshotEvent } from "./types";

type Action =
  | { do: "think" | "say"; text: string; who: number }
  | { do: "call" | "fail" | "ask"; who: number }
  | { do: "spawn" }
  | { do: "steer" }
  | { do: "crash" };

const text = fc.string({ unit: "grapheme", minLength: 1, maxLength: 6 });
const who = fc.nat({ max: 2 });

export const scriptArbitrary: fc.Arbitrary<Action[]> = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ do: fc.constantFrom("think" as const, "say" as const), text, who }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constantFrom("call" as const, "fail" as const, "ask" as const), who }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("spawn" as const) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("steer" as const) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("crash" as const) }) },
  ),
  { maxLength: 25 },
);

const points = (s: string) => [...s].length;

/** The events of a script, as a server would send them. */
export function logOf(script: Action[]): ServerEvent[] {
  const log: ServerEvent[] = [];
  let clock = 0;
  let ids = 0;
  let attempt = 1;
  const children: string[] = [];
  const unheard: Steering[] = [];
  const open = new Map<string, { step: string; sent: { text: number; thinking: number } }>();
  const tick = () => `2026-01-01T00:00:00.${String(++clock).padStart(6, "0")}Z`;
  const base = (run: string) => ({
    run_id: run,
    root_run_id: "root",
    conversation_id: "c",
    agent_path: run === "root" ? "main" : `main/${run}`,
    time: tick(),
  });
  const runOf = (id: string, status: Run["status"]): Run => ({
    id,
    conversation_id: "c",
    root_run_id: "root",
    parent_run_id: id === "root" ? null : "root",
    status,
  });
  const turn = (run: string) => {
    if (!open.has(run)) open.set(run, { step: `step-${++ids}`, sent: { text: 0, thinking: 0 } });
    return open.get(run)!;
  };
  const runFor = (n: number) => (n === 0 ? "root" : (children[n - 1] ?? "root"));

  const user = { id: "m1", conversation_id: "c", role: "user" as const, text: "go", created_at: "" };
  log.push({ ...base("root"), type: "message.created", message: user });
  log.push({ ...base("root"), type: "run.queued", run: runOf("root", "queued") });
  log.push({ ...base("root"), type: "run.started", run: runOf("root", "running"), attempt });
  for (const action of script) {
    if (action.do === "think" || action.do === "say") {
      const run = runFor(action.who);
      const kind = action.do === "say" ? "text" : "thinking";
      const { step, sent } = turn(run);
      log.push({ ...base(run), type: `${kind}.delta`, step_id: step, offset: sent[kind], delta: action.text });
      sent[kind] += points(action.text);
    } else if (action.do === "spawn") {
      if (children.length === 2) continue;
      const id = `child-${++ids}`;
      children.push(id);
      log.push({ ...base(id), type: "agent.started", run: runOf(id, "running"), task_name: `task ${id}` });
    } else if (action.do === "steer") {
      unheard.push({ id: `said-${++ids}`, text: "wait", pending: true, created_at: "" });
      log.push({ ...base("root"), type: "run.message", message: unheard.at(-1)! });
    } else if (action.do === "crash") {
      // The root's unfinished turn is lost; the run starts again.
      const kept = log.length;
      attempt++;
      log.push({ ...base("root"), type: "run.started", run: runOf("root", "running"), attempt });
      const lost = open.get("root")?.step;
      open.delete("root");
      const snapshot = snapshotAfter(log, kept, lost)!;
      log.push({ ...snapshot, time: tick(), attempt });
    } else {
      const run = runFor(action.who);
      const call: ToolCall = { id: `call-${++ids}`, type: "function", function: { name: "t", arguments: "{}" } };
      log.push({ ...base(run), type: "tool_call.started", tool_call: call });
      if (action.do === "ask") {
        const approval: Approval = { id: `ask-${ids}`, tool_call: call, status: "pending" };
        log.push({ ...base(run), type: "approval.requested", approval });
        log.push({ ...base(run), type: "approval.resolved", approval: { ...approval, status: "approved" } });
      }
      const success = action.do !== "fail";
      log.push({
        ...base(run),
        type: "tool_call.finished",
        tool_call: { ...call, result: `{"success":${success}}`, success },
      });
      log.push({
        ...base(run),
        type: "usage",
        prompt_tokens: 2,
        completion_tokens: 1,
        total_tokens: 3,
        step_id: turn(run).step,
      });
      open.delete(run);
      if (run !== "root") continue;
      for (const message of unheard.splice(0))
        log.push({ ...base("root"), type: "run.message", message: { ...message, pending: false } });
    }
  }
  for (const id of children) {
    const run = { ...runOf(id, "completed" as const), response: `done ${id}` };
    log.push({
      ...base(id),
      type: "agent.finished",
      run,
      task_name: `task ${id}`,
      success: true,
      response: `done ${id}`,
    });
  }
  log.push({ ...base("root"), type: "run.finished", run: runOf("root", "completed") });
  return log;
}

/** The snapshot that a server would send after `count` events; null before the run is known. */
export function snapshotAfter(log: ServerEvent[], count: number, lostStep?: string): SnapshotEvent | null {
  const runs = new Map<string, { run: Run; steps: Step[]; calls: ToolCall[]; turns: Set<string> }>();
  const approvals = new Map<string, Approval>();
  let attempt = 0;
  let time = "";
  for (const event of log.slice(0, count)) {
    time = event.time;
    if (event.type === "snapshot") {
      // The lost turn is gone: start over from what the snapshot says.
      const root = runs.get("root")!;
      root.steps = [...(event.message?.steps ?? [])].map((s) => ({ ...s }));
      root.calls = [...(event.message?.tool_calls ?? [])];
      continue;
    }
    if ("run" in event && event.run) {
      const old = runs.get(event.run.id);
      const name = "task_name" in event ? event.task_name : undefined;
      const run = { ...old?.run, ...event.run, task_name: name ?? old?.run.task_name };
      runs.set(event.run.id, { steps: [], calls: [], turns: new Set(), ...old, run });
      if (event.type === "run.started") attempt = event.attempt ?? 1;
    }
    const at = runs.get(event.run_id);
    if (!at) continue;
    if (event.type === "text.delta" || event.type === "thinking.delta") {
      const type = event.type === "text.delta" ? "text" : "thinking";
      const step = at.steps.find((s) => s.step_id === event.step_id && s.type === type);
      if (step) step.text += event.delta;
      else at.steps.push({ index: at.steps.length, type, text: event.delta, step_id: event.step_id });
    } else if (event.type === "tool_call.started") {
      at.steps.push({ index: at.steps.length, type: "tool_call", id_ref: event.tool_call.id });
      at.calls.push(event.tool_call);
    } else if (event.type === "tool_call.finished") {
      at.steps.push({ index: at.steps.length, type: "tool_result", id_ref: event.tool_call.id });
      at.calls = at.calls.map((c) => (c.id === event.tool_call.id ? event.tool_call : c));
    } else if (event.type === "run.message") {
      const { id, text, pending } = event.message;
      const step = { index: 0, type: "user", text, id_ref: id, ...(pending ? { pending } : {}) };
      at.steps = [...at.steps.filter((s) => s.id_ref !== id), step];
    } else if (event.type === "usage") {
      const tokens = (at.run.usage?.total_tokens ?? 0) + event.total_tokens;
      at.run.usage = { prompt_tokens: (tokens / 3) * 2, completion_tokens: tokens / 3, total_tokens: tokens };
    } else if (event.type === "approval.requested") {
      approvals.set(event.approval.id, { ...event.approval, run_id: event.run_id });
    } else if (event.type === "approval.resolved") {
      approvals.delete(event.approval.id);
    }
  }
  const root = runs.get("root");
  if (!root) return null;
  const kept = root.steps.filter((s) => !lostStep || s.step_id !== lostStep);
  const steps = [...kept.filter((s) => !s.pending), ...kept.filter((s) => s.pending)].map((s, index) => ({
    ...s,
    index,
  }));
  const children = [...runs.values()]
    .filter((r) => r !== root)
    .map((r) => ({ ...r.run, steps: r.steps, tool_calls: r.calls }));
  const message = { id: "m2", conversation_id: "c", role: "assistant" as const, text: "", created_at: "" };
  return {
    type: "snapshot",
    run_id: "root",
    root_run_id: "root",
    agent_path: "main",
    time,
    attempt,
    run: { ...root.run, children },
    message: { ...message, steps, tool_calls: root.calls },
    approvals: [...approvals.values()],
  };
}
