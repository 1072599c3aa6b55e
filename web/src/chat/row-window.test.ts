import { describe, expect, it } from "vitest";
import { offsetOf, slotsFor, type Slot } from "./row-window";

const heights = [100, 50, 200, 100, 50];
const told = (slots: Slot[]) => slots.map((s) => (s.kind === "row" ? s.index : `+${s.height}`)).join(" ");

describe("the rows in the page", () => {
  it("are those that touch the view; gaps stand for the others", () => {
    expect(told(slotsFor(heights, { top: 120, bottom: 300, pinned: -1 }))).toBe("+100 +0 1 2 +0 +150");
    expect(told(slotsFor(heights, { top: 0, bottom: 1000, pinned: -1 }))).toBe("+0 +0 0 1 2 3 4 +0 +0");
    expect(told(slotsFor([], { top: 0, bottom: 1000, pinned: -1 }))).toBe("+0 +0 +0 +0");
  });

  it("are never none: beyond the end it is the last one, above the start the first", () => {
    expect(told(slotsFor(heights, { top: 9000, bottom: 9900, pinned: -1 }))).toBe("+450 +0 4 +0 +0");
    expect(told(slotsFor(heights, { top: -900, bottom: -100, pinned: -1 }))).toBe("+0 +0 0 +0 +400");
  });

  it("keep the one with the focus, in its place", () => {
    expect(told(slotsFor(heights, { top: 360, bottom: 440, pinned: 0 }))).toBe("+0 0 +250 3 +0 +50");
    expect(told(slotsFor(heights, { top: 0, bottom: 90, pinned: 3 }))).toBe("+0 +0 0 +250 3 +50");
  });

  it("always add up to the height of all rows", () => {
    for (let top = -100; top < 700; top += 30)
      for (const pinned of [-1, 0, 2, 4]) {
        const slots = slotsFor(heights, { top, bottom: top + 120, pinned });
        const sum = slots.reduce((n, s) => n + (s.kind === "row" ? heights[s.index]! : s.height), 0);
        expect(sum).toBe(500);
        const order = slots.flatMap((s) => (s.kind === "row" ? [s.index] : []));
        expect(order).toEqual([...order].sort((a, b) => a - b));
      }
    expect(offsetOf(heights, 3)).toBe(350);
  });
});
