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
});
