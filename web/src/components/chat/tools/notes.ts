/** A few words at the end of a call's line: how it ended, how many it found, what the answer is. */
import type { Outcome } from "@/chat/call-text";
import { diffOf } from "@/chat/diff";
import { list, record, text, type Arguments } from "./fields";
import { skyOf } from "./sky";

/** A few words beside a call's name, in the colour of what they tell. `key` with `values` is translated. */
export interface Note {
  tone: "good" | "warn" | "bad" | "plain";
  text?: string;
  key?: string;
  values?: Record<string, unknown>;
}

/** "exit 3" of a command that ended so; one without an exit status was not run to its end. */
export function exit(_: Arguments, outcome: Outcome | null): Note[] {
  const code = record(outcome?.data).exit_code;
  return typeof code === "number" && code !== 0 ? [{ tone: "bad", key: "tool.exit", values: { code } }] : [];
}

function changed(before: string, after: string): Note[] {
  const lines = diffOf(before, after);
  const notes: Note[] = [];
  const added = lines.filter((l) => l.kind === "added" && (l.text || after)).length;
  const removed = lines.filter((l) => l.kind === "removed" && (l.text || before)).length;
  if (added) notes.push({ tone: "good", text: `+${added}` });
  if (removed) notes.push({ tone: "bad", text: `−${removed}` });
  return notes;
}

/** Edits of more characters are not counted: the line has to be there at once. */
const countable = 20_000;

export function edited(args: Arguments, outcome: Outcome | null): Note[] {
  if (outcome?.success === false) return [];
  const [before, after] = [text(args.old_string), text(args.new_string)];
  return before.length + after.length > countable ? [] : changed(before, after);
}

export function written(args: Arguments, outcome: Outcome | null): Note[] {
  if (outcome?.success === false) return [];
  const content = text(args.content);
  const n = content.length > 0 ? content.replace(/\n$/, "").split("\n").length : 0;
  return n ? [{ tone: "good", text: `+${n}` }] : [];
}

export function counted(field: string, key: string) {
  return (_: Arguments, outcome: Outcome | null): Note[] => {
    const data = record(outcome?.data);
    const items = data[field];
    if (!outcome?.success || !Array.isArray(items)) return [];
    return [{ tone: "plain", key, values: { n: items.length } }];
  };
}

/** "3 of 5 done", where not all are. */
export function agents(_: Arguments, outcome: Outcome | null): Note[] {
  const results = list(record(outcome?.data).results);
  const done = results.filter((r) => r.success === true && r.incomplete !== true).length;
  if (!results.length) return [];
  return [{ tone: done < results.length ? "warn" : "plain", key: "call.doneOf", values: { done, n: results.length } }];
}

export function answer(_: Arguments, outcome: Outcome | null): Note[] {
  const { result } = record(outcome?.data);
  if (!outcome?.success || result === undefined || typeof result === "object") return [];
  return [{ tone: "plain", text: `= ${String(result).slice(0, 60)}` }];
}

export function degrees(_: Arguments, outcome: Outcome | null): Note[] {
  const { temperature, condition } = record(outcome?.data);
  if (typeof temperature !== "number") return [];
  const sky = skyOf(text(condition));
  return [
    { tone: "plain", text: `${Math.round(temperature)} °C` },
    ...(sky ? [{ tone: "plain" as const, key: `tool.sky.${sky}` }] : []),
  ];
}

export function there(_: Arguments, outcome: Outcome | null): Note[] {
  const { exists } = record(outcome?.data);
  return typeof exists === "boolean" ? [{ tone: "plain", key: exists ? "tool.exists" : "tool.missing" }] : [];
}

/** "17:41", where the clock of a place was read. */
export function clock(_: Arguments, outcome: Outcome | null): Note[] {
  const time = /T(\d\d:\d\d)/.exec(text(record(outcome?.data).time))?.[1];
  return time ? [{ tone: "plain", text: time }] : [];
}
