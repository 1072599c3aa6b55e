/** Finds the conversation that an event belongs to. */
import type { ServerEvent } from "./types";

/** Remembers which root run belongs to which conversation, for events that name only the run. */
export function createRouter(): (event: ServerEvent) => string {
  const known = new Map<string, string>();
  return (event) => {
    const id = event.conversation_id || named(event) || known.get(event.root_run_id) || "";
    if (id && event.root_run_id) known.set(event.root_run_id, id);
    return id;
  };
}

function named(event: ServerEvent): string | undefined {
  if ("run" in event && event.run) return event.run.conversation_id;
  if ("message" in event && event.message && typeof event.message === "object")
    return "conversation_id" in event.message ? event.message.conversation_id : undefined;
  if ("conversation" in event) return event.conversation.id;
  if ("approval" in event) return event.approval.conversation_id ?? undefined;
  return undefined;
}
