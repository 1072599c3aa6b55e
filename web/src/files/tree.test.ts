import { describe, expect, it, vi } from "vitest";
import type { FileEntry } from "@/api/types";
import { useTree } from "./tree";

const answers: ((names: string[]) => void)[] = [];
vi.mock("@/api/projects", () => ({
  listFiles: () =>
    new Promise<FileEntry[]>((resolve) => {
      answers.push((names) => resolve(names.map((name) => ({ name, path: name, type: "file" }) as FileEntry)));
    }),
}));

describe("a tree of files", () => {
  // CH8: a file that was deleted does not come back with a listing from before.
  it("shows what was asked for last, in whatever order the answers come", async () => {
    const tree = useTree("p");
    const before = tree.load("");
    const after = tree.load("");
    answers[1]!(["kept.md"]);
    answers[0]!(["deleted.md", "kept.md"]);
    await Promise.all([before, after]);
    expect(tree.rows.value.map((row) => row.entry.path)).toEqual(["kept.md"]);
  });

  it("is in the order in which people count", async () => {
    const tree = useTree("p");
    const listed = tree.load("");
    answers.at(-1)!(["chapter-10.md", "Chapter-2.md", "chapter-1.md", "b.md"]);
    await listed;
    expect(tree.rows.value.map((row) => row.entry.name)).toEqual([
      "b.md",
      "chapter-1.md",
      "Chapter-2.md",
      "chapter-10.md",
    ]);
  });
});
