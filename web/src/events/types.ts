import type {
  ApiError,
  Approval,
  Conversation,
  Message,
  Run,
  ServedEvent,
  Steering,
  Step,
  ToolCall,
} from "@/api/types";

/** What every event carries. `conversation_id` may be missing; then the run tells it. */
export interface EventBase {
  run_id: string;
  root_run_id: string;
  conversation_id?: string;
  agent_path: string;
  /** RFC 3339, UTC. */
  time: string;
}

interface Of<T extends string> extends EventBase {
  type: T;
}

export interface DeltaEvent extends Of<"thinking.delta" | "text.delta"> {
  step_id: string;
  /** Unicode code points of this type that were sent before in this step. */
  offset: number;
  delta: string;
}

/** What a sub-agent that is at work said and did so far. */
export interface AgentSteps {
  run_id: string;
  steps?: Step[] | null;
  tool_calls?: ToolCall[] | null;
}

export interface RunSnapshot {
  run?: Run | null;
  message?: Message | null;
  approvals?: Approval[] | null;
  agents?: AgentSteps[] | null;
  /** Runs whose models are waited for, by id. */
  retries?: Record<string, { error: ApiError | null; try: number; max: number; retry_at: string }> | null;
}

export interface SnapshotEvent extends Of<"snapshot">, RunSnapshot {
  attempt?: number;
  /** Of a whole conversation or user: all runs that are active, the one above among them. */
  runs?: RunSnapshot[] | null;
}

export type RunEvent = Of<"run.queued" | "run.started"> & { run: Run; attempt?: number };
export type ToolCallEvent = Of<"tool_call.started" | "tool_call.finished"> & { tool_call: ToolCall; step_id?: string };
/** A call of a tool that another program runs: shown as any call that has begun. */
export type WaitingEvent = Of<"tool_call.waiting"> & { id: string; name: string };
export type ProgressEvent = Of<"tool_call.progress"> & { id: string; message?: string; fraction?: number };
export type ApprovalEvent = Of<"approval.requested" | "approval.resolved"> & { approval: Approval };
export type MessageEvent = Of<"message.created" | "message.completed"> & { message: Message };
export type ConversationEvent = Of<"conversation.updated"> & { conversation: Conversation };
export type ConversationDeletedEvent = Of<"conversation.deleted">;
export type AgentStartedEvent = Of<"agent.started"> & { run: Run; task_name?: string };
export type AgentFinishedEvent = Of<"agent.finished"> & {
  run: Run;
  task_name?: string;
  success?: boolean;
  response?: string;
  error?: string;
  incomplete?: boolean;
};
export type UsageEvent = Of<"usage"> & {
  prompt_tokens: number;
  completion_tokens: number;
  total_tokens: number;
  model?: string;
  step_id?: string;
};
export type FinishedEvent = Of<"run.finished"> & { run: Run; error?: ApiError | null; title?: string };

/** A model call that failed before its first word: it is made again at `retry_at`. */
export type RetryEvent = Of<"model.retry"> & {
  error: ApiError | null;
  try: number;
  max: number;
  retry_at: string;
  model?: string;
  step_id?: string;
};

/** A message into a run at work; told again once the model gets it. */
export type SteeringEvent = Of<"run.message"> & { message: Steering };

/** How a background task is, told to the conversation that it was submitted in. */
export type TaskEvent = Of<"task.updated"> & { run: Run };

/** An event as it stands in the contract. */
export type ServerEvent =
  | MessageEvent
  | RunEvent
  | DeltaEvent
  | ToolCallEvent
  | ProgressEvent
  | WaitingEvent
  | ApprovalEvent
  | ConversationEvent
  | ConversationDeletedEvent
  | AgentStartedEvent
  | AgentFinishedEvent
  | UsageEvent
  | RetryEvent
  | SteeringEvent
  | SnapshotEvent
  | TaskEvent
  | FinishedEvent;

/** An event with its place in the stream. */
export interface StreamEvent {
  cursor: string;
  event: ServerEvent;
}

// The build fails here when the served events no longer fit what the reducer takes.
type Fits<T extends U, U> = T;
export type Checked = Fits<ServedEvent, ServerEvent>;
