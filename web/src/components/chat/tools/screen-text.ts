/** What a terminal would show of an output: its colours as spans, lines that were drawn anew only once. */

export interface Span {
  text: string;
  /** Classes of the page for the colour and weight that the output asks for. */
  look: string;
}

const escape = "\u001b";
/** A change of colour is kept, any other control sequence draws nothing. */
const sequence = /\u001b(?:\[([0-?]*)[ -/]*([@-~])|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\-_])/g;
const unseen = /[\u0000-\u0007\u000b\u000e-\u001a\u001c-\u001f\u007f]/g;

const colours = ["text-faint", "text-danger", "text-good", "text-warn", "text-info", "text-plum", "text-accent", ""];

/** The output without control sequences; colours are changes that `spansOf` reads. */
function drawn(output: string): string {
  return output
    .replace(sequence, (whole, _: string, final?: string) => (final === "m" ? whole : ""))
    .replace(/\r+\n/g, "\n")
    .split("\n")
    .map((line) => line.replace(/\r+$/, "").split("\r").at(-1)!)
    .join("\n")
    .replace(/[^\n\b]\u0008/g, "")
    .replace(unseen, "")
    .replace(/\n+$/, "");
}

/** The text alone. */
export const screenText = (output: string) => drawn(output).replace(sequence, "");

interface Pen {
  colour: string;
  bold: boolean;
  dim: boolean;
  italic: boolean;
  underlined: boolean;
}
const plain: Pen = { colour: "", bold: false, dim: false, italic: false, underlined: false };

export function spansOf(output: string): Span[] {
  const text = drawn(output);
  if (!text.includes(escape)) return text ? [{ text, look: "" }] : [];
  const spans: Span[] = [];
  let pen = plain;
  let from = 0;
  const push = (to: number) => {
    if (to <= from) return;
    const look = lookOf(pen);
    const last = spans.at(-1);
    const piece = text.slice(from, to);
    if (last?.look === look) last.text += piece;
    else spans.push({ text: piece, look });
  };
  for (const found of text.matchAll(sequence)) {
    push(found.index);
    from = found.index + found[0].length;
    pen = turned(pen, found[1] ?? "");
  }
  push(text.length);
  return spans;
}

/** The pen after a sequence "Select Graphic Rendition" (ECMA-48, 8.3.117). */
function turned(pen: Pen, parameters: string): Pen {
  const codes = parameters.split(/[;:]/).map(Number);
  let next = { ...pen };
  for (let i = 0; i < codes.length; i++) {
    const code = codes[i]!;
    if (code === 0) next = { ...plain };
    else if (code === 1) next.bold = true;
    else if (code === 2) next.dim = true;
    else if (code === 3) next.italic = true;
    else if (code === 4) next.underlined = true;
    else if (code === 22) next.bold = next.dim = false;
    else if (code === 23) next.italic = false;
    else if (code === 24) next.underlined = false;
    else if (code === 39) next.colour = "";
    else if (code >= 30 && code <= 37) next.colour = colours[code - 30]!;
    else if (code >= 90 && code <= 97) next.colour = colours[code - 90]!;
    else if (code === 38 || code === 48) {
      // Of the 256 colours the first 16 are those above; any other has no word here.
      const isIndex = codes[i + 1] === 5;
      const index = codes[i + 2] ?? 16;
      if (code === 38) next.colour = isIndex && index < 16 ? colours[index % 8]! : "";
      i += isIndex ? 2 : 4;
    }
  }
  return next;
}

function lookOf(pen: Pen): string {
  return [
    pen.colour || (pen.dim ? "text-faint" : ""),
    pen.bold && "font-bold",
    pen.italic && "italic",
    pen.underlined && "underline",
  ]
    .filter(Boolean)
    .join(" ");
}
