/** The last gate before HTML enters the page; the parser already lets no raw HTML through. */
import DOMPurify from "dompurify";

const allowed = {
  ALLOWED_TAGS: (
    "a b blockquote br code del div em h1 h2 h3 h4 h5 h6 hr i img input li ol p pre s span strong sub sup " +
    "table tbody td th thead tr ul"
  ).split(" "),
  ALLOWED_ATTR: "href target rel src alt loading class title start align role tabindex data-display style".split(" "),
  ALLOW_DATA_ATTR: false,
};

// An instance of its own: the diagram library shares the default one, and must keep its classes.
const purifier = DOMPurify(window);

purifier.addHook("uponSanitizeAttribute", (_node, data) => {
  // markdown-it aligns table cells by style, and by nothing else.
  if (data.attrName === "style" && !/^text-align:(left|right|center)$/.test(data.attrValue)) data.keepAttr = false;
  if (data.attrName === "class" && !/^(math|table-frame|language-[\w+#.-]+)$/.test(data.attrValue)) data.keepAttr = false;
});

export function sanitize(html: string): string {
  return purifier.sanitize(html, allowed);
}
