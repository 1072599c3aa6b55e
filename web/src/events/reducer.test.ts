import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { reduce } from "./reducer";
import { emptyState, type ConversationState } from "./state";
import { logOf, scriptArbitrary, snapshotAfter } from "./testlog";
import { pendingApprovals, usageOf } from "./view";
import type { ServerEvent } from "./types";

const play = (events: ServerEvent[], from = emptyState()) => events.reduce(reduce, from);

/** What a person sees; not which events told it. */
function visible(state: ConversationState) {
  return {
    messages: state.messages,
    stale: state.stale,
    waiting: pendingApprovals(state).map((a) => a.id),
    runs: Object.fromEntries(
      Object.values(state.runs).map((r) => [
        r.id,
        {
          status: r.status,
          error: r.error,
          parent: r.parentId,
          name: r.taskName,
          response: r.response,
          tokens: usageOf(r).total_tokens,
          steps: r.steps.map((s) => [s.kind, s.text, s.callId]),
          calls: Object.values(r.calls).map((c) => [c.call.id, c.finished, c.call.result ?? ""]),
        },
      ]),
    ),
  };
}

type Reduce = typeof reduce;
const playWith = (step: Reduce, events: ServerEvent[], from = emptyState()) => events.reduce(step, from);

/** Cut anywhere, and a few events again after each cut. */
const cutAndRepeated = (step: Reduce) =>
  fc.property(scriptArbitrary, fc.array(fc.tuple(fc.nat(), fc.nat()), { maxLength: 5 }), (script, cuts) => {
    const log = logOf(script);
    let state = emptyState();
    let at = 0;
    for (const [to, back] of [...cuts].sort((a, b) => (a[0] % log.length) - (b[0] % log.length))) {
      const end = Math.max(at, to % log.length);
      state = playWith(step, log.slice(at, end), state);
      at = Math.max(0, end - (back % 12)); // the resumed stream repeats a few
    }
    state = playWith(step, log.slice(at), state);
    expect(visible(state)).toEqual(visible(playWith(step, log)));
  });

/** Single events of the past come again, at any later time. */
const echoed = (step: Reduce) =>
  fc.property(
    scriptArbitrary,
    fc.array(fc.tuple(fc.nat(), fc.nat()), { minLength: 1, maxLength: 6 }),
    (script, echoes) => {
      const log = logOf(script);
      const later = log.map((): ServerEvent[] => []);
      for (const [which, delay] of echoes) {
        const at = which % log.length;
        later[at + (delay % (log.length - at))]!.push(log[at]!);
      }
      const state = playWith(
        step,
        log.flatMap((event, i) => [event, ...later[i]!]),
      );
      expect(visible(state)).toEqual(visible(playWith(step, log)));
    },
  );

/** Everything before a snapshot was missed. */
const fromSnapshot = (step: Reduce) =>
  fc.property(scriptArbitrary, fc.nat(), fc.nat(), (script, cut, overlap) => {
    const log = logOf(script);
    const at = cut % (log.length + 1);
    // A new attempt and its snapshot are one moment for a server.
    fc.pre(log[at]?.type !== "snapshot");
    const snapshot = snapshotAfter(log, at);
    const rest = log.slice(Math.max(0, at - (overlap % 6)));
    const state = playWith(step, snapshot ? [snapshot, ...rest] : log);
    const whole = visible(playWith(step, log));
    // The user's own message comes with the list of messages, not with a snapshot.
    expect({ ...visible(state), messages: whole.messages }).toEqual(whole);
  });

/** A snapshot comes late, after events that it does not know. */
const lateSnapshot = (step: Reduce) =>
  fc.property(scriptArbitrary, fc.nat(), fc.nat(), (script, cut, ahead) => {
    const log = logOf(script);
    const at = cut % (log.length + 1);
    const snapshot = snapshotAfter(log, at);
    const seen = Math.min(log.length, at + (ahead % 10));
    const resumes = log.slice(at, seen).some((e) => e.type === "snapshot");
    fc.pre(snapshot !== null && !resumes && log[at]?.type !== "snapshot");
    const state = playWith(step, [...log.slice(0, seen), snapshot!, ...log.slice(seen)]);
    expect(visible(state)).toEqual(visible(playWith(step, log)));
  });

