/** One open conversation: what it shows, and what a person can do with it. */
import { computed, reactive, toValue, type MaybeRefOrGetter } from "vue";
import { Problem } from "@/api/client";
import { deleteMessage, editAnswer, patchConversation } from "@/api/conversations";
import { renewConversations } from "@/api/queries";
import { cancelRun, continueRun, decide, regenerate, startRun, steerRun, upload } from "@/api/runs";
import type { Approval, Attachment, Decision, Message, Run } from "@/api/types";
import { emptyRun, hasEnded } from "@/events/state";
import { joinRun, joinSteering } from "@/events/run";
import { activeRun, deferredRuns, pendingApprovals } from "@/events/view";
import { i18n } from "@/i18n";
import { useLive } from "@/stores/live";
import { useToasts } from "@/stores/toasts";
import { dropUnsent, keepUnsent, unsentConversations, unsentOf, type Unsent } from "./outbox";
import { rowKey, subtree, timeline, type Choice, type Row } from "./timeline";
import { textOf } from "@/i18n/problem";

export interface Outgoing extends Unsent {
  /** Why it did not get through; "" while it is on its way. */
  failed: string;
  /** The server was not reached: it is sent again when it is. */
  later: boolean;
  /** The server takes no text of this length; a file it does. */
  tooLong?: boolean;
}

interface Memory {
  choice: Choice;
  /** Below which message a run of ours stands, until its message comes. */
  anchors: Record<string, string>;
  /** On their way or not sent, oldest first. */
  sending: Outgoing[];
  /** Files of messages that wait for their turn, by run: they come back with the text. */
  waiting: Record<string, Attachment[]>;
  stopping: Record<string, true>;
}

const memories = reactive(new Map<string, Memory>());

function memoryOf(id: string): Memory {
  if (!memories.has(id)) {
    // What an earlier page could not send is shown, and sent when a person or the next connection says so.
    const sending = unsentOf(id).map((one) => ({
      ...one,
      failed: i18n.global.t("chat.sentLater"),
      later: Date.now() - one.at < sentByItself,
    }));
    memories.set(id, { choice: {}, anchors: {}, sending, waiting: {}, stopping: {} });
  }
  return memories.get(id)!;
}

/** Milliseconds after which an unsent message waits for a person: later it would come as a surprise. */
const sentByItself = 3_600_000;

const shortestPause = 2_000;
const longestPause = 30_000;
let pause = shortestPause;
let retry: ReturnType<typeof setTimeout> | undefined;

/** Sends again what did not reach the server, in every conversation; called when there is a connection again. */
export function sendUnsent(): void {
  clearTimeout(retry);
  retry = undefined;
  for (const id of unsentConversations()) void useSession(id).resendLater();
}

/** Tries again after a while: where the events go on, nothing tells that a request would get through. */
function retryLater(): void {
  if (retry !== undefined) return;
  retry = setTimeout(sendUnsent, pause);
  pause = Math.min(2 * pause, longestPause);
}

