/** Two texts → lines to show, long stretches that are equal folded. */
import { diffLines } from "diff/lib/diff/line.js";

export interface DiffLine {
  kind: "same" | "added" | "removed" | "fold";
  text: string;
  /** Of a fold: how many equal lines it stands for. */
  folded?: number;
}

const context = 3;

export function diffOf(before: string, after: string): DiffLine[] {
  const lines: DiffLine[] = [];
  for (const part of diffLines(before, after)) {
    const kind = part.added ? "added" : part.removed ? "removed" : "same";
    for (const text of part.value.replace(/\n$/, "").split("\n")) lines.push({ kind, text });
  }
  return fold(lines);
}

function fold(lines: DiffLine[]): DiffLine[] {
  const near = lines.map((_, i) =>
    lines.slice(Math.max(0, i - context), i + context + 1).some((l) => l.kind !== "same"),
  );
  const out: DiffLine[] = [];
  lines.forEach((line, i) => {
    if (line.kind !== "same" || near[i]) out.push(line);
    else if (out.at(-1)?.kind === "fold") out.at(-1)!.folded!++;
    else out.push({ kind: "fold", text: "⋯", folded: 1 });
  });
  return out;
}
