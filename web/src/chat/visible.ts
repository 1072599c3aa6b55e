/**
 * Text that a person decides on, so that nothing in it goes unseen: characters that draw nothing or reorder text,
 * and blanks that push the rest out of view, become marks.
 */

export interface Piece {
  text: string;
  /** What the text stands for instead of being shown. */
  mark?: { kind: "character"; code: string } | { kind: "blanks"; n: number } | { kind: "lines"; n: number };
}

/** As many blanks in a row are an indentation or a column; more hide what follows. */
const blanksShown = 40;
/** As many line breaks in a row separate paragraphs. */
const breaksShown = 4;

/**
 * Controls but tab and line feed, format characters (bidirectional controls, zero-width characters, tags), separators
 * other than the space, unassigned and private characters, lone surrogates, and what draws nothing though it is a
 * letter, a mark or a symbol.
 */
const unseen = String.raw`(?![\t\n ])[\p{C}\p{Z}\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\uffa0\ufe00-\ufe0f\u{e0100}-\u{e01ef}]`;
const special = new RegExp(
  `(?<lines>(?:[ \\t]*\\n){${breaksShown + 1},})|(?<blanks>[ \\t]{${blanksShown + 1},})|(?<character>${unseen})`,
  "gu",
);

/** Cuts a text into plain pieces and marks; joined, the pieces' texts are the text. */
export function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  for (const match of text.matchAll(special)) {
    if (match.index > at) pieces.push({ text: text.slice(at, match.index) });
    const [found] = match;
    at = match.index + found.length;
    const { lines, blanks } = match.groups!;
    if (lines) pieces.push({ text: found, mark: { kind: "lines", n: found.split("\n").length - 1 } });
    else if (blanks) pieces.push({ text: found, mark: { kind: "blanks", n: found.length } });
    else pieces.push({ text: found, mark: { kind: "character", code: codeOf(found) } });
  }
  if (at < text.length) pieces.push({ text: text.slice(at) });
  return pieces;
}

/** A file's name in which nothing reorders the letters: what ends in exe does not seem to end in pdf. */
export const nameOf = (name: string) => name.replace(/[\u202a-\u202e\u2066-\u2069]/g, "\ufffd");

/** One line of a text: white space in a row is one blank, unseen characters are written out. */
export function lineOf(text: string): string {
  return piecesOf(text.replace(/[ \t\r\n]+/g, " "))
    .map(({ text: plain, mark }) => (mark?.kind === "character" ? `⟨${mark.code}⟩` : plain))
    .join("");
}

/** As lineOf, but not longer than so many characters; what is left out is counted. */
export function shortLineOf(text: string, limit: number): string {
  const read = text.slice(0, 100 * limit);
  const line = lineOf(read);
  const left = Math.max(0, line.length - limit) + text.length - read.length;
  return left === 0 ? line : `${line.slice(0, limit).replace(/[\ud800-\udbff]$/, "")}… (+${left})`;
}

/** JSON whose unseen characters are written as escapes: for a field, which cannot show marks. */
export function escapedJson(json: string): string {
  return json.replace(new RegExp(unseen, "gu"), (found) =>
    [...Array(found.length).keys()].map((i) => `\\u${found.charCodeAt(i).toString(16).padStart(4, "0")}`).join(""),
  );
}

export interface Cut {
  head: Piece[];
  /** Characters between head and tail that are not shown. */
  hidden: number;
  tail: Piece[];
}

/** The beginning and the end of a text that is too long to be laid out at once; a mark counts as one character. */
export function cutOf(text: string, characters = 6000, lines = 200): Cut {
  const pieces = piecesOf(text);
  const head = some(pieces, { characters, lines }, beginning);
  const tail = some(rest(pieces, head).reverse(), { characters: characters / 4, lines: lines / 4 }, ending).reverse();
  return { head, hidden: text.length - sizeOf(head) - sizeOf(tail), tail };
}

const sizeOf = (pieces: Piece[]) => pieces.reduce((n, piece) => n + piece.text.length, 0);

/** What comes behind the pieces that were taken from the beginning, the last of them perhaps in part. */
function rest(pieces: Piece[], taken: Piece[]): Piece[] {
  const last = taken.at(-1);
  const cut = pieces[taken.length - 1];
  const left = last && cut ? cut.text.slice(last.text.length) : "";
  return [...(left ? [{ text: left }] : []), ...pieces.slice(taken.length)];
}

/** Pieces in their order until the budget is used up. */
function some(pieces: Piece[], budget: { characters: number; lines: number }, part: typeof beginning): Piece[] {
  const taken: Piece[] = [];
  for (const piece of pieces) {
    if (budget.characters < 1 || budget.lines < 1) break;
    const text = piece.mark ? piece.text : part(piece.text, budget.characters, budget.lines);
    if (text) taken.push(piece.mark ? piece : { text });
    if (text.length < piece.text.length) break;
    budget.characters -= piece.mark ? 1 : text.length;
    budget.lines -= piece.mark ? 0 : text.split("\n").length - 1;
  }
  return taken;
}

/** At most so many characters and lines; a character's halves stay together. */
function beginning(text: string, characters: number, lines: number): string {
  let end = Math.min(text.length, Math.floor(characters));
  for (let n = 0, at = text.indexOf("\n"); at >= 0 && at < end; at = text.indexOf("\n", at + 1)) {
    if (++n >= lines) end = at + 1;
  }
  if (/[\ud800-\udbff]/.test(text[end - 1] ?? "") && /[\udc00-\udfff]/.test(text[end] ?? "")) end--;
  return text.slice(0, end);
}

function ending(text: string, characters: number, lines: number): string {
  let start = Math.max(0, text.length - Math.floor(characters));
  for (let n = 0, at = text.lastIndexOf("\n", text.length - 2); at >= start; at = text.lastIndexOf("\n", at - 1)) {
    if (++n >= lines) start = at + 1;
    if (n >= lines || at === 0) break;
  }
  if (/[\udc00-\udfff]/.test(text[start] ?? "") && /[\ud800-\udbff]/.test(text[start - 1] ?? "")) start++;
  return text.slice(start);
}

function codeOf(character: string): string {
  return `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`;
}
