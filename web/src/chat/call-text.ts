/** A tool call in words: what its one line says, what its result holds. */
import type { ToolCall } from "@/api/types";
import { shortLineOf } from "./visible";

export interface Outcome {
  success: boolean;
  data: unknown;
  error: string;
  code: string;
}

/** The arguments as an object; {} where they are not (yet) JSON. */
export function argumentsOf(call: ToolCall): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(call.function.arguments || "{}");
    return value !== null && typeof value === "object" && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : {};
  } catch {
    // The model wrote something else; it is shown as it is.
    return {};
  }
}

/** The result; null while there is none. */
export function outcomeOf(call: ToolCall): Outcome | null {
  if (!call.result) return null;
  try {
    const value = JSON.parse(call.result) as Record<string, unknown>;
    return {
      success: call.success ?? value.success === true,
      data: value.data,
      error: String(value.error ?? ""),
      code: String(value.code ?? ""),
    };
  } catch {
    return { success: call.success ?? false, data: call.result, error: "", code: "" };
  }
}

const telling = [
  "command",
  "path",
  "query",
  "expression",
  "url",
  "pattern",
  "from",
  "city",
  "sql",
  "agent",
  "operation",
  "code",
  "urls",
];

/** The argument that tells most, on one line on which nothing goes unseen; what is cut is counted. */
export function summaryOf(call: ToolCall): string {
  return mainOf(argumentsOf(call));
}

/** The argument that tells most, on one line; "" where there is none. */
export function mainOf(args: Record<string, unknown>): string {
  const key = telling.find((k) => args[k] !== undefined) ?? Object.keys(args)[0];
  if (!key) return "";
  const value = args[key];
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return shortLineOf(text, 160);
}

/** What a call is about, on one line: the argument that its look names, else the one that tells most. */
export function aboutOf(call: ToolCall, about?: string | ((args: Record<string, unknown>) => string)): string {
  if (about === undefined) return summaryOf(call);
  const args = argumentsOf(call);
  const value = typeof about === "string" ? args[about] : about(args);
  if (value === undefined || value === null) return "";
  return shortLineOf(typeof value === "string" ? value : JSON.stringify(value), 160);
}

/** JSON for people: indented; anything else as it is. */
export function pretty(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}

const writers = new Set(["file_write", "file_edit", "file_append", "file_delete", "file_move"]);

/** The paths that a call changed. */
export function touchedBy(call: ToolCall): string[] {
  if (!writers.has(call.function.name) || call.success === false) return [];
  const args = argumentsOf(call);
  return [args.path, args.to].filter((p): p is string => typeof p === "string").map((p) => p.replace(/^\.?\//, ""));
}

/** The name of a tool in plain letters: "mcp__github__create_issue" → "github: create issue". */
export function plainName(tool: string): string {
  const parts = tool.replace(/^mcp__/, "").split("__");
  const words = (part: string) => part.replace(/[_-]+/g, " ").trim();
  return parts.length > 1 ? `${words(parts[0]!)}: ${words(parts.slice(1).join(" "))}` : words(tool);
}
