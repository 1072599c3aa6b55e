import { pathOf, request, send } from "./client";
import type {
  Agent,
  AuditRow,
  ConfigChanged,
  Configuration,
  McpLogLine,
  McpServer,
  Me,
  Model,
  ModelProvider,
  ModelTest,
  ModelTestBody,
  Page,
  Tool,
  UsageRow,
} from "./types";

export const listModels = () => request<Page<Model>>("/models");
export const listTools = () => request<Page<Tool>>("/tools");
export const listAgents = () => request<Page<Agent>>("/agents");
export const listMcp = () => request<Page<McpServer>>("/mcp");
export const mcpLog = (name: string) => request<Page<McpLogLine>>(pathOf("mcp", name, "log"));
export const restartMcp = (name: string) => request<void>(pathOf("mcp", name, "restart"), { method: "POST" });
export const modelProviders = () => request<Page<ModelProvider>>("/models/providers");

/** Asks a model for one word: one of the list by its id, or one that is not configured yet. */
export const testModel = (json: ModelTestBody, signal?: AbortSignal) =>
  request<ModelTest>("/models/test", { method: "POST", json, signal });
export const me = () => request<Me>("/auth/me");

/** Tokens and cost by period; `since` is a day, empty for all. */
export function usage(period: "daily" | "weekly" | "monthly", group_by: "model" | "project" | "user", since: string) {
  return request<Page<UsageRow>>("/usage", { query: { period, group_by, since } });
}

export interface AuditQuery {
  tool?: string;
  user?: string;
  conversation?: string;
  outcome?: string;
  since?: string;
  until?: string;
  cursor?: string;
}

export function audit(query: AuditQuery) {
  return request<Page<AuditRow>>("/audit", { query: { ...query, limit: 100 } });
}

/** The audit as CSV, with the same filter. */
export async function auditCsv(query: AuditQuery): Promise<Blob> {
  const response = await send("/audit", { query: { ...query }, headers: { Accept: "text/csv" } });
  return response.blob();
}

/** The audit as one JSON object a line, newest first, with the same filter. */
export async function auditLines(query: AuditQuery): Promise<Blob> {
  const parts: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await request<Page<AuditRow>>("/audit", { query: { ...query, limit: 1000, cursor } });
    for (const row of page.items) parts.push(JSON.stringify(row) + "\n");
    cursor = page.next_cursor ?? undefined;
  } while (cursor);
  return new Blob(parts, { type: "application/x-ndjson" });
}

export interface ConfigAnswer {
  body: Configuration;
  etag: string;
}

export async function getConfig(): Promise<ConfigAnswer> {
  const response = await send("/config");
  return { body: (await response.json()) as Configuration, etag: response.headers.get("ETag") ?? "" };
}

/**
 * Changes keys of config.yml; with the etag a change made meanwhile is a `Problem` 412. A preview writes nothing: it answers
 * with what would be written, or with the same problem.
 */
export function changeConfig(changes: Record<string, unknown>, etag: string, preview = false) {
  return request<ConfigChanged>("/config", {
    method: "PUT",
    json: { changes, preview },
    headers: etag ? { "If-Match": etag } : {},
  });
}
