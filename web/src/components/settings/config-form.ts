/** The configuration as a form: fields out of the described keys, texts out of values and back. */
import type { Configuration } from "@/api/types";

type ConfigKey = Configuration["keys"][number];

export type FieldKind = "switch" | "choice" | "number" | "text" | "secret" | "lines" | "structure";

export interface ConfigField {
  key: string;
  kind: FieldKind;
  /** What is in force, as it stands in the field. */
  text: string;
  source: string;
  fallback: string;
  allowed: string[];
  /** Least and greatest value, as they would be typed; "" where there is none. */
  minimum: string;
  maximum: string;
  restart: boolean;
  doc: string;
}

export interface ConfigGroup {
  name: string;
  fields: ConfigField[];
}

/** The keys that can be set by themselves, in the file's order; what belongs to entries of a list is edited with its list. */
export function fieldsOf(config: Configuration): ConfigField[] {
  return config.keys
    .filter((k) => !/\[\]|</.test(k.path) && k.type !== "section")
    .map((k) => {
      const kind = kindOf(k);
      return {
        key: k.path,
        kind,
        text: textOf(valueAt(config.values, k.path), kind),
        source: sourceOf(config.sources, k.path),
        fallback: k.default,
        allowed: k.enum,
        minimum: bound(k.minimum, k.unit),
        maximum: bound(k.maximum, k.unit),
        restart: k.restart,
        doc: k.doc,
      };
    });
}

/** Fields by the first part of their key; keys without a second part stand together. */
export function groupsOf(fields: ConfigField[]): ConfigGroup[] {
  const groups = new Map<string, ConfigField[]>();
  for (const field of fields) {
    const name = field.key.includes(".") ? field.key.split(".")[0]! : "";
    groups.set(name, [...(groups.get(name) ?? []), field]);
  }
  return [...groups].map(([name, list]) => ({ name, fields: list }));
}

/** What a field's text means for the file; throws where it is not JSON and has to be. */
export function valueOf(field: Pick<ConfigField, "kind">, text: string): unknown {
  if (field.kind === "switch") return text === "true";
  if (field.kind === "number") return text.trim() !== "" && Number.isFinite(Number(text)) ? Number(text) : text;
  if (field.kind === "lines")
    return text
      .split("\n")
      .map((line) => line.trim())
      .filter((line) => line !== "");
  if (field.kind === "structure") return JSON.parse(text) as unknown;
  return text;
}

export interface Change {
  key: string;
  value: unknown;
}

/**
 * The keys that an edit changes, each by itself, so that nothing beside them is written: not the defaults that are shown
 * with it, nor a variable that stands for a value. null removes a key. Entries of a list are named by their id. A list
 * whose entries have none, or whose order changes, is written as a whole.
 */
export function changesOf(key: string, before: unknown, after: unknown): Change[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  const old = before ?? undefined;
  if (isMapping(old) && isMapping(after)) return changesIn(old, after, (name) => `${key}.${quoted(name)}`);
  const [was, is] = [byId(old), byId(after)];
  if (was && is) {
    const kept = Object.keys(was).filter((id) => id in is);
    const order = Object.keys(is).filter((id) => id in was);
    if (kept.every((id, i) => id === order[i])) return changesIn(was, is, (id) => `${key}[${id}]`);
  }
  return [{ key, value: after ?? null }];
}

function changesIn(
  before: Record<string, unknown>,
  after: Record<string, unknown>,
  keyOf: (name: string) => string,
): Change[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names.flatMap((name) => changesOf(keyOf(name), before[name], after[name]));
}

function isMapping(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

/** The entries of a list by their ids, in their order; null where an id does not name an entry in a key. */
function byId(value: unknown): Record<string, unknown> | null {
  if (!Array.isArray(value)) return null;
  const entries: [string, unknown][] = [];
  for (const item of value as unknown[]) {
    const id = isMapping(item) ? item.id : undefined;
    if (typeof id !== "string" || !/^[^\d\]][^\]]*$/.test(id) || entries.some(([known]) => known === id)) return null;
    entries.push([id, item]);
  }
  return Object.fromEntries(entries);
}

/** A name as a part of a dotted key. */
function quoted(name: string): string {
  return /^[^.[\]"' ]+$/.test(name) ? name : JSON.stringify(name);
}

function kindOf(key: ConfigKey): FieldKind {
  switch (key.type) {
    case "boolean":
      return "switch";
    case "list":
      return key.items === "text" && !key.secret ? "lines" : "structure";
    case "map":
    case "any":
      return "structure";
    case "integer":
    case "number":
      return "number";
    default:
      if (key.secret) return "secret";
      return key.enum.length > 0 ? "choice" : "text";
  }
}

const units = {
  s: [
    [86400, "d"],
    [3600, "h"],
    [60, "m"],
    [1, "s"],
    [0.001, "ms"],
  ],
  B: [
    [2 ** 40, "TiB"],
    [2 ** 30, "GiB"],
    [2 ** 20, "MiB"],
    [2 ** 10, "KiB"],
    [1, "B"],
  ],
} as const;

/** A bound in the largest unit that leaves a whole number. */
function bound(value: number | undefined, unit: ConfigKey["unit"]): string {
  if (value === undefined) return "";
  if (unit === "" || value === 0) return String(value);
  const fit = units[unit].find(([size]) => Number.isInteger(value / size));
  return fit ? `${value / fit[0]}${fit[1]}` : String(value);
}

function textOf(value: unknown, kind: FieldKind): string {
  if (value === undefined || value === null) return kind === "structure" ? "{}" : "";
  if (kind === "lines" && Array.isArray(value)) return value.join("\n");
  if (kind === "structure") return JSON.stringify(value, null, 2);
  return String(value);
}

function valueAt(tree: Record<string, unknown>, key: string): unknown {
  let at: unknown = tree;
  for (const name of key.split("."))
    at = at !== null && typeof at === "object" ? (at as Record<string, unknown>)[name] : undefined;
  return at;
}

/** Of a mapping: where the first of its entries comes from. */
function sourceOf(sources: Record<string, string>, key: string): string {
  return sources[key] ?? Object.entries(sources).find(([name]) => name.startsWith(`${key}.`))?.[1] ?? "default";
}
