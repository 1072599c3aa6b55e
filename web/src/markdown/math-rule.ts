/** `$…$`, `$$…$$`, `\(…\)` and `\[…\]` become elements that the page fills with KaTeX. */
import type { MarkdownIt } from "markdown-it";
import type { StateBlock, StateInline } from "markdown-it";

export function math(md: MarkdownIt): void {
  md.inline.ruler.before("escape", "math", inline);
  md.block.ruler.before("fence", "math_block", block, { alt: ["paragraph", "reference", "blockquote", "list"] });
  md.renderer.rules.math = (tokens, i) => {
    const token = tokens[i]!;
    const display = token.markup === "display";
    const tag = display ? "div" : "span";
    return `<${tag} class="math" data-display="${display}">${md.utils.escapeHtml(token.content)}</${tag}>`;
  };
}

function inline(state: StateInline, silent: boolean): boolean {
  const { src, pos } = state;
  let close: string;
  let open: string;
  if (src.startsWith("\\(", pos)) [open, close] = ["\\(", "\\)"];
  else if (src.startsWith("\\[", pos)) [open, close] = ["\\[", "\\]"];
  else if (src.startsWith("$$", pos)) [open, close] = ["$$", "$$"];
  else if (src[pos] === "$") [open, close] = ["$", "$"];
  else return false;
  const start = pos + open.length;
  const end = src.indexOf(close, start);
  if (end < 0 || end === start) return false;
  const body = src.slice(start, end);
  // "costs $5 and $6" is money: no space inside the dollars, no digit behind them.
  if (open === "$" && (/^\s|\s$|\n\n/.test(body) || /\d/.test(src[end + 1] ?? ""))) return false;
  if (!silent) {
    const token = state.push("math", "", 0);
    token.content = body;
    token.markup = open === "$$" || open === "\\[" ? "display" : "inline";
  }
  state.pos = end + close.length;
  return true;
}

function block(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  const line = (n: number) => state.src.slice(state.bMarks[n]! + state.tShift[n]!, state.eMarks[n]);
  const first = line(startLine).trim();
  const open = first.startsWith("$$") ? "$$" : first.startsWith("\\[") ? "\\[" : "";
  if (!open) return false;
  const close = open === "$$" ? "$$" : "\\]";
  const lines: string[] = [];
  let n = startLine;
  let rest = first.slice(2);
  for (;;) {
    const end = rest.indexOf(close);
    if (end >= 0) {
      if (rest.slice(end + 2).trim() !== "") return false;
      lines.push(rest.slice(0, end));
      break;
    }
    lines.push(rest);
    if (++n >= endLine) return false;
    rest = line(n);
  }
  if (silent) return true;
  const token = state.push("math", "", 0);
  token.block = true;
  token.content = lines.join("\n").trim();
  token.markup = "display";
  token.map = [startLine, n + 1];
  state.line = n + 1;
  return true;
}
