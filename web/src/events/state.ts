import type { ApiError, Approval, Conversation, Message, RunStatus, ToolCall, Usage } from "@/api/types";

/** A piece of what a run showed, in the order in which it came. */
export interface LiveStep {
  /** Unique in its run and stable while it grows. */
  key: string;
  kind: "thinking" | "text" | "call" | "user";
  stepId: string;
  text: string;
  /** Unicode code points of `text`: what the next delta's offset must be. */
  length: number;
  callId: string;
  attempt: number;
  /** Times of the first and the last event; "" where nothing told. */
  startedAt: string;
  endedAt: string;
  /** Milliseconds that it took, where the server told. */
  took?: number;
  /** Of a person's message into the run: the model has not got it yet. */
  pending?: boolean;
}

export interface LiveCall {
  call: ToolCall;
  finished: boolean;
  /** It was asked for, and waits for its turn: what tells that it runs did not come yet. */
  queued: boolean;
  /** When it began to run, else when it was asked for. */
  startedAt: string;
  finishedAt: string;
  progress: { message: string; fraction: number | null; time: string } | null;
}

export interface Retry {
  error: ApiError | null;
  try: number;
  max: number;
  at: string;
}

export interface LiveRun {
  id: string;
  rootId: string;
  parentId: string;
  parentCallId: string;
  agent: string;
  agentPath: string;
  taskName: string;
  /** What was asked, of a run that waits for its turn. */
  text: string;
  deferred: boolean;
  /** The message that it answers. */
  userMessageId: string;
  /** Without waiting_approval, which follows from the pending approvals. */
  status: RunStatus;
  attempt: number;
  steps: LiveStep[];
  calls: Record<string, LiveCall>;
  /** Time of the last snapshot: a step that is not in it and not younger was taken back. */
  snapshotAt: string;
  /** The run's sum, as of `usageAt`. */
  usage: Usage;
  usageAt: string;
  /** Tokens of single model turns: those after `usageAt` count on top. */
  turns: Record<string, Usage & { time: string }>;
  error: ApiError | null;
  /** Why nothing comes until a time: the model's provider asked to wait, or does not answer. */
  retry: Retry | null;
  response: string;
  incomplete: boolean;
  createdAt: string;
  startedAt: string;
  finishedAt: string;
}

/** Everything that is known of one conversation. Treat it as immutable. */
export interface ConversationState {
  conversation: Conversation | null;
  messages: Record<string, Message>;
  runs: Record<string, LiveRun>;
  approvals: Record<string, Approval>;
  /** Root runs of which a delta is missing: a snapshot is needed. */
  stale: Record<string, true>;
}

export function emptyState(): ConversationState {
  return { conversation: null, messages: {}, runs: {}, approvals: {}, stale: {} };
}

export const noUsage: Usage = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };

export function emptyRun(id: string, rootId: string): LiveRun {
  return {
    id,
    rootId,
    parentId: "",
    parentCallId: "",
    agent: "",
    agentPath: "",
    taskName: "",
    text: "",
    deferred: false,
    userMessageId: "",
    status: "queued",
    attempt: 0,
    steps: [],
    calls: {},
    snapshotAt: "",
    usage: noUsage,
    usageAt: "",
    turns: {},
    error: null,
    retry: null,
    response: "",
    incomplete: false,
    createdAt: "",
    startedAt: "",
    finishedAt: "",
  };
}

const ended: ReadonlySet<string> = new Set(["completed", "failed", "cancelled", "interrupted"]);

/** Says whether a status is final (an interrupted run may start again, as a new attempt). */
export function hasEnded(status: RunStatus): boolean {
  return ended.has(status);
}
