/**
 * Text → top-level blocks. While text streams in only its last block can still
 * change, so those before it are kept as they are (the same objects), and a new
 * piece costs the parsing of that last block, not of the whole text.
 */
import type { Token } from "markdown-it";
import { markdown } from "./parser";

/** Closes what a piece of text left open (`**bold`). Only streaming needs it, so it comes with the first such piece. */
let closeOpen: (text: string) => string = (text) => text;
let asked = false;

function tidy(text: string): string {
  if (!asked) {
    asked = true;
    import("remend").then((m) => (closeOpen = m.default)).catch(() => (asked = false));
  }
  return closeOpen(text);
}

export type Block =
  | { kind: "html"; key: number; html: string }
  | { kind: "code"; key: number; source: string; code: string; language: string; open: boolean };

export interface Blocks {
  text: string;
  list: Block[];
  /** Start of the last block in the text: what is before it is settled. */
  tail: number;
}

export const noBlocks: Blocks = { text: "", list: [], tail: 0 };

/** As many whole texts are kept: a row that comes into view again costs no parsing. */
const kept = 200;
const whole = new Map<string, Blocks>();

/** The blocks of a text to which nothing is added any more. */
export function blocksOfWhole(text: string, before: Blocks): Blocks {
  const known = whole.get(text);
  if (known) return known;
  const blocks = blocksOf(text, before, false);
  whole.set(text, blocks);
  const [oldest] = whole.keys();
  if (whole.size > kept && oldest !== undefined) whole.delete(oldest);
  return blocks;
}

/** The blocks of a text, on from those of an earlier piece of it. `open`: more is coming. */
export function blocksOf(text: string, before: Blocks, open: boolean): Blocks {
  const goesOn = text.startsWith(before.text) && before.list.length > 0;
  const from = goesOn ? before.tail : 0;
  const settled = goesOn ? before.list.slice(0, -1) : [];
  const piece = text.slice(from);
  const starts = lineStarts(piece);
  const list = [...settled];
  let tail = from;
  const tops = topLevel(piece);
  tops.forEach(({ first, last, fence }, i) => {
    const isTail = i === tops.length - 1;
    const source = piece.slice(starts[first], starts[last] ?? piece.length).trimEnd();
    const key = list.length;
    if (isTail) tail = from + starts[first]!;
    const old = goesOn && key < before.list.length ? before.list[key] : undefined;
    if (fence) {
      const closed = !isTail || !open || fence.closed;
      const next = { kind: "code" as const, key, source, code: fence.code, language: fence.language, open: !closed };
      list.push(old?.kind === "code" && old.source === source && old.open === next.open ? old : next);
    } else {
      const shown = isTail && open ? tidy(source) : source;
      const html = markdown.render(shown);
      list.push(old?.kind === "html" && old.html === html ? old : { kind: "html", key, html });
    }
  });
  return { text, list, tail };
}

/** Blocks in a group. */
const together = 16;

/** Blocks in groups; one whose blocks are the same objects as before is the same array as before. */
export function grouped(list: Block[], before: Block[][]): Block[][] {
  const groups: Block[][] = [];
  for (let i = 0; i < list.length; i += together) {
    const group = list.slice(i, i + together);
    const old = before[groups.length];
    const same = old?.length === group.length && group.every((block, at) => block === old[at]);
    groups.push(same ? old : group);
  }
  return groups;
}

interface Top {
  first: number;
  last: number;
  fence: { code: string; language: string; closed: boolean } | null;
}

function topLevel(text: string): Top[] {
  const tops: Top[] = [];
  for (const token of blockTokens(text)) {
    if (token.level !== 0 || token.nesting < 0 || !token.map) continue;
    const [first, last] = token.map;
    const isCode = token.type === "fence" || token.type === "code_block";
    const fence = isCode
      ? {
          code: token.content.replace(/\n$/, ""),
          language: token.info.trim().split(/\s+/)[0] ?? "",
          closed: token.type === "code_block" || isClosed(text, first, last, token.markup),
        }
      : null;
    const previous = tops.at(-1);
    // What stands between two blocks belongs to the first.
    if (previous) previous.last = first;
    tops.push({ first: tops.length === 0 ? 0 : first, last, fence });
  }
  const end = tops.at(-1);
  if (end) end.last = Number.MAX_SAFE_INTEGER;
  return tops;
}

/** The tokens of blocks alone: what stands in their lines is parsed once, when they are rendered. */
function blockTokens(text: string): Token[] {
  const tokens: Token[] = [];
  markdown.block.parse(text.replace(/\r\n?|\n/g, "\n").replace(/\0/g, "\uFFFD"), markdown, {}, tokens);
  return tokens;
}

function isClosed(text: string, first: number, last: number, markup: string): boolean {
  const lines = text.split("\n");
  return last - first > 1 && (lines[last - 1] ?? "").trim().startsWith(markup);
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let i = text.indexOf("\n"); i >= 0; i = text.indexOf("\n", i + 1)) starts.push(i + 1);
  return starts;
}
