/** Which rows of a long list are in the page, and how high the gaps are that stand for the others. */
import type { Row } from "./timeline";

/** A row in the page, or the room of those that are not. Gaps keep their keys and their order, so that no row is moved. */
export type Slot = { kind: "row"; index: number } | { kind: "gap"; key: string; height: number };

/** Rows from `first` to before `end`. */
export interface Range {
  first: number;
  end: number;
}

/** Pixels from the start of the list to the edges of what is shown. */
export interface View {
  top: number;
  bottom: number;
}

/** The slots where a range of rows is in the page, and `pinned` with it: a row that stays because it has the focus. */
export function slotsFor(heights: readonly number[], { first, end }: Range, pinned: number): Slot[] {
  const slots: Slot[] = [];
  let at = 0;
  const gap = (key: string, to: number) => {
    let height = 0;
    for (; at < to; at++) height += heights[at]!;
    slots.push({ kind: "gap", key, height });
  };
  const rows = (to: number) => {
    for (; at < to; at++) slots.push({ kind: "row", index: at });
  };
  const before = pinned >= 0 && pinned < first;
  const after = pinned >= end && pinned < heights.length;
  gap("gap above", before ? pinned : first);
  if (before) rows(pinned + 1);
  gap("gap before", first);
  rows(end);
  gap("gap after", after ? pinned : end);
  if (after) rows(pinned + 1);
  gap("gap below", heights.length);
  return slots;
}

/**
 * The rows to have in the page next. Those in view are there at once; those within `near` pixels of it come one by one,
 * the nearest first, so that a frame never waits for many; those beyond twice as far go.
 */
export function nextRange(heights: readonly number[], { top, bottom }: View, near: number, now: Range): Range {
  const shown = rangeOf(heights, top, bottom);
  const wanted = rangeOf(heights, top - near, bottom + near);
  const kept = rangeOf(heights, top - 2 * near, bottom + 2 * near);
  let first = Math.max(now.first, kept.first);
  let end = Math.min(now.end, kept.end);
  if (first > shown.end || end < shown.first) ({ first, end } = shown);
  first = Math.min(first, shown.first);
  end = Math.max(end, shown.end);
  const above = first - wanted.first;
  const below = wanted.end - end;
  if (above > 0 && above >= below) first--;
  else if (below > 0) end++;
  return { first, end };
}

/** Rows that touch the stretch; at least one, the nearest, where there are any. */
function rangeOf(heights: readonly number[], top: number, bottom: number): Range {
  let first = 0;
  let offset = 0;
  while (first < heights.length - 1 && offset + heights[first]! <= top) offset += heights[first++]!;
  let end = first;
  while (end < heights.length && (offset < bottom || end === first)) offset += heights[end++]!;
  return { first, end };
}

/** Pixels from the start of the list to a row. */
export function offsetOf(heights: readonly number[], index: number): number {
  let offset = 0;
  for (let i = 0; i < index; i++) offset += heights[i]!;
  return offset;
}

/** Characters in a line, and pixels of a line and of what surrounds the text, as most windows have them. */
const shape = { user: { wide: 62, line: 24, around: 44 }, assistant: { wide: 84, line: 26, around: 42 } };
const guesses = new WeakMap<object, number>();

/** The height of a row that was never shown, by its text. It stays the same until the row is measured. */
export function guessHeight({ kind, message }: Row): number {
  if (!message) return 240;
  let guess = guesses.get(message);
  if (guess === undefined) {
    const { wide, line, around } = shape[kind];
    let lines = 0;
    for (const part of message.text.split("\n")) lines += part === "" ? 0.5 : Math.ceil(part.length / wide);
    guesses.set(message, (guess = Math.round(around + lines * line)));
  }
  return guess;
}
