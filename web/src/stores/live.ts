/**
 * Conversations as they are right now. Events come in from the hub, are gathered
 * until the next frame, and are reduced in one go, so that fast streams cost one
 * repaint. Also knows of every conversation, open or not, whether it is at work.
 */
import { defineStore } from "pinia";
import { reactive, ref, shallowRef, type ShallowRef } from "vue";
import { isMissing } from "@/api/client";
import { allMessages, getConversation, patchConversation } from "@/api/conversations";
import { renewConversations } from "@/api/queries";
import { getRun } from "@/api/runs";
import { openHub, type Hub } from "@/events/hub";
import { reduce, withConversation, withMessages } from "@/events/reducer";
import { createRouter } from "@/events/route";
import { emptyState, hasEnded, type ConversationState } from "@/events/state";
import { firstEvent, type Connection } from "@/events/stream";
import type { ApprovalEvent, ServerEvent, SnapshotEvent } from "@/events/types";

export type Activity = "running" | "waiting" | "done" | "failed";

export interface Entry {
  id: string;
  state: ShallowRef<ConversationState>;
  status: ShallowRef<"loading" | "ready" | "missing" | "failed">;
  error: ShallowRef<unknown>;
}

type Listener = (event: ServerEvent, conversation: string) => void;

export const useLive = defineStore("live", () => {
  const connection = ref<Connection>("connecting");
  /** What conversations do, by id; seen ones without work are left out. */
  const activity = reactive<Record<string, Activity>>({});
  /** Approvals that wait, by conversation. */
  const waiting = new Map<string, Set<string>>();
  const entries = new Map<string, Entry>();
  const listeners = new Set<Listener>();
  const conversationOf = createRouter();
  let queue: [string, ServerEvent][] = [];
  let scheduled = false;
  let hub: Hub | null = null;
  const mending = new Set<string>();
  let ready = false;
  let markReady: () => void = () => undefined;
  const flowing = new Promise<void>((resolve) => (markReady = resolve));

  function start(): void {
    hub ??= openHub({
      url: "/api/v1/events",
      onEvent: ({ event }) => accept(event),
      onState(state) {
        connection.value = state;
        if (state === "open") recover();
      },
      onReady: markReady,
    });
  }

  /** The server is there: what could not be read while it was not is read now. */
  function recover(): void {
    for (const entry of entries.values()) if (entry.status.value === "failed") void load(entry);
  }

  function accept(event: ServerEvent): void {
    const id = conversationOf(event);
    if (!id) {
      if (event.type === "snapshot") restart(event);
      return;
    }
    queue.push([id, event]);
    if (scheduled) return;
    scheduled = true;
    if (document.visibilityState === "visible") requestAnimationFrame(flush);
    else setTimeout(flush, 200);
  }

  /** The stream begins, or lost its place: what is at work is in the snapshot, what is open is read again. */
  function restart(event: SnapshotEvent): void {
    for (const run of event.runs ?? []) {
      if (!run.run) continue;
      const { id, conversation_id } = run.run;
      const asked = new Set(run.approvals?.map((a) => a.id));
      waiting.set(conversation_id, asked);
      activity[conversation_id] = asked.size || run.run.status === "waiting_approval" ? "waiting" : "running";
      accept({ ...event, ...run, runs: null, run_id: id, root_run_id: id, conversation_id });
    }
    if (ready) for (const entry of entries.values()) void load(entry);
    ready = true;
  }

  function flush(): void {
    scheduled = false;
    const batch = queue;
    queue = [];
    const touched = new Map<Entry, ConversationState>();
    for (const [id, event] of batch) {
      note(id, event);
      const entry = entries.get(id);
      if (entry) touched.set(entry, reduce(touched.get(entry) ?? entry.state.value, event));
    }
    for (const [entry, state] of touched) {
      entry.state.value = state;
      if (Object.keys(state.stale).length > 0) void mend(entry);
    }
    for (const [id, event] of batch) for (const listener of listeners) tell(listener, id, event);
  }

  /** What a listener makes of an event keeps no other one, and no chat, from it. */
  function tell(listener: Listener, id: string, event: ServerEvent): void {
    try {
      listener(event, id);
    } catch (error) {
      reportError(error);
    }
  }

  function note(id: string, event: ServerEvent): void {
    if (event.type === "conversation.deleted") return gone(id);
    if (event.type === "approval.requested" || event.type === "approval.resolved") return noteApproval(id, event);
    if (event.run_id !== event.root_run_id) return;
    if (event.type === "run.started") activity[id] = waiting.get(id)?.size ? "waiting" : "running";
    else if (event.type === "run.finished") {
      waiting.delete(id);
      activity[id] = event.run.status === "failed" ? "failed" : "done";
    }
  }

  /** Of several approvals the conversation waits until the last one is decided. */
  function noteApproval(id: string, { type, approval }: ApprovalEvent): void {
    const asked = waiting.get(id) ?? new Set();
    waiting.set(id, asked);
    if (type === "approval.requested") asked.add(approval.id);
    else asked.delete(approval.id);
    activity[id] = asked.size > 0 ? "waiting" : "running";
  }

  /** Somebody deleted the conversation: whoever has it open sees that. */
  function gone(id: string): void {
    waiting.delete(id);
    delete activity[id];
    const entry = entries.get(id);
    if (entry) entry.status.value = "missing";
  }

  /** Opens a conversation: what is known at once, the rest as it comes. */
  function open(id: string): Entry {
    let entry = entries.get(id);
    if (!entry) {
      entry = { id, state: shallowRef(emptyState()), status: shallowRef("loading"), error: shallowRef(null) };
      entries.set(id, entry);
      // A handful stay warm; the one that was opened longest ago gives way.
      if (entries.size > 12) entries.delete(entries.keys().next().value!);
      void load(entry);
    } else {
      entries.delete(id);
      entries.set(id, entry);
      if (entry.status.value === "failed") void load(entry);
    }
    return entry;
  }

  async function load(entry: Entry): Promise<void> {
    const heard = ready;
    try {
      await read(entry);
      entry.status.value = "ready";
      entry.error.value = null;
      if (!heard) await reread(entry);
      await mend(entry);
    } catch (error) {
      entry.error.value = error;
      entry.status.value = isMissing(error) ? "missing" : "failed";
    }
  }

  async function read(entry: Entry): Promise<void> {
    const [conversation, messages] = await Promise.all([getConversation(entry.id), allMessages(entry.id)]);
    entry.state.value = withMessages(withConversation(entry.state.value, conversation), messages.items);
  }

  /** What came before events flowed was heard by nobody: where the conversation has changed since, it is read again. */
  async function reread(entry: Entry): Promise<void> {
    const before = entry.state.value.conversation;
    await Promise.race([flowing, new Promise((resolve) => setTimeout(resolve, 3000))]);
    const now = await getConversation(entry.id);
    const same = (["version", "updated_at", "active_leaf_id", "active_run_id"] as const).every(
      (key) => before?.[key] === now[key],
    );
    if (!same) await read(entry);
  }

  /** Reads a snapshot of what is at work: after opening, and when a piece was missed. */
  async function mend(entry: Entry): Promise<void> {
    if (mending.has(entry.id)) return;
    mending.add(entry.id);
    try {
      const url = `/api/v1/conversations/${encodeURIComponent(entry.id)}/events`;
      const first = await firstEvent(url, AbortSignal.timeout(10_000));
      if (first?.event.type !== "snapshot") return;
      const told = first.event;
      entry.state.value = reduce(entry.state.value, told);
      const working = new Set([told.run?.id, ...(told.runs ?? []).map((r) => r.run?.id)]);
      const ended = Object.values(entry.state.value.runs).filter(
        (r) => r.id === r.rootId && !hasEnded(r.status) && !working.has(r.id),
      );
      for (const run of ended) await settle(entry, run.id);
    } catch (error) {
      console.warn("no snapshot", error);
    } finally {
      mending.delete(entry.id);
    }
  }

  /** Reads how a run ended of which the end was missed. */
  async function settle(entry: Entry, id: string): Promise<void> {
    const run = await getRun(id);
    const event = { run_id: id, root_run_id: id, agent_path: run.agent_path ?? "", time: new Date().toISOString() };
    entry.state.value = reduce(entry.state.value, { ...event, type: "snapshot", run });
  }

  /** Changes an open conversation by hand: what a request of ours has just answered. */
  function update(id: string, change: (state: ConversationState) => ConversationState): void {
    const entry = entries.get(id);
    if (entry) entry.state.value = change(entry.state.value);
  }

  /** Marks a conversation as looked at, here and, while the page is seen and may change it, for all devices. */
  function seen(id: string, readOnly: boolean): void {
    const ended = activity[id] === "done" || activity[id] === "failed";
    const conversation = entries.get(id)?.state.value.conversation;
    if (!readOnly && document.visibilityState === "visible" && (ended || conversation?.unread)) {
      update(id, (s) => (s.conversation ? { ...s, conversation: { ...s.conversation, unread: false } } : s));
      // A mark is no matter of life and death: the next look sets it.
      void patchConversation(id, { unread: false }).then(renewConversations, () => undefined);
    }
    if (activity[id] === "done" || activity[id] === "failed") delete activity[id];
  }

  function forget(id: string): void {
    entries.delete(id);
    delete activity[id];
  }

  function listen(listener: Listener): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }

  return { connection, activity, start, accept, open, update, seen, forget, listen };
});
