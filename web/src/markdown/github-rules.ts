/** What GitHub's Markdown has beside CommonMark: task lists, alerts and footnotes. */
import type { MarkdownIt, StateBlock, StateCore, StateInline, Token } from "markdown-it";
import { i18n } from "@/i18n";

export function github(md: MarkdownIt): void {
  md.core.ruler.push("tasks", tasks);
  md.core.ruler.push("alerts", alerts);
  md.inline.ruler.before("link", "footnote_ref", footnoteRef);
  md.block.ruler.before("reference", "footnote", footnote, { alt: ["paragraph"] });
  md.renderer.rules.task_box = (tokens, i) => `<span class="task">${tokens[i]!.content}</span> `;
}

/** "- [x] done": the box is a character, which every reader knows how to say. */
function tasks(state: StateCore): void {
  state.tokens.forEach((token, i) => {
    const found = token.type === "inline" && /^\[([ xX])\]\s+/.exec(token.content);
    const item = state.tokens[i - 2];
    const first = token.children?.[0];
    if (!found || item?.type !== "list_item_open" || first?.type !== "text") return;
    first.content = first.content.replace(/^\[[ xX]\]\s+/, "");
    const box = new state.Token("task_box", "", 0);
    box.content = found[1] === " " ? "☐" : "☑";
    token.children!.unshift(box);
    item.attrSet("class", "task-item");
  });
}

const kinds = ["note", "tip", "important", "warning", "caution"];

/** "> [!NOTE]" in the first line of a quotation. */
function alerts(state: StateCore): void {
  state.tokens.forEach((token, i) => {
    const text = state.tokens[i + 2];
    if (token.type !== "blockquote_open" || text?.type !== "inline") return;
    const found = /^\[!(\w+)\][ \t]*(?:\n|$)/.exec(text.content);
    const kind = found?.[1]!.toLowerCase() ?? "";
    if (!kinds.includes(kind)) return;
    token.attrSet("class", `alert alert-${kind}`);
    const title = new state.Token("text", "", 0);
    title.content = i18n.global.t(`alert.${kind}`);
    const strong = (nesting: 1 | -1) =>
      new state.Token(nesting > 0 ? "strong_open" : "strong_close", "strong", nesting);
    const rest = behindFirstLine(text.children ?? []);
    const end = new state.Token("hardbreak", "br", 0);
    text.children = [strong(1), title, strong(-1), ...(rest.length ? [end, ...rest] : [])];
  });
}

function behindFirstLine(children: Token[]): Token[] {
  const end = children.findIndex((c) => c.type === "softbreak" || c.type === "hardbreak");
  return end < 0 ? [] : children.slice(end + 1);
}

function footnoteRef(state: StateInline, silent: boolean): boolean {
  const found = /^\[\^([^\s\]]+)\]/.exec(state.src.slice(state.pos, state.posMax));
  if (!found) return false;
  if (!silent) {
    state.push("sup_open", "sup", 1);
    state.push("text", "", 0).content = found[1]!;
    state.push("sup_close", "sup", -1);
  }
  state.pos += found[0].length;
  return true;
}

/** "[^1]: where it is from": a small line in its place. */
function footnote(state: StateBlock, startLine: number, _endLine: number, silent: boolean): boolean {
  const line = state.src.slice(state.bMarks[startLine]! + state.tShift[startLine]!, state.eMarks[startLine]);
  const found = /^\[\^([^\s\]]+)\]:\s*(.*)$/.exec(line);
  if (!found) return false;
  if (silent) return true;
  const open = state.push("paragraph_open", "p", 1);
  open.attrSet("class", "footnote");
  open.map = [startLine, startLine + 1];
  const words = state.push("inline", "", 0);
  words.content = `[^${found[1]!}] ${found[2]!}`;
  words.map = [startLine, startLine + 1];
  words.children = [];
  state.push("paragraph_close", "p", -1);
  state.line = startLine + 1;
  return true;
}
