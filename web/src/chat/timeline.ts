/** The rows of a conversation: one branch of its tree, with what is at work at its end. */
import type { Message } from "@/api/types";
import { hasEnded, type ConversationState, type LiveRun } from "@/events/state";

export interface Row {
  /** Stable from the first event of a run to its stored message. */
  key: string;
  kind: "user" | "assistant";
  message: Message | null;
  run: LiveRun | null;
  /** Keys of the rows that stand at the same place in other branches, this one included. */
  siblings: string[];
}

/** Which child was chosen below which message ("" is above the first). */
export type Choice = Record<string, string>;

/**
 * Walks from the first message to the end of the branch: the chosen child, else the
 * one that leads to the conversation's active leaf, else the latest.
 */
export function timeline(state: ConversationState, choice: Choice, anchors: Record<string, string>): Row[] {
  const below = childrenByParent(state, anchors);
  const active = pathTo(state, activeLeaf(state));
  const rows: Row[] = [];
  const seen = new Set<string>();
  let parent = "";
  for (;;) {
    const options: Row[] = below.get(parent) ?? [];
    if (options.length === 0) return rows;
    const picked: Row =
      options.find((r) => r.key === choice[parent]) ??
      options.find((r) => r.run && !r.message && !hasEnded(r.run.status)) ??
      options.find((r) => r.message && active.has(r.message.id) && choice[parent] === undefined) ??
      options.at(-1)!;
    if (seen.has(picked.key)) return rows;
    seen.add(picked.key);
    rows.push({ ...picked, siblings: options.map((r) => r.key) });
    if (!picked.message) return rows;
    parent = picked.message.id;
  }
}

/** The key of the row that shows a message: an answer goes by its run, which is there first. */
export function rowKey(message: Message): string {
  return message.role === "assistant" && message.run_id ? message.run_id : message.id;
}

/** What has to be chosen for the branch of a message to be in view. */
export function choiceTo(state: ConversationState, id: string): Choice {
  const choice: Choice = {};
  for (let at = state.messages[id]; at; at = state.messages[at.parent_id ?? ""]) {
    if ((at.parent_id ?? "") in choice) break; // a ring
    choice[at.parent_id ?? ""] = rowKey(at);
  }
  return choice;
}

/** The ids of a message and of all below it. */
export function subtree(messages: Record<string, Message>, id: string): Set<string> {
  const below = new Map<string, string[]>();
  for (const message of Object.values(messages)) {
    const parent = message.parent_id ?? "";
    below.set(parent, [...(below.get(parent) ?? []), message.id]);
  }
  const found = new Set([id]);
  for (const at of found) for (const child of below.get(at) ?? []) found.add(child);
  return found;
}

function childrenByParent(state: ConversationState, anchors: Record<string, string>): Map<string, Row[]> {
  const below = new Map<string, Row[]>();
  const add = (parent: string, row: Row) => {
    const list = below.get(parent);
    if (list) list.push(row);
    else below.set(parent, [row]);
  };
  const messages = Object.values(state.messages).sort((a, b) => (a.id < b.id ? -1 : 1));
  const answered = new Set<string>();
  const asked = new Map<string, string>();
  for (const message of messages) {
    const run = state.runs[message.run_id ?? ""] ?? null;
    if (message.role === "assistant" && message.run_id) answered.add(message.run_id);
    if (message.role === "user" && message.run_id) asked.set(message.run_id, message.id);
    // A parent that was deleted leaves its children at the top.
    const parent = message.parent_id && state.messages[message.parent_id] ? message.parent_id : "";
    add(parent, {
      key: rowKey(message),
      kind: message.role,
      message,
      run: message.role === "assistant" ? run : null,
      siblings: [],
    });
  }
  for (const run of Object.values(state.runs)) {
    if (run.id !== run.rootId || run.deferred || answered.has(run.id)) continue;
    const parent =
      anchors[run.id] ??
      (run.userMessageId in state.messages ? run.userMessageId : undefined) ??
      asked.get(run.id) ??
      messages.findLast((m) => m.role === "user")?.id;
    if (parent === undefined || (hasEnded(run.status) && run.steps.length === 0 && !run.error)) continue;
    add(parent, { key: run.id, kind: "assistant", message: null, run, siblings: [] });
  }
  return below;
}

/**
 * Where the conversation ends. What is known of it may be older than a message that
 * came since, whose branch is then the active one: each new message moves the end.
 */
function activeLeaf({ conversation, messages }: ConversationState): string {
  let newest: Message | undefined;
  for (const message of Object.values(messages)) if (!newest || message.id > newest.id) newest = message;
  if (newest && conversation && Date.parse(newest.created_at) > Date.parse(conversation.updated_at)) return newest.id;
  return conversation?.active_leaf_id ?? "";
}

function pathTo(state: ConversationState, leaf: string): Set<string> {
  const path = new Set<string>();
  for (let id = leaf; id && !path.has(id); id = state.messages[id]?.parent_id ?? "") path.add(id);
  return path;
}
