import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cutOf, escapedJson, lineOf, nameOf, piecesOf, shortLineOf, type Piece } from "./visible";

const joined = (pieces: Piece[]) => pieces.map((p) => p.text).join("");
const marks = (text: string) => piecesOf(text).flatMap((p) => (p.mark ? [p.mark] : []));

describe("text that a person decides on", () => {
  it("marks characters that draw nothing or reorder text", () => {
    for (const c of [
      "\u202e",
      "\u2066",
      "\u200b",
      "\u200d",
      "\u00ad",
      "\ufeff",
      "\u0007",
      "\r",
      "\u001b",
      "\u0085",
      "\u00a0",
      "\u2028",
      "\u3164",
      "\u2800",
      "\u{e0041}",
      "\ufe0f",
      "\u034f",
      "\ue000",
    ]) {
      const code = c.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0");
      expect(piecesOf(`rm ${c}x`), code).toEqual([
        { text: "rm " },
        { text: c, mark: { kind: "character", code: `U+${code}` } },
        { text: "x" },
      ]);
    }
  });

  it("keeps the letters of a file's name in their order", () => {
    expect(nameOf("invoice\u202efdp.exe")).toBe("invoice\ufffdfdp.exe");
    expect(nameOf("❤️ שלום.txt")).toBe("❤️ שלום.txt");
  });

  it("leaves what is read as it stands", () => {
    const text = "if true; then\n\t\techo 'größer 多 日本語 🙂 é'  # ok\n\n        fi\n";
    expect(piecesOf(text)).toEqual([{ text }]);
  });

  it("counts blanks and empty lines that would push the rest out of view", () => {
    expect(marks(`rm old.txt${" ".repeat(3000)}; rm -rf /`)).toEqual([{ kind: "blanks", n: 3000 }]);
    expect(marks(`rm old.txt${"\n".repeat(3000)}rm -rf /`)).toEqual([{ kind: "lines", n: 3000 }]);
    expect(marks(`rm old.txt${" \n\t".repeat(500)}rm -rf /`)[0]).toEqual({ kind: "lines", n: 500 });
  });

  it("loses no character, and shows none that draws nothing", () => {
    const nasty = fc.string({
      unit: fc.constantFrom("a", " ", "\n", "\t", "\u202e", "\u200b", "多", "🙂", "\ud800", "\u0000"),
    });
    fc.assert(
      fc.property(nasty, fc.integer({ min: 1, max: 40 }), (text, limit) => {
        expect(
          piecesOf(text)
            .map((p) => p.text)
            .join(""),
        ).toBe(text);
        expect(lineOf(text)).not.toMatch(/[\u202e\u200b\u0000\n]/);
        const { head, hidden, tail } = cutOf(text, limit, 3);
        const [from, to] = [joined(head), joined(tail)];
        expect(text.startsWith(from) && text.endsWith(to) && from.length + hidden + to.length === text.length).toBe(
          true,
        );
        expect(shortLineOf(text, limit).includes("… (+") || shortLineOf(text, limit) === lineOf(text)).toBe(true);
      }),
    );
  });

  it("writes unseen characters of JSON as escapes that mean the same", () => {
    const value = { command: "rm \u202ecod.\u{e0041}x\u200b 🙂", path: "a\u00a0b" };
    const text = escapedJson(JSON.stringify(value, null, 2));
    expect(text).toContain('"rm \\u202ecod.\\udb40\\udc41x\\u200b 🙂"');
    expect(JSON.parse(text)).toEqual(value);
  });

  it("says how much it leaves out", () => {
    expect(cutOf("x".repeat(100_000)).hidden).toBe(100_000 - 6000 - 1500);
    expect(joined(cutOf("x\n".repeat(1000)).head).split("\n")).toHaveLength(201);
    expect(cutOf("short")).toEqual({ head: [{ text: "short" }], hidden: 0, tail: [] });
    expect(cutOf(`echo ok${"\n".repeat(5000)}rm -rf x`).hidden).toBe(0);
    expect(shortLineOf(`rm a${"b".repeat(200)}`, 160)).toMatch(/… \(\+44\)$/);
  });
});
