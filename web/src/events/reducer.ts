/**
 * Events → state, as a pure function. The same log ends in the same state
 * wherever the connection was cut, whatever came twice, and with a snapshot in
 * between; the property test beside it holds that up.
 */
import type { Approval, Conversation, Message } from "@/api/types";
import { joinCall, joinDelta, joinProgress, joinRun, joinSteering } from "./run";
import { joinSnapshot } from "./snapshot";
import { emptyRun, type ConversationState, type LiveRun } from "./state";
import type { EventBase, ServerEvent } from "./types";

/** The state after an event of the same conversation. Unknown types change nothing. */
export function reduce(state: ConversationState, event: ServerEvent): ConversationState {
  switch (event.type) {
    case "message.created":
    case "message.completed":
      return withMessage(state, event.message);
    case "conversation.updated":
      return withConversation(state, event.conversation);
    case "run.queued":
    case "run.started":
      return withRun(state, event, (run) => joinRun(run, event.run, event.time, event.attempt ?? event.run.attempt));
    case "run.finished":
      return withRun(withTitle(state, event.title), event, (run) =>
        joinRun(run, { ...event.run, error: event.error ?? event.run.error }, event.time),
      );
    case "thinking.delta":
    case "text.delta": {
      const old = state.runs[event.run_id] ?? emptyRun(event.run_id, event.root_run_id);
      const next = joinDelta(old, event);
      if (next === null) return { ...state, stale: { ...state.stale, [event.root_run_id]: true } };
      return next === old ? state : { ...state, runs: { ...state.runs, [event.run_id]: next } };
    }
    case "tool_call.started":
      return withRun(state, event, (run) => joinCall(run, event.tool_call, event.time, false, event.step_id));
    case "tool_call.finished":
      return withRun(state, event, (run) => joinCall(run, event.tool_call, event.time, true, event.step_id));
    case "tool_call.progress":
      return withRun(state, event, (run) =>
        joinProgress(run, event.id, {
          message: event.message ?? "",
          fraction: event.fraction ?? null,
          time: event.time,
        }),
      );
    case "approval.requested":
    case "approval.resolved":
      return withApproval(state, event, event.approval);
    case "agent.started":
      return withRun(state, event, (run) =>
        joinRun(run, { ...event.run, task_name: event.task_name ?? event.run.task_name }, event.time),
      );
    case "agent.finished":
      return withRun(state, event, (run) =>
        joinRun(
          run,
          {
            ...event.run,
            task_name: event.task_name ?? event.run.task_name,
            response: event.response ?? event.run.response,
            incomplete: event.incomplete ?? event.run.incomplete,
            error: event.run.error ?? (event.error ? { code: "failed", message: event.error } : null),
          },
          event.time,
        ),
      );
    case "usage":
      return withRun(state, event, (run) => {
        const { prompt_tokens, completion_tokens, total_tokens, time } = event;
        const turn = { prompt_tokens, completion_tokens, total_tokens, time };
        return { ...run, turns: { ...run.turns, [event.step_id ?? time]: turn } };
      });
    case "model.retry":
      return withRun(state, event, (run) => ({
        ...run,
        retry: { error: event.error, try: event.try, max: event.max, at: event.retry_at },
      }));
    case "run.message":
      return withRun(state, event, (run) => joinSteering(run, event.message, event.time));
    case "snapshot":
      return joinSnapshot(state, event);
    default:
      return state;
  }
}

/** The state after its conversation was read or told; what is older than the known one changes nothing. */
export function withConversation(state: ConversationState, conversation: Conversation): ConversationState {
  return isNewer(conversation, state.conversation)
    ? { ...state, conversation: { ...state.conversation, ...conversation } }
    : state;
}

/** The state after a list of messages was read; what events already told stays. */
export function withMessages(state: ConversationState, list: Message[]): ConversationState {
  const messages = { ...state.messages };
  for (const message of list) messages[message.id] = message;
  return { ...state, messages };
}

function withMessage(state: ConversationState, message: Message): ConversationState {
  return { ...state, messages: { ...state.messages, [message.id]: message } };
}

/** The first turn of a conversation gives it a title. One that is there stays. */
function withTitle(state: ConversationState, title: string | undefined): ConversationState {
  if (!title || !state.conversation || state.conversation.title) return state;
  return { ...state, conversation: { ...state.conversation, title } };
}

function withRun(state: ConversationState, event: EventBase, join: (run: LiveRun) => LiveRun): ConversationState {
  const old = state.runs[event.run_id] ?? {
    ...emptyRun(event.run_id, event.root_run_id),
    agentPath: event.agent_path ?? "",
  };
  const next = join(old);
  return next === state.runs[event.run_id] ? state : { ...state, runs: { ...state.runs, [event.run_id]: next } };
}

function withApproval(state: ConversationState, event: EventBase, approval: Approval): ConversationState {
  const old = state.approvals[approval.id];
  if (old && old.status !== "pending") return state;
  const next: Approval = {
    run_id: event.run_id,
    root_run_id: event.root_run_id,
    agent_path: event.agent_path,
    created_at: event.time,
    ...old,
    ...approval,
  };
  return { ...state, approvals: { ...state.approvals, [approval.id]: next } };
}

function isNewer(a: { version?: number; updated_at: string }, b: { version?: number; updated_at: string } | null) {
  if (!b) return true;
  if (a.version !== undefined && b.version !== undefined) return a.version >= b.version;
  return a.updated_at >= b.updated_at;
}
