/** Exports of other chats, as bodies of the import: ChatGPT's, Claude's and Open WebUI's lists of conversations. */

interface Said {
  id: string;
  parent_id?: string;
  role: "user" | "assistant";
  text: string;
  created_at?: string;
}

export interface ImportBody {
  format: "nanoclaw.conversation/1";
  conversation: {
    title: string;
    title_given: true;
    tools_enabled: true;
    active_leaf_id?: string;
    created_at?: string;
    updated_at?: string;
  };
  messages: Said[];
}

/** Says whether something is an export of this product. */
export const isOwnExport = (one: unknown) => isObject(one) && textOf(one.format).startsWith("nanoclaw.");

/** The conversations of a file of another chat, null for each that cannot be read; null: it is none of theirs. */
export function foreignExport(file: unknown): (ImportBody | null)[] | null {
  const list = Array.isArray(file) ? file : [file];
  const found = list.map((one) => (isObject(one) ? (ofChatGpt(one) ?? ofClaude(one) ?? ofOpenWebUi(one)) : null));
  if (found.every((one) => one === null)) return null;
  return found.filter((one) => one === null || one.messages.length > 0);
}

type Json = Record<string, unknown>;
const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const textOf = (value: unknown) => (typeof value === "string" ? value : "");

/** A time in seconds or as text, in the form of the API. */
function timeOf(value: unknown): string | undefined {
  const date = typeof value === "number" ? new Date(value * 1000) : new Date(textOf(value));
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

const roleOf = (value: unknown): Said["role"] | null =>
  value === "user" || value === "human" ? "user" : value === "assistant" ? "assistant" : null;

interface Node {
  id: string;
  parent: string;
  role: Said["role"] | null;
  text: string;
  time: unknown;
}

/** A conversation out of nodes; those that say nothing are left out, and what answers them answers their parent. */
function body(title: unknown, created: unknown, changed: unknown, leaf: unknown, nodes: Node[]): ImportBody {
  const all = new Map(nodes.map((node) => [node.id, node]));
  const kept = (id: string): string | undefined => {
    const seen = new Set<string>();
    let node = all.get(id);
    while (node && !(node.role && node.text) && !seen.has(node.id)) {
      seen.add(node.id);
      node = all.get(node.parent);
    }
    return node && node.role && node.text ? node.id : undefined;
  };
  const messages = nodes.flatMap((node): Said[] =>
    node.role && node.text
      ? [{ id: node.id, parent_id: kept(node.parent), role: node.role, text: node.text, created_at: timeOf(node.time) }]
      : [],
  );
  const active_leaf_id = kept(textOf(leaf)) ?? messages.at(-1)?.id;
  return {
    format: "nanoclaw.conversation/1",
    conversation: {
      title: textOf(title).slice(0, 200) || messages[0]?.text.slice(0, 80) || "",
      title_given: true,
      tools_enabled: true,
      active_leaf_id,
      created_at: timeOf(created),
      updated_at: timeOf(changed) ?? newestOf(messages) ?? timeOf(created),
    },
    messages: parentsFirst(messages),
  };
}

const newestOf = (messages: Said[]) =>
  messages
    .flatMap((one) => one.created_at ?? [])
    .sort()
    .at(-1);

/** The import wants a message after the one that it answers. */
function parentsFirst(messages: Said[]): Said[] {
  const below = new Map<string, Said[]>();
  for (const one of messages) below.set(one.parent_id ?? "", [...(below.get(one.parent_id ?? "") ?? []), one]);
  const sorted: Said[] = [];
  const waiting = [...(below.get("") ?? [])];
  for (let one = waiting.shift(); one; one = waiting.shift()) {
    sorted.push(one);
    waiting.push(...(below.get(one.id) ?? []));
  }
  return sorted;
}

/** conversations.json of ChatGPT: a tree of nodes by id, with the last one of the branch in view. */
function ofChatGpt(one: Json): ImportBody | null {
  if (!isObject(one.mapping)) return null;
  const nodes = Object.entries(one.mapping).map(([id, value]): Node => {
    const node = isObject(value) ? value : {};
    const message = isObject(node.message) ? node.message : {};
    const parts = isObject(message.content) && Array.isArray(message.content.parts) ? message.content.parts : [];
    const author = isObject(message.author) ? message.author.role : "";
    // What is said to a tool, and what the page does not show, is no part of the talk.
    const hidden =
      (message.recipient ?? "all") !== "all" ||
      (isObject(message.metadata) && message.metadata.is_visually_hidden_from_conversation === true);
    const text = parts
      .map((part) => (isObject(part) ? textOf(part.text) : textOf(part)))
      .filter(Boolean)
      .join("\n\n")
      .replace(/\ue200.*?\ue201/gs, "");
    return {
      id,
      parent: textOf(node.parent),
      role: roleOf(author),
      text: hidden ? "" : text.trim(),
      time: message.create_time,
    };
  });
  return body(one.title, one.create_time, one.update_time, one.current_node, nodes);
}

/** conversations.json of Claude: the messages in their order. */
function ofClaude(one: Json): ImportBody | null {
  if (!Array.isArray(one.chat_messages)) return null;
  const messages = one.chat_messages.filter(isObject);
  const known = new Set(messages.map((message) => message.uuid));
  const branches = messages.some((message) => textOf(message.parent_message_uuid) !== "");
  const nodes = messages.map((message, i): Node => {
    const parts = Array.isArray(message.content)
      ? message.content.filter(isObject).map((part) => textOf(part.text))
      : [];
    const above = branches ? message.parent_message_uuid : messages[i - 1]?.uuid;
    return {
      id: textOf(message.uuid) || `m${i}`,
      parent: known.has(above) ? textOf(above) || `m${i - 1}` : "",
      role: roleOf(message.sender),
      text: [parts.filter(Boolean).join("\n\n") || textOf(message.text), ...attachedTo(message)]
        .filter(Boolean)
        .join("\n\n")
        .trim(),
      time: message.created_at,
    };
  });
  return body(one.name, one.created_at, one.updated_at, one.current_leaf_message_uuid, nodes);
}

/** The texts of attached files, which Claude's export holds in place of the files. */
function attachedTo(message: Json): string[] {
  const list = Array.isArray(message.attachments) ? message.attachments.filter(isObject) : [];
  return list
    .filter((file) => textOf(file.extracted_content) !== "")
    .map((file) => `${textOf(file.file_name)}\n\n\`\`\`\`\n${textOf(file.extracted_content)}\n\`\`\`\``);
}

/** An export of Open WebUI: a history of messages by id below `chat`. */
function ofOpenWebUi(one: Json): ImportBody | null {
  const chat = isObject(one.chat) ? one.chat : one;
  const history = isObject(chat.history) ? chat.history : null;
  if (!history || !isObject(history.messages)) return null;
  const nodes = Object.entries(history.messages).map(([id, value]): Node => {
    const message = isObject(value) ? value : {};
    return {
      id,
      parent: textOf(message.parentId),
      role: roleOf(message.role),
      text: textOf(message.content)
        .replace(/<details type="(reasoning|tool_calls|code_interpreter)".*?<\/details>/gs, "")
        .trim(),
      time: message.timestamp,
    };
  });
  return body(one.title ?? chat.title, one.created_at, one.updated_at, history.currentId, nodes);
}
