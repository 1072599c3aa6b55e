import { describe, expect, it } from "vitest";
import { jsonOf, labelOf, layoutOf } from "./values";

describe("values of unknown shape", () => {
  it("are words, links, lists and texts", () => {
    expect(layoutOf(false)).toEqual({ kind: "word", text: "false", link: false });
    expect(layoutOf("https://example.org/a")).toMatchObject({ kind: "word", link: true });
    expect(layoutOf("javascript:alert(1)")).toMatchObject({ kind: "word", link: false });
    expect(layoutOf(["bug", "ui"])).toEqual({ kind: "words", words: ["bug", "ui"] });
    expect(layoutOf("a\nb")).toEqual({ kind: "text", text: "a\nb", language: "" });
    expect(layoutOf([])).toEqual({ kind: "nothing" });
  });

  it("become a table where all items are flat", () => {
    const rows = [
      { id: 1, tags: ["a", "b"] },
      { id: 2, due_on: "today" },
    ];
    expect(layoutOf(rows)).toEqual({
      kind: "table",
      columns: ["id", "tags", "due on"],
      rows: [
        [1, "a, b", undefined],
        [2, undefined, "today"],
      ],
    });
    expect(layoutOf([{ a: { b: 1 } }])).toMatchObject({ kind: "text", language: "json" });
  });

  it("keep JSON for what is nested deeply, and leave out what is empty", () => {
    const fields = layoutOf({ a: 1, none: null, empty: {} });
    expect(fields).toEqual({ kind: "fields", fields: [["a", 1]] });
    expect(layoutOf({ a: 1 }, 3)).toMatchObject({ kind: "text", language: "json" });
  });

  it("are cut for the eye", () => {
    const layout = layoutOf("x".repeat(50_000));
    expect(layout.kind === "text" && layout.text.length).toBe(40_002);
  });

  it("are read from texts that are JSON", () => {
    expect(jsonOf(' {"a":1}')).toEqual({ a: 1 });
    expect(jsonOf("[link](x) text")).toBeUndefined();
    expect(jsonOf("42")).toBeUndefined();
    expect(labelOf("utc_offset")).toBe("utc offset");
  });
});
