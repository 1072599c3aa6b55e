/** Which rows of a long list are in the page, and how high the gaps are that stand for the others. */

/** A row in the page, or the room of those that are not. Gaps keep their keys and their order, so that no row is moved. */
export type Slot = { kind: "row"; index: number } | { kind: "gap"; key: string; height: number };

export interface View {
  /** Pixels from the start of the list to the edges of what is shown, what is near included. */
  top: number;
  bottom: number;
  /** A row that stays although it is out of view: it has the focus. */
  pinned: number;
}

/** The slots for a view, from the first row to the last. `heights` has one entry a row. */
export function slotsFor(heights: readonly number[], { top, bottom, pinned }: View): Slot[] {
  const { first, end } = rangeOf(heights, top, bottom);
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

/** Rows that touch the stretch; at least one, the nearest, where there are any. */
function rangeOf(heights: readonly number[], top: number, bottom: number): { first: number; end: number } {
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
