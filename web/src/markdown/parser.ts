/** markdown-it with the rules of this app: a few HTML tags, no remote images, math. */
import MarkdownIt from "markdown-it";
import { github } from "./github-rules";
import { html } from "./html-rule";
import { math } from "./math-rule";
import { scheme } from "./project-files";

export const markdown = new MarkdownIt("default", { html: false, linkify: true, breaks: true });
markdown.use(math).use(html).use(github);

const dataImage = /^data:image\/(png|jpeg|gif|webp);base64,/i;

/** A picture in the text whose end has not come, or never came. */
const cutPicture = /^!\[([^\]\n]*)\]\(\s*<?data:[^\s)]*$/i;
/** What remend puts in the place of an address that is not complete. */
const cutAddress = "streamdown:incomplete-image";

markdown.inline.ruler.before("image", "cut_picture", (state, silent) => {
  if (state.src.charCodeAt(state.pos) !== 0x21 /* ! */) return false;
  const found = cutPicture.exec(state.src.slice(state.pos, state.posMax));
  if (!found) return false;
  if (!silent) {
    const image = state.push("image", "img", 0);
    image.attrs = [["src", cutAddress]];
    image.content = found[1]!;
    image.children = [];
  }
  state.pos = state.posMax;
  return true;
});

// Only addresses that open a page; a path of the project's files is handled by the link's owner.
markdown.validateLink = (url) =>
  dataImage.test(url) ||
  (/^(https?:|mailto:|#|\/(?!\/)|\.{0,2}\/?[\w%-])/i.test(url) && !/^(javascript|vbscript|data|file):/i.test(url));

markdown.renderer.rules.link_open = (tokens, i, options, _env, self) => {
  const token = tokens[i]!;
  if (/^https?:/i.test(String(token.attrGet("href") ?? ""))) {
    token.attrSet("target", "_blank");
    token.attrSet("rel", "noopener noreferrer");
  }
  return self.renderToken(tokens, i, options);
};

// A picture from another host would tell that host what is read here; it becomes a link.
markdown.renderer.rules.image = (tokens, i) => {
  const token = tokens[i]!;
  const source = String(token.attrGet("src") ?? "");
  if (source === cutAddress) return `<em>${markdown.utils.escapeHtml(token.content)}…</em>`;
  const text = markdown.utils.escapeHtml(token.content || source);
  const address = markdown.utils.escapeHtml(source);
  if (/^\/api\/v1\//.test(source) || dataImage.test(source))
    return `<img src="${address}" alt="${text}" loading="lazy">`;
  if (!/^([a-z][\w+.-]*:|\/\/|#)/i.test(source)) return `<img src="${scheme}${address}" alt="${text}" loading="lazy">`;
  return `<a href="${address}" target="_blank" rel="noopener noreferrer">${text}</a>`;
};

// A header cell without text heads nothing; it is a plain cell then.
markdown.core.ruler.push("empty_headers", (state) => {
  state.tokens.forEach((token, i) => {
    if (token.type !== "th_open" || state.tokens[i + 1]?.content !== "") return;
    token.tag = "td";
    const close = state.tokens.slice(i).find((t) => t.type === "th_close");
    if (close) close.tag = "td";
  });
});

// A wide table scrolls in a frame of its own; the frame takes the keyboard's focus for that.
markdown.renderer.rules.table_open = () => '<div class="table-frame" tabindex="0" role="group"><table>';
markdown.renderer.rules.table_close = () => "</table></div>";
