/**
 * The shapes of the HTTP contract, by the names that the page uses. All come out of
 * schema.ts, which is generated from the OpenAPI document that the server serves.
 * Times are RFC 3339 in UTC, ids are UUIDv7 texts.
 */
import type { components } from "./schema";

type Schemas = components["schemas"];

/** Of a shape only some fields are sure: an event or a stored message may tell a part of it. */
type Known<T, K extends keyof T> = Pick<T, K> & { [P in Exclude<keyof T, K>]?: T[P] | null };

/** One page of a list; `next_cursor` is null on the last one. */
export interface Page<T> {
  items: T[];
  next_cursor?: string | null;
}

export type Usage = Known<Schemas["Usage"], "prompt_tokens" | "completion_tokens" | "total_tokens">;
export type FunctionCall = Schemas["FunctionCall"];
/** A tool call everywhere; all but the first three appear when it has finished. */
export type ToolCall = Pick<Schemas["ToolCall"], "id" | "type" | "function"> & Partial<Schemas["ToolCall"]>;
/** With `data` a small one that travels inline, in base64. */
export type Attachment = Known<Schemas["NewAttachment"], never> & { name: string; content_type: string; size?: number };

export type StepType = "thinking" | "text" | "tool_call" | "tool_result" | "user";
export type Steering = Schemas["Steering"];
/** One line of what a message shows, in order. */
export type Step = Omit<Schemas["StepEntry"], "type"> & { type: StepType | (string & {}) };

export type Message = Known<
  Omit<Schemas["Message"], "attachments" | "steps" | "tool_calls" | "usage">,
  "id" | "conversation_id" | "role" | "text" | "created_at"
> & {
  attachments?: Attachment[] | null;
  steps?: Step[] | null;
  tool_calls?: ToolCall[] | null;
  usage?: Usage | null;
};
export type MessageList = Page<Message> & Pick<Schemas["Messages"], "events_cursor">;

export type RunStatus = Schemas["Run"]["status"];
export type ApiError = Schemas["Failure"];
export type Run = Known<
  Omit<Schemas["Run"], "children" | "tool_calls" | "usage" | "status" | "attempt" | "deferred" | "incomplete">,
  "id" | "conversation_id"
> & {
  status: RunStatus;
  attempt?: number;
  deferred?: boolean;
  incomplete?: boolean;
  usage?: Usage | null;
  children?: Run[] | null;
  /** What a sub-agent showed; a root run's stands in its message. */
  steps?: Step[] | null;
  tool_calls?: ToolCall[] | null;
};
export type StartRun = Omit<Schemas["StartRunInputBody"], "attachments"> & { attachments?: Attachment[] };

export type Conversation = Known<Schemas["Conversation"], "id" | "title" | "created_at" | "updated_at"> &
  Partial<
    Pick<
      Schemas["Conversation"],
      "tools_enabled" | "pinned" | "version" | "thinking" | "permission_mode" | "archived" | "unread"
    >
  > & {
    /** Of a search hit: the matching piece of the body. */
    snippet?: string;
    /** The message that it is of; none: the title was found. */
    message_id?: string;
  };
type Marks = Pick<Schemas["Conversation"], "pinned" | "archived" | "unread" | "permission_mode">;
/** What agents do in a conversation without asking. */
export type PermissionMode = Marks["permission_mode"];
/** What may be changed of a conversation. */
export type ConversationPatch = Omit<
  Schemas["PatchConversationInputBody"],
  keyof Marks | "title" | "thinking" | "tools_enabled" | "active_leaf_id"
> &
  Partial<Marks & Pick<Schemas["Conversation"], "title" | "thinking" | "tools_enabled" | "active_leaf_id">>;

export type Project = Schemas["Project"] & { conversation_count?: number };
export type FileEntry = Omit<Schemas["Entry"], "type"> & { type: "file" | "directory" | "symlink" | (string & {}) };
export type SearchHit = Schemas["Match"];
export type Upload = Schemas["Upload"];

export type Model = Schemas["Model"];
export type ModelProvider = Schemas["ModelProvider"];
export type ModelTest = Schemas["ModelTest"];
export type ModelTestBody = Omit<Schemas["TestModelInputBody"], "$schema">;
export type Tool = Schemas["Tool"];
export type McpServer = Schemas["MCPServer"];
export type McpLogLine = Schemas["MCPLogLine"];
export type Agent = Schemas["Agent"];
export type UsageRow = Schemas["UsageRow"];
export type AuditRow = Schemas["AuditLine"];
export type Configuration = Schemas["Configuration"];
export type ConfigKey = Schemas["ConfigKey"];
export type ConfigChange = Schemas["ConfigChange"];
export type ConfigChanged = Schemas["ConfigChanged"];
export type Me = Schemas["Me"];

export type Schedule = Schemas["Schedule"];
export type ScheduleSettings = Omit<Schemas["ScheduleSettings"], "$schema">;
export type Hook = Schemas["Hook"];
export type Tag = Schemas["Tag"];
export type Prompt = Schemas["Prompt"];
export type PromptSettings = Omit<Schemas["PromptSettings"], "$schema">;
export type McpPrompt = Schemas["MCPPrompt"];
export type McpPromptText = Schemas["MCPPromptText"];
export type HookSettings = Omit<Schemas["HookSettings"], "$schema">;
/** One time that a trigger was due, and what came of it. */
export type Firing = Schemas["Firing"];

export type Skill = Schemas["Skill"];
export type SkillDetail = Schemas["SkillDetail"];
export type ProjectMemory = Schemas["ProjectMemory"];
export type WorkspaceStatus = Schemas["WorkspaceStatus"];

export type Finding = Known<Schemas["Finding"], "message">;
export type ApprovalStatus = Schemas["Approval"]["status"];
export type ApprovalScope = NonNullable<Schemas["Approval"]["scope"]>;
/** What an approval for more than one call covers. */
export type Coverage = Schemas["Coverage"];
export type Approval = Omit<Known<Schemas["Approval"], "id">, "tool_call" | "findings" | "coverages" | "status"> & {
  tool_call: ToolCall;
  findings?: Finding[] | null;
  coverages?: Coverage[] | null;
  status: ApprovalStatus;
};
/** A standing approval: the calls that it covers do not ask again. */
export type ApprovalRule = Schemas["ApprovalRule"];
export type Decision = Schemas["DecideInputBody"];
/** What a message that was a command has decided. */
export interface Obeyed {
  command: "approve" | "deny";
  approvals: Approval[];
}

export type TrashEntry = Schemas["TrashItem"];
export type TrashOutcome = Schemas["TrashOutcome"];

/** What a run did to one file; `diff` is unified, `diff_omitted` says why there is none. */
export type FileChange = Schemas["Change"];
export type FileChanges = Schemas["FileChanges"];
export type Reverted = Schemas["Outcome"];

/** The served events must be ones that the reducer knows how to take. */
export type ServedEvent = Schemas["Event"];
