/** How a value of unknown shape is laid out: a word, a text, a list, a table, names with values, or JSON. */
import { record, type Arguments } from "./fields";

export type Layout =
  | { kind: "nothing" }
  | { kind: "word"; text: string; link: boolean }
  | { kind: "text"; text: string; language: string }
  | { kind: "words"; words: string[] }
  | { kind: "table"; columns: string[]; rows: unknown[][] }
  | { kind: "fields"; fields: [string, unknown][] };

/** Longer texts are cut: they are for the eye. */
const limit = 40_000;
/** What is nested deeper stays JSON, and so does a table of more columns. */
const deepest = 3;
const widest = 12;

const isScalar = (value: unknown) => value === null || typeof value !== "object";
const isWord = (value: unknown) => isScalar(value) && !/\n/.test(String(value)) && String(value).length <= 200;

function code(value: unknown, language: string): Layout {
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
  return { kind: "text", text: text.length > limit ? `${text.slice(0, limit)}\n…` : text, language };
}

function tableOf(rows: Arguments[]): Layout | null {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  if (columns.length > widest || rows.some((row) => Object.values(row).some((v) => !isScalar(v) && !isList(v))))
    return null;
  const cell = (value: unknown) => (isList(value) ? (value as unknown[]).join(", ") : value);
  return { kind: "table", columns: columns.map(labelOf), rows: rows.map((row) => columns.map((c) => cell(row[c]))) };
}

const isList = (value: unknown) => Array.isArray(value) && value.every(isScalar);

export function layoutOf(value: unknown, depth = 0): Layout {
  if (value === undefined || value === null || value === "") return { kind: "nothing" };
  if (isScalar(value)) {
    const text = String(value);
    return isWord(value) ? { kind: "word", text, link: /^https?:\/\/\S+$/i.test(text) } : code(text, "");
  }
  if (Array.isArray(value)) {
    if (!value.length) return { kind: "nothing" };
    if (value.every(isWord)) return { kind: "words", words: value.map(String) };
    const objects = value.every((item) => !isScalar(item) && !Array.isArray(item));
    return (objects && tableOf(value as Arguments[])) || code(value, "json");
  }
  const fields = Object.entries(record(value)).filter(([, v]) => layoutOf(v, depth + 1).kind !== "nothing");
  if (!fields.length) return { kind: "nothing" };
  return depth < deepest ? { kind: "fields", fields } : code(value, "json");
}

/** "utc_offset" → "utc offset". */
export const labelOf = (name: string) => name.replace(/_/g, " ").trim();

/** The object or list that a text holds as JSON; else undefined. */
export function jsonOf(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // It only begins like JSON.
    return undefined;
  }
}