describe("the event reducer ends in the same state", () => {
  it("wherever the connection is cut and whatever comes twice", () =>
    fc.assert(cutAndRepeated(reduce), { numRuns: 1000 }));
  it("when single events come again at any later time", () => fc.assert(echoed(reduce), { numRuns: 1000 }));
  it("when everything before a snapshot was missed", () => fc.assert(fromSnapshot(reduce), { numRuns: 1000 }));
  it("when a snapshot comes late, after events that it does not know", () =>
    fc.assert(lateSnapshot(reduce), { numRuns: 1000 }));

  // Each of these is wrong in one thing; a property that could not see it would prove nothing.
  const broken: Record<string, [property: (step: Reduce) => fc.IProperty<never>, step: Reduce]> = {
    "appends text that came before": [
      cutAndRepeated as never,
      (state, event) => {
        const next = reduce(state, event);
        if (next !== state || event.type !== "text.delta") return next;
        const run = state.runs[event.run_id];
        return run
          ? {
              ...state,
              runs: {
                ...state.runs,
                [run.id]: { ...run, steps: run.steps.map((s) => ({ ...s, text: s.text + event.delta })) },
              },
            }
          : state;
      },
    ],
    "takes an ended run back to work": [
      echoed as never,
      (state, event) => {
        const next = reduce(state, event);
        const run = next.runs[event.run_id];
        return event.type === "run.started" && run
          ? { ...next, runs: { ...next.runs, [run.id]: { ...run, status: "running" } } }
          : next;
      },
    ],
    "asks again about what was decided": [
      echoed as never,
      (state, event) => {
        const next = reduce(state, event);
        return event.type === "approval.requested"
          ? { ...next, approvals: { ...next.approvals, [event.approval.id]: { ...event.approval, run_id: "nobody" } } }
          : next;
      },
    ],
    "does not read snapshots": [
      fromSnapshot as never,
      (state, event) => (event.type === "snapshot" ? state : reduce(state, event)),
    ],
    "believes a snapshot more than what came since": [
      lateSnapshot as never,
      (state, event) =>
        event.type === "snapshot" ? { ...reduce(emptyState(), event), messages: state.messages } : reduce(state, event),
    ],
  };
  for (const [name, [property, step]] of Object.entries(broken)) {
    it(`and one that ${name} is found out`, () => {
      expect(fc.check(property(step), { numRuns: 3000, seed: 1 }).failed).toBe(true);
    });
  }

  it("and asks for a snapshot when a piece of text is missing", () => {
    const base = { run_id: "r", root_run_id: "r", agent_path: "main", time: "t1", step_id: "s" };
    const state = play([
      { ...base, type: "text.delta", offset: 0, delta: "a😀" },
      { ...base, type: "text.delta", offset: 5, delta: "later" },
    ]);
    expect(state.stale).toEqual({ r: true });
    expect(state.runs.r?.steps[0]?.text).toBe("a😀");
    const run = { id: "r", conversation_id: "c", status: "running" as const };
    const steps = [{ index: 0, type: "text" as const, text: "a😀 1later", step_id: "s" }];
    const message = { id: "m", conversation_id: "c", role: "assistant" as const, text: "", created_at: "", steps };
    const mended = reduce(state, { ...base, type: "snapshot", run, message });
    expect(mended.stale).toEqual({});
    expect(mended.runs.r?.steps[0]?.text).toBe("a😀 1later");
  });

  it("and knows how long a stored thought took", () => {
    const run = { id: "r", root_run_id: "r", conversation_id: "c", status: "completed" as const };
    const message = {
      id: "m",
      conversation_id: "c",
      role: "assistant" as const,
      text: "",
      created_at: "",
      steps: [{ index: 0, type: "thinking" as const, text: "hm", step_id: "s", duration_ms: 4200 }],
    };
    const snapshot = {
      type: "snapshot",
      run_id: "r",
      root_run_id: "r",
      agent_path: "",
      time: "",
      run,
      message,
    } as unknown as ServerEvent;
    expect(play([snapshot]).runs.r?.steps.map((s) => [s.kind, s.took])).toEqual([["thinking", 4200]]);
  });

  it("and counts offsets in code points, not in UTF-16 units", () => {
    const base = { run_id: "r", root_run_id: "r", agent_path: "main", time: "t1", step_id: "s" };
    const state = play([
      { ...base, type: "text.delta", offset: 0, delta: "算😀" },
      { ...base, type: "text.delta", offset: 1, delta: "😀式" },
      { ...base, type: "text.delta", offset: 3, delta: "!" },
    ]);
    expect(state.runs.r?.steps[0]?.text).toBe("算😀式!");
  });
});
