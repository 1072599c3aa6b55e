/** The last gate before HTML enters the page; the parser already lets no raw HTML through. */
import type { DOMPurify } from "dompurify";

const bare =
  "b blockquote code del details em h1 h2 h3 h4 h5 h6 i ins kbd li mark ol p pre s strong sub summary sup table tbody td th thead tr u ul".split(
    " ",
  );

/** Tags that can do nothing, as the parser writes them: without attributes, or with just these. */
const harmless = new Set([
  "<br>",
  "<hr>",
  "</a>",
  '<div class="table-frame" tabindex="0" role="group">',
  "</div>",
  "</span>",
  '<span class="task">',
  '<li class="task-item">',
  '<p class="footnote">',
  ...["note", "tip", "important", "warning", "caution"].map((kind) => `<blockquote class="alert alert-${kind}">`),
  ...bare.flatMap((name) => [`<${name}>`, `</${name}>`]),
  ...["left", "right", "center"].flatMap((side) => [
    `<td style="text-align:${side}">`,
    `<th style="text-align:${side}">`,
  ]),
]);

/** A link to a page, or the language of code, as the parser writes them. */
const plainTag =
  /^<(a href="https?:\/\/[^"<>]*" target="_blank" rel="noopener noreferrer"|code class="language-[\w+#.-]+")>$/;

const allowed = {
  ALLOWED_TAGS: [...bare, ..."a br div hr img input span".split(" ")],
  ALLOWED_ATTR: "href target rel src alt loading class title start align role tabindex data-display style".split(" "),
  ALLOW_DATA_ATTR: false,
};

let purifier: DOMPurify | null = null;
let loading: Promise<DOMPurify> | null = null;

/** Loads what cleans HTML that is more than text and tables. */
export function loadPurifier(): Promise<DOMPurify> {
  loading ??= import("dompurify").then(
    (module) => (purifier = prepare(module.default)),
    (error: unknown) => {
      loading = null;
      throw error;
    },
  );
  return loading;
}

function prepare(make: DOMPurify): DOMPurify {
  // An instance of its own: the diagram library shares the default one, and must keep its classes.
  const own = make(window);
  own.addHook("uponSanitizeAttribute", (_node, data) => {
    // markdown-it aligns table cells by style, and by nothing else.
    if (data.attrName === "style" && !/^text-align:(left|right|center)$/.test(data.attrValue)) data.keepAttr = false;
    if (
      data.attrName === "class" &&
      !/^(math|table-frame|task|task-item|footnote|alert alert-\w+|language-[\w+#.-]+)$/.test(data.attrValue)
    )
      data.keepAttr = false;
  });
  return own;
}

/** Clean HTML; a promise of it where what cleans it has yet to load. */
export function sanitize(html: string): string | Promise<string> {
  if (isHarmless(html)) return html;
  if (purifier) return purifier.sanitize(html, allowed);
  return loadPurifier().then((loaded) => loaded.sanitize(html, allowed));
}

/** Says whether all that is markup in it is, to the letter, a harmless tag or a link to a page. */
export function isHarmless(html: string): boolean {
  for (let from = html.indexOf("<"); from >= 0; from = html.indexOf("<", from + 1)) {
    const tag = html.slice(from, html.indexOf(">", from) + 1);
    if (!harmless.has(tag) && !plainTag.test(tag)) return false;
  }
  return true;
}
