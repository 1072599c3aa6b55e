import { pathOf, request } from "./client";
import type { McpPrompt, McpPromptText, Page, Prompt, PromptSettings } from "./types";

/** Prompts of one's own and those that others share, last changed first. */
export const listPrompts = () => request<Page<Prompt>>("/prompts", { query: { limit: 200 } });

/** Makes a prompt, or changes the one with an id. */
export function savePrompt(json: PromptSettings, id = "") {
  return request<Prompt>(pathOf("prompts", ...(id ? [id] : [])), { method: id ? "PATCH" : "POST", json });
}

export const deletePrompt = (id: string) => request<void>(pathOf("prompts", id), { method: "DELETE" });

/** Prompts that the MCP servers offer. */
export const listMcpPrompts = () => request<Page<McpPrompt>>("/mcp/prompts");

/** The text of an MCP server's prompt, with a placeholder in the place of each argument. */
export async function textOfMcpPrompt(prompt: McpPrompt): Promise<string> {
  const args = Object.fromEntries(prompt.arguments.map(({ name }) => [name, `{{${name}}}`]));
  const path = pathOf("mcp", "prompts", prompt.server, prompt.name);
  const { messages } = await request<McpPromptText>(path, { method: "POST", json: { arguments: args } });
  return messages.map((message) => message.text).join("\n\n");
}
