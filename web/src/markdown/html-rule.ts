/**
 * The few HTML tags that models write in text: line breaks, small letters, keys, comments, pictures in the text itself,
 * and what folds. Nothing else is HTML.
 */
import type { MarkdownIt, StateBlock, StateInline } from "markdown-it";

const pair = /^<(sub|sup|kbd|mark|ins|u|b|i|strong|em|s|del)>([\s\S]*?)<\/\1>/i;
const lineBreak = /^<br\s*\/?>/i;
const comment = /^<!--[\s\S]*?-->/;
/** A picture that comes with the text; one from elsewhere stays text. */
const picture = /^<img\s[^<>]*?src=(["'])(data:image\/[^"'<>]*)\1[^<>]*>/i;

export function html(md: MarkdownIt): void {
  md.inline.ruler.before("autolink", "html_tags", inline);
  md.block.ruler.before("paragraph", "details", details, { alt: ["paragraph"] });
}

function inline(state: StateInline, silent: boolean): boolean {
  if (state.src[state.pos] !== "<") return false;
  const rest = state.src.slice(state.pos, state.posMax);
  const ends = lineBreak.exec(rest);
  if (ends) {
    if (!silent) state.push("hardbreak", "br", 0);
    state.pos += ends[0].length;
    return true;
  }
  const unseen = comment.exec(rest);
  if (unseen) {
    state.pos += unseen[0].length;
    return true;
  }
  const drawn = picture.exec(rest);
  if (drawn && state.md.validateLink(drawn[2]!)) {
    if (!silent) {
      const image = state.push("image", "img", 0);
      image.attrs = [["src", drawn[2]!]];
      image.content = /\salt=(["'])([^"'<>]*)\1/i.exec(drawn[0])?.[2] ?? "";
      image.children = [];
    }
    state.pos += drawn[0].length;
    return true;
  }
  const found = pair.exec(rest);
  if (!found) return false;
  const [whole, name, inside] = found;
  const end = state.pos + whole.length;
  if (!silent) {
    const tag = name!.toLowerCase();
    const { posMax } = state;
    state.push(`${tag}_open`, tag, 1);
    state.pos += tag.length + 2;
    state.posMax = state.pos + inside!.length;
    state.md.inline.tokenize(state);
    state.posMax = posMax;
    state.push(`${tag}_close`, tag, -1);
  }
  state.pos = end;
  return true;
}

const lineOf = (state: StateBlock, n: number) =>
  state.src.slice(state.bMarks[n]! + state.tShift[n]!, state.eMarks[n]).trim();

/** From <details> to its </details>, or to the end while it has not come yet. What is inside is Markdown. */
function details(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  const begin = /^<details(?: open)?>\s*(.*)$/i.exec(lineOf(state, startLine));
  if (!begin) return false;
  if (silent) return true;
  let end = startLine;
  for (let depth = 0; end < endLine; end++) {
    const line = lineOf(state, end);
    depth += (line.match(/<details[\s>]/gi) ?? []).length - (line.match(/<\/details>/gi) ?? []).length;
    if (depth <= 0) break;
  }
  let from = startLine + 1;
  let head = begin[1]!;
  if (!head && from < end) head = lineOf(state, from++);
  const title = /<summary>([\s\S]*?)<\/summary>/i.exec(head);
  if (!title && !begin[1]) from--;
  const open = state.push("details_open", "details", 1);
  open.block = true;
  open.map = [startLine, Math.min(end + 1, endLine)];
  state.push("summary_open", "summary", 1);
  const words = state.push("inline", "", 0);
  words.content = title?.[1]?.trim() || "…";
  words.map = [startLine, startLine + 1];
  words.children = [];
  state.push("summary_close", "summary", -1);
  const { parentType, lineMax } = state;
  state.parentType = "blockquote";
  state.lineMax = end;
  if (from < end) state.md.block.tokenize(state, from, end);
  state.parentType = parentType;
  state.lineMax = lineMax;
  state.push("details_close", "details", -1).block = true;
  state.line = Math.min(end + 1, endLine);
  return true;
}
