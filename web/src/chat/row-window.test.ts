import { describe, expect, it } from "vitest";
import { guessHeight, nextRange, offsetOf, slotsFor, type Range, type Slot, type View } from "./row-window";
import type { Row } from "./timeline";

const heights = [100, 50, 200, 100, 50];
const told = (slots: Slot[]) => slots.map((s) => (s.kind === "row" ? s.index : `+${s.height}`)).join(" ");

/** All steps until nothing changes. */
function settled(view: View, near: number, from: Range = { first: 0, end: 0 }): Range {
  for (let now = from; ;) {
    const next = nextRange(heights, view, near, now);
    if (next.first === now.first && next.end === now.end) return now;
    now = next;
  }
}
const inView = (top: number, bottom: number, pinned = -1) =>
  told(slotsFor(heights, settled({ top, bottom }, 0), pinned));

describe("the rows in the page", () => {
  it("are those that touch the view; gaps stand for the others", () => {
    expect(inView(120, 300)).toBe("+100 +0 1 2 +0 +150");
    expect(inView(0, 1000)).toBe("+0 +0 0 1 2 3 4 +0 +0");
    expect(told(slotsFor([], nextRange([], { top: 0, bottom: 1000 }, 0, { first: 0, end: 0 }), -1))).toBe(
      "+0 +0 +0 +0",
    );
  });

  it("are never none: beyond the end it is the last one, above the start the first", () => {
    expect(inView(9000, 9900)).toBe("+450 +0 4 +0 +0");
    expect(inView(-900, -100)).toBe("+0 +0 0 +0 +400");
  });

  it("keep the one with the focus, in its place", () => {
    expect(inView(360, 440, 0)).toBe("+0 0 +250 3 +0 +50");
    expect(inView(0, 90, 3)).toBe("+0 +0 0 +250 3 +50");
  });

  it("come one by one where they are only near, the side that lacks more of them first", () => {
    const view = { top: 360, bottom: 400 };
    const first = nextRange(heights, view, 250, { first: 0, end: 0 });
    expect(first).toEqual({ first: 2, end: 4 });
    const second = nextRange(heights, view, 250, first);
    expect(second).toEqual({ first: 1, end: 4 });
    expect(settled(view, 250)).toEqual({ first: 1, end: 5 });
  });

  it("stay a while behind the view, and go when they are far", () => {
    expect(settled({ top: 460, bottom: 500 }, 60, { first: 1, end: 5 })).toEqual({ first: 2, end: 5 });
    expect(settled({ top: 0, bottom: 40 }, 20, { first: 3, end: 5 })).toEqual({ first: 0, end: 1 });
  });

  it("always add up to the height of all rows", () => {
    for (let top = -100; top < 700; top += 30)
      for (const pinned of [-1, 0, 2, 4]) {
        const slots = slotsFor(heights, settled({ top, bottom: top + 120 }, 0), pinned);
        const sum = slots.reduce((n, s) => n + (s.kind === "row" ? heights[s.index]! : s.height), 0);
        expect(sum).toBe(500);
        const order = slots.flatMap((s) => (s.kind === "row" ? [s.index] : []));
        expect(order).toEqual([...order].sort((a, b) => a - b));
      }
    expect(offsetOf(heights, 3)).toBe(350);
  });

  it("that were never shown are as high as their text is long", () => {
    const row = (text: string) => ({ kind: "assistant", message: { text } }) as Row;
    expect(guessHeight(row("one line"))).toBeLessThan(guessHeight(row("one line\n\nand another")));
    expect(guessHeight(row("word ".repeat(100)))).toBeGreaterThan(150);
  });
});
