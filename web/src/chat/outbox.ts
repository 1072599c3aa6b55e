/**
 * Messages that are on their way or did not get through, kept in local storage until the server has taken them: neither a
 * reload nor an outage loses one. Each has a key, by which the server takes it once however often it is sent.
 */
import type { Attachment } from "@/api/types";

export interface Unsent {
  text: string;
  attachments: Attachment[];
  key: string;
  parent?: string | null;
  /** When it was first sent, in milliseconds. */
  at: number;
}

const prefix = "nanoclaw.unsent.";

/** What is kept of a conversation, oldest first. */
export function unsentOf(conversation: string): Unsent[] {
  try {
    const list = JSON.parse(localStorage.getItem(prefix + conversation) ?? "[]") as unknown;
    return Array.isArray(list) ? (list as Unsent[]) : [];
  } catch {
    // Closed or broken storage keeps nothing.
    return [];
  }
}

/** Conversations with unsent messages. */
export function unsentConversations(): string[] {
  try {
    return Object.keys(localStorage)
      .filter((key) => key.startsWith(prefix))
      .map((key) => key.slice(prefix.length));
  } catch {
    return [];
  }
}

export function keepUnsent(conversation: string, { text, attachments, key, parent, at }: Unsent): void {
  write(conversation, [
    ...unsentOf(conversation).filter((one) => one.key !== key),
    { text, attachments, key, parent, at },
  ]);
}

export function dropUnsent(conversation: string, key: string): void {
  write(
    conversation,
    unsentOf(conversation).filter((one) => one.key !== key),
  );
}

function write(conversation: string, list: Unsent[]): void {
  try {
    if (list.length) localStorage.setItem(prefix + conversation, JSON.stringify(list));
    else localStorage.removeItem(prefix + conversation);
  } catch {
    // Full or closed storage: the message is kept by the page alone.
  }
}
