import { describe, expect, it } from "vitest";
import { fuzzyGlob, misfit } from "./fuzzy";

describe("fuzzyGlob", () => {
  it("takes the letters in their order and in any case", () => {
    expect(fuzzyGlob("aB 1")).toBe("*[aA]*[bB]*1*");
    expect(fuzzyGlob("报告")).toBe("*报*告*");
    expect(fuzzyGlob("  ")).toBe("");
  });
  it("takes the signs of patterns as signs", () => {
    expect(fuzzyGlob("*[x]")).toBe("*\\**\\[*[xX]*\\]*");
    expect(fuzzyGlob("ß")).toBe("*ß*");
  });
});

it("ranks a name that begins with the text before one that only has its letters", () => {
  const paths = ["a/p/plain.md", "map.txt", "src/my-app.ts", "deep/below/app.py"];
  expect(paths.sort((a, b) => misfit(a, "app") - misfit(b, "app"))).toEqual([
    "deep/below/app.py",
    "src/my-app.ts",
    "map.txt",
    "a/p/plain.md",
  ]);
});
