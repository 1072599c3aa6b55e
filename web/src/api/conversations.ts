import { pathOf, request } from "./client";
import type { Conversation, ConversationPatch, Message, MessageList, Page, Tag } from "./types";

export function listConversations(query: {
  project_id?: string;
  archived?: boolean;
  tag?: string;
  q?: string;
  cursor?: string;
  limit?: number;
}) {
  return request<Page<Conversation>>("/conversations", { query });
}

/** The tags of conversations, by name. */
export const listTags = () => request<Page<Tag>>("/tags");

export function createConversation(body: ConversationPatch) {
  return request<Conversation>("/conversations", { method: "POST", json: body });
}

export function getConversation(id: string, signal?: AbortSignal) {
  return request<Conversation>(pathOf("conversations", id), { signal });
}

export function patchConversation(id: string, patch: ConversationPatch) {
  return request<Conversation>(pathOf("conversations", id), { method: "PATCH", json: patch });
}

/** Has a model name a conversation anew. */
export function retitleConversation(id: string) {
  return request<Conversation>(pathOf("conversations", id, "title"), { method: "POST" });
}

export function deleteConversation(id: string) {
  return request<void>(pathOf("conversations", id), { method: "DELETE" });
}

/** All messages of all branches, page by page, with the cursor to follow from. */
export async function allMessages(id: string, signal?: AbortSignal): Promise<{ items: Message[]; cursor: string }> {
  const items: Message[] = [];
  let page: string | undefined;
  let cursor = "";
  do {
    const list = await request<MessageList>(pathOf("conversations", id, "messages"), {
      query: { branch: "all", limit: 1000, cursor: page },
      signal,
    });
    items.push(...list.items);
    // The first page's cursor is the oldest, so nothing that came since is lost.
    cursor ||= list.events_cursor ?? "";
    page = list.next_cursor ?? undefined;
  } while (page);
  return { items, cursor };
}

export function deleteMessage(conversation: string, id: string) {
  return request<void>(pathOf("conversations", conversation, "messages", id), { method: "DELETE" });
}

/** Stores an answer with another text, beside the old one. */
export function editAnswer(message: string, text: string) {
  return request<Message>(pathOf("messages", message, "edit"), { method: "POST", json: { text } });
}

/** A conversation of its own with the messages up to this one. */
export function forkConversation(message: string) {
  return request<Conversation>(pathOf("messages", message, "fork"), { method: "POST", json: {} });
}

/** The address of an export, for a download link. */
export function exportUrl(id: string, format: "md" | "json"): string {
  return `/api/v1/conversations/${encodeURIComponent(id)}/export?format=${format}`;
}

export function importConversation(body: unknown) {
  return request<Conversation>("/conversations/import", { method: "POST", json: body });
}
