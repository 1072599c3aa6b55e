import { describe, expect, it } from "vitest";
import { previewOf, rowLimit, tableOf } from "./preview";

describe("a preview", () => {
  it("reads quoted cells, line breaks in them, and both kinds of line ends", () => {
    expect(tableOf('a,b\r\n"1,2","say ""hi""\nthere"\n3,\n', ",")).toEqual([
      ["a", "b"],
      ["1,2", 'say "hi"\nthere'],
      ["3", ""],
    ]);
    expect(tableOf("a\tb", "\t")).toEqual([["a", "b"]]);
    expect(tableOf("", ",")).toEqual([]);
  });

  it("stops one row behind its limit", () => {
    expect(tableOf("x\n".repeat(5000), ",")).toHaveLength(rowLimit + 1);
  });

  it("goes by the file's name", () => {
    expect([previewOf("a/b.MD"), previewOf("x.csv"), previewOf("Makefile")]).toEqual(["markdown", "table", null]);
  });
});