export function useSession(conversation: MaybeRefOrGetter<string>) {
  const live = useLive();
  const toasts = useToasts();
  const { t } = i18n.global;
  const id = computed(() => toValue(conversation));
  const entry = computed(() => live.open(id.value));
  const memory = computed(() => memoryOf(id.value));
  const state = computed(() => entry.value.state.value);
  const rows = computed<Row[]>(() => timeline(state.value, memory.value.choice, memory.value.anchors));
  const active = computed(() => activeRun(state.value));
  const approvals = computed(() => pendingApprovals(state.value));
  const queued = computed(() => deferredRuns(state.value));
  const stopping = computed(() => active.value !== null && memory.value.stopping[active.value.id] === true);

  /** Puts the answer of a request into the state at once; the events say the same a moment later. */
  function adopt(run: Run, anchor: string): void {
    const { conversation_id: of } = run;
    if (anchor) memoryOf(of).anchors[run.id] = anchor;
    live.update(of, (s) => ({
      ...s,
      runs: { ...s.runs, [run.id]: joinRun(s.runs[run.id] ?? emptyRun(run.id, run.id), run, "") },
    }));
    // Its events may have been faster than this answer, its end included.
    const known = live.open(of).state.value.runs[run.id];
    const over = known !== undefined && hasEnded(known.status);
    if (!over && live.activity[of] !== "waiting") live.activity[of] = "running";
  }

  async function send(text: string, attachments: Attachment[], parent?: string | null): Promise<boolean> {
    const key = crypto.randomUUID?.() ?? String(Math.random());
    memory.value.sending.push({ text, attachments, key, parent, at: Date.now(), failed: "", later: false });
    return push(memory.value.sending.at(-1)!);
  }

  async function push(out: Outgoing): Promise<boolean> {
    // Another conversation may be in view when the answer comes.
    const at = id.value;
    const mine = memory.value;
    out.failed = "";
    out.later = false;
    keepUnsent(at, out);
    try {
      const run = await startRun(
        at,
        {
          text: out.text,
          attachments: out.attachments.length ? out.attachments : undefined,
          parent_message_id: out.parent,
          // A run that this page does not know of yet may be at work: another tab or person started it.
          on_busy: "queue",
        },
        out.key,
      );
      if (out.parent !== undefined) delete mine.choice[out.parent ?? ""];
      if ("command" in run) for (const approval of run.approvals) decided(approval, at);
      else {
        if (run.deferred && out.attachments.length) mine.waiting[run.id] = out.attachments;
        adopt(run, "");
      }
      discard(out, at);
      pause = shortestPause;
      void renewConversations();
      return true;
    } catch (error) {
      out.later = error instanceof Problem && (error.status === 0 || error.status >= 502);
      if (out.later) retryLater();
      out.tooLong = error instanceof Problem && error.status === 413;
      out.failed = out.later ? t("chat.sentLater") : out.tooLong ? t("chat.tooLong") : textOf(error);
      return false;
    }
  }

  /** Sends a text into the run at work; where that has ended meanwhile, as the next message. */
  async function steer(text: string): Promise<boolean> {
    const at = id.value;
    const run = active.value;
    if (!run) return send(text, []);
    const key = crypto.randomUUID?.() ?? String(Math.random());
    try {
      const message = await steerRun(run.id, text, key);
      live.update(at, (s) => {
        const known = s.runs[run.id];
        return known ? { ...s, runs: { ...s.runs, [run.id]: joinSteering(known, message, message.created_at) } } : s;
      });
      return true;
    } catch (error) {
      // A message that is too long is offered as a file there.
      if (error instanceof Problem && (error.status === 409 || error.status === 413))
        return useSession(at).send(text, []);
      toasts.fail(error);
      return false;
    }
  }

  /** Forgets a message: the server has it, or a person no longer wants it sent. */
  function discard(out: Outgoing, of = id.value): void {
    const { sending } = memoryOf(of);
    const at = sending.findIndex((one) => one.key === out.key);
    if (at >= 0) sending.splice(at, 1);
    dropUnsent(of, out.key);
  }

  /** Sends a message whose text is too long as a file. */
  async function sendAsFile(out: Outgoing): Promise<void> {
    const at = id.value;
    const file = new File([out.text], `${t("chat.pasted")}.txt`, { type: "text/plain" });
    out.failed = "";
    try {
      const { id: upload_id, name, content_type, size } = await upload(file);
      discard(out, at);
      await useSession(at).send("", [...out.attachments, { upload_id, name, content_type, size }], out.parent);
    } catch (error) {
      out.failed = textOf(error);
    }
  }

  async function resendLater(): Promise<void> {
    for (const out of memory.value.sending.filter((one) => one.later)) if (!(await push(out))) return;
  }

  async function stop(run = active.value?.id): Promise<void> {
    if (!run) return;
    const { stopping: mine } = memory.value;
    mine[run] = true;
    try {
      await cancelRun(run);
    } catch (error) {
      // It ended by itself in the meantime: nothing to tell.
      if (!(error instanceof Problem && error.status === 409)) toasts.fail(error);
    } finally {
      delete mine[run];
    }
  }

  /** Stops all: first what waits its turn, whose text it gives back, then what is at work. */
  async function stopAll(): Promise<{ text: string; attachments: Attachment[] }[]> {
    const waiting = [...queued.value];
    const back = waiting.map(({ id: run, text }) => ({ text, attachments: memory.value.waiting[run] ?? [] }));
    const at = active.value?.id;
    for (const run of waiting) await stop(run.id);
    await stop(at);
    return back;
  }

  async function again(message: Message, model?: string): Promise<void> {
    const { choice } = memory.value;
    try {
      const run = await regenerate(message.id, model);
      const question = message.role === "assistant" ? (message.parent_id ?? "") : message.id;
      delete choice[question];
      adopt(run, question);
    } catch (error) {
      notStarted(error);
    }
  }

  /** Goes on with a run that failed or was interrupted: what it did before is read first, then grows. */
  async function goOn(message: Message): Promise<void> {
    const at = id.value;
    try {
      adopt(await continueRun(message.run_id!), message.parent_id ?? "");
      live.update(at, (s) => ({ ...s, stale: { ...s.stale, [message.run_id!]: true } }));
    } catch (error) {
      notStarted(error);
    }
  }

  /** To a person the server's words, which name the run, say nothing. */
  function notStarted(error: unknown): void {
    if (error instanceof Problem && error.code === "run_active") toasts.info(t("chat.oneAtATime"));
    else toasts.fail(error);
  }

  async function changeAnswer(message: Message, text: string): Promise<boolean> {
    const at = id.value;
    const { choice } = memory.value;
    try {
      const changed = await editAnswer(message.id, text);
      delete choice[message.parent_id ?? ""];
      live.update(at, (s) => ({ ...s, messages: { ...s.messages, [changed.id]: changed } }));
      return true;
    } catch (error) {
      toasts.fail(error);
      return false;
    }
  }

  /** How many messages go with one that is deleted. */
  const below = (message: Message) => subtree(state.value.messages, message.id).size - 1;

  /** Decides on a call; gives what is wrong with arguments that the tool does not take. */
  async function settle(approval: Approval, decision: Decision): Promise<string> {
    const at = id.value;
    try {
      decided(await decide(approval.id, decision), at);
    } catch (error) {
      if (error instanceof Problem && error.status === 409) {
        toasts.info(t("approval.decided"));
        const status = error.body.state as Approval["status"] | undefined;
        if (status) decided({ ...approval, status }, at);
      } else if (error instanceof Problem && error.code === "invalid_arguments" && decision.arguments)
        return textOf(error);
      else toasts.fail(error);
    }
    return "";
  }

  function decided(approval: Approval, at: string): void {
    live.update(at, (s) => ({
      ...s,
      approvals: { ...s.approvals, [approval.id]: { ...s.approvals[approval.id], ...approval } },
    }));
  }

  /** Shows another branch at a row, and tells the server where the conversation now ends. */
  function choose(row: Row, step: number): void {
    const at = row.siblings.indexOf(row.key) + step;
    const key = row.siblings[at];
    const parent = row.message?.parent_id ?? "";
    if (!key) return;
    memory.value.choice[parent] = key;
    const leaf = rows.value.findLast((r) => r.message)?.message?.id;
    if (leaf) void patchConversation(id.value, { active_leaf_id: leaf }).catch(() => undefined);
  }

  async function remove(message: Message): Promise<void> {
    const at = id.value;
    try {
      await deleteMessage(at, message.id);
      live.update(at, (s) => {
        const gone = subtree(s.messages, message.id);
        const messages = Object.fromEntries(Object.entries(s.messages).filter(([key]) => !gone.has(key)));
        const runs = { ...s.runs };
        for (const key of gone) if (s.messages[key]?.role === "assistant") delete runs[rowKey(s.messages[key])];
        return { ...s, messages, runs };
      });
    } catch (error) {
      toasts.fail(error);
    }
  }

  return {
    id,
    entry,
    state,
    rows,
    active,
    approvals,
    queued,
    stopping,
    memory,
    send,
    steer,
    resend: push,
    sendAsFile,
    discard,
    resendLater,
    stop,
    stopAll,
    again,
    goOn,
    changeAnswer,
    below,
    settle,
    choose,
    remove,
  };
}

export type Session = ReturnType<typeof useSession>;
