/**
 * What is written and attached but not sent, by conversation. Each draft has a key of its own in local storage, so that
 * two tabs never overwrite each other's.
 */
import type { Attachment, Message } from "@/api/types";

export interface Draft {
  text: string;
  attachments: (Attachment & { problem?: string })[];
}

const prefix = "nanoclaw.draft.";

/** The draft that is to take the place of a message. */
export const editKey = (message: Pick<Message, "id"> | null) => `message.${message?.id}`;

export function draftOf(conversation: string): Draft {
  try {
    return parse(localStorage.getItem(prefix + conversation));
  } catch {
    // Closed storage keeps nothing.
    return parse(null);
  }
}

export function keepDraft(conversation: string, change: Partial<Draft>): void {
  const draft = { ...draftOf(conversation), ...change };
  try {
    if (draft.text || draft.attachments.length) localStorage.setItem(prefix + conversation, JSON.stringify(draft));
    else localStorage.removeItem(prefix + conversation);
  } catch {
    // Full or closed storage: the draft lasts as long as the page.
  }
}

/** `here`: in this tab, where a message came back; else another tab's. */
type Hearer = (conversation: string, draft: Draft, here: boolean) => void;
const hearers = new Set<Hearer>();

/** Hears what is not written in the box itself; gives what ends it. */
export function onDraft(hear: Hearer): () => void {
  const listen = ({ key, newValue }: StorageEvent) => {
    if (key?.startsWith(prefix)) hear(key.slice(prefix.length), parse(newValue), false);
  };
  addEventListener("storage", listen);
  hearers.add(hear);
  return () => {
    removeEventListener("storage", listen);
    hearers.delete(hear);
  };
}

/** Puts a text before what is written, wherever its box is. */
export function prependText(conversation: string, text: string): void {
  keepDraft(conversation, { text: [text, draftOf(conversation).text].filter(Boolean).join("\n\n") });
  for (const hear of hearers) hear(conversation, draftOf(conversation), true);
}

/** Puts a text behind what is written. */
export function appendText(conversation: string, text: string): void {
  keepDraft(conversation, { text: [draftOf(conversation).text.trimEnd(), text].filter(Boolean).join("\n\n") });
  for (const hear of hearers) hear(conversation, draftOf(conversation), true);
}

function parse(value: string | null): Draft {
  try {
    const { text, attachments } = JSON.parse(value ?? "{}") as Partial<Draft>;
    return { text: text ?? "", attachments: Array.isArray(attachments) ? attachments : [] };
  } catch {
    return { text: "", attachments: [] };
  }
}
