import { describe, expect, it } from "vitest";
import type { Message } from "@/api/types";
import { emptyRun, emptyState, type ConversationState } from "@/events/state";
import { timeline } from "./timeline";

const message = (id: string, role: "user" | "assistant", parent: string, run = `run-${id}`): Message => ({
  id,
  conversation_id: "c",
  parent_id: parent || null,
  run_id: run,
  role,
  text: id,
  created_at: "",
});

function stateOf(messages: Message[], more: Partial<ConversationState> = {}): ConversationState {
  return { ...emptyState(), messages: Object.fromEntries(messages.map((m) => [m.id, m])), ...more };
}

/** Two versions of a question, the first with two answers. */
const tree = [
  message("1", "user", "", "r1"),
  message("2", "assistant", "1", "r1"),
  message("3", "assistant", "1", "r2"),
  message("4", "user", "", "r3"),
  message("5", "assistant", "4", "r3"),
];
const keys = (state: ConversationState, choice = {}) => timeline(state, choice, {}).map((r) => r.key);

describe("the rows of a conversation", () => {
  it("are the latest branch when nothing else is known", () => {
    expect(keys(stateOf(tree))).toEqual(["4", "r3"]);
  });

  it("follow the conversation's active branch", () => {
    const conversation = { id: "c", title: "", created_at: "", updated_at: "", active_leaf_id: "2" };
    expect(keys(stateOf(tree, { conversation }))).toEqual(["1", "r1"]);
  });

  it("follow a message that is newer than what is known of the conversation", () => {
    const times = ["01", "02", "05"].map((second) => `2026-01-01T00:00:${second}Z`);
    const messages = tree.slice(0, 3).map((m, i) => ({ ...m, created_at: times[i]! }));
    const conversation = {
      id: "c",
      title: "",
      created_at: "",
      updated_at: "2026-01-01T00:00:03Z",
      active_leaf_id: "2",
    };
    expect(keys(stateOf(messages, { conversation }))).toEqual(["1", "r2"]);
    // Known to be so since: a person went back to the first answer.
    expect(keys(stateOf(messages, { conversation: { ...conversation, updated_at: "2026-01-01T00:00:05Z" } }))).toEqual([
      "1",
      "r1",
    ]);
  });

  it("follow what a person chose, and name the other branches", () => {
    const rows = timeline(stateOf(tree), { "": "1", "1": "r2" }, {});
    expect(rows.map((r) => r.key)).toEqual(["1", "r2"]);
    expect(rows.map((r) => r.siblings)).toEqual([
      ["1", "4"],
      ["r1", "r2"],
    ]);
  });

  it("keep an answer's key from its first event to its stored message", () => {
    const question = message("1", "user", "", "r1");
    const run = { ...emptyRun("r1", "r1"), status: "running" as const };
    const before = timeline(stateOf([question], { runs: { r1: run } }), {}, {});
    const answer = message("2", "assistant", "1", "r1");
    const after = timeline(stateOf([question, answer], { runs: { r1: { ...run, status: "completed" } } }), {}, {});
    expect(before.map((r) => r.key)).toEqual(["1", "r1"]);
    expect(after.map((r) => r.key)).toEqual(["1", "r1"]);
  });

  it("show a run that answers an old question beside its first answer", () => {
    const run = { ...emptyRun("r9", "r9"), status: "running" as const, userMessageId: "1" };
    const rows = timeline(stateOf(tree.slice(0, 3), { runs: { r9: run } }), {}, {});
    expect(rows.map((r) => r.key)).toEqual(["1", "r9"]);
    expect(rows[1]?.siblings).toEqual(["r1", "r2", "r9"]);
  });

  it("leave out sub-agents and turns that wait for theirs", () => {
    const child = { ...emptyRun("child", "r1"), status: "running" as const };
    const waiting = { ...emptyRun("r8", "r8"), deferred: true };
    expect(keys(stateOf(tree.slice(0, 2), { runs: { child, r8: waiting } }))).toEqual(["1", "r1"]);
  });

  it("survive a parent that was deleted, and a circle", () => {
    expect(keys(stateOf([message("2", "assistant", "gone", "r1")]))).toEqual(["r1"]);
    expect(keys(stateOf([message("1", "user", "2"), message("2", "user", "1")]))).toEqual([]);
  });
});
