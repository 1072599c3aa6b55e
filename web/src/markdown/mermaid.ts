import { unhurried } from "@/chat/painted";

/** Diagrams, loaded when the first one appears. One at a time: the library has one state. */
let chain: Promise<unknown> = Promise.resolve();
let count = 0;

/** As many diagrams are kept: what comes into view again has its height at once. */
const kept = 50;
const known = new Map<string, string>();
const keyOf = (source: string, dark: boolean) => `${dark ? "dark" : "light"} ${source}`;

/** The SVG of a diagram that was drawn before; else "". */
export function drawn(source: string, dark: boolean): string {
  return known.get(keyOf(source, dark)) ?? "";
}

/**
 * The SVG of a diagram, drawn when nobody types or scrolls: while it is drawn it stands in the page with a style sheet
 * of its own, for which the browser looks at every element. Throws with the parser's message where the
 * source is wrong.
 */
export function renderDiagram(source: string, dark: boolean): Promise<string> {
  const turn = chain.then(unhurried).then(() => draw(source, dark));
  chain = turn.catch(() => undefined);
  return turn;
}

/** A diagram by itself, as the address of a picture: with its size, and a font that is not the page's. */
export function pictureOf(svg: string): string {
  const [, width, height] = /viewBox="[-\d.]+ [-\d.]+ ([\d.]+) ([\d.]+)"/.exec(svg) ?? [];
  const sized = svg
    .replace(/(<svg[^>]*?) width="100%"/, `$1 width="${width}" height="${height}"`)
    .replaceAll("font-family:inherit", "font-family:sans-serif")
    .replaceAll("<br>", "<br/>");
  return `data:image/svg+xml;charset=utf-8,${encodeURIComponent(sized)}`;
}

/** The page's own colours, so that a diagram looks like the rest in both themes. */
function colours(dark: boolean): Record<string, string | boolean> {
  const style = getComputedStyle(document.documentElement);
  const of = (name: string) => style.getPropertyValue(name).trim();
  return {
    darkMode: dark,
    background: of("--card"),
    primaryColor: of("--sunken"),
    primaryTextColor: of("--ink"),
    primaryBorderColor: of("--edge"),
    secondaryColor: of("--tint"),
    tertiaryColor: of("--canvas"),
    lineColor: of("--faint"),
    textColor: of("--ink"),
    edgeLabelBackground: of("--card"),
    noteBkgColor: of("--warn-tint"),
    noteTextColor: of("--ink"),
  };
}

async function draw(source: string, dark: boolean): Promise<string> {
  const { default: mermaid } = await import("mermaid");
  mermaid.initialize({
    startOnLoad: false,
    securityLevel: "strict",
    theme: "base",
    themeVariables: colours(dark),
    fontFamily: "inherit",
    suppressErrorRendering: true,
  });
  const { svg } = await mermaid.render(`diagram-${++count}`, source);
  known.set(keyOf(source, dark), svg);
  const [oldest] = known.keys();
  if (known.size > kept && oldest !== undefined) known.delete(oldest);
  return svg;
}
