/** CodeMirror, put together for this app. Loaded with the first file that is opened. */
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import {
  bracketMatching,
  defaultHighlightStyle,
  HighlightStyle,
  indentOnInput,
  syntaxHighlighting,
} from "@codemirror/language";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { EditorState, type Extension } from "@codemirror/state";
import { oneDarkHighlightStyle } from "@codemirror/theme-one-dark";
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { isMixed } from "./file-text";

const languages: Record<string, () => Promise<Extension>> = {
  js: async () => (await import("@codemirror/lang-javascript")).javascript({ jsx: true }),
  ts: async () => (await import("@codemirror/lang-javascript")).javascript({ typescript: true, jsx: true }),
  py: async () => (await import("@codemirror/lang-python")).python(),
  json: async () => (await import("@codemirror/lang-json")).json(),
  md: async () => (await import("@codemirror/lang-markdown")).markdown(),
  html: async () => (await import("@codemirror/lang-html")).html(),
  css: async () => (await import("@codemirror/lang-css")).css(),
  go: async () => (await import("@codemirror/lang-go")).go(),
  yml: async () => (await import("@codemirror/lang-yaml")).yaml(),
  sql: async () => (await import("@codemirror/lang-sql")).sql(),
};
const alias: Record<string, string> = {
  jsx: "js",
  mjs: "js",
  cjs: "js",
  tsx: "ts",
  yaml: "yml",
  htm: "html",
  vue: "html",
  svg: "html",
  xml: "html",
  markdown: "md",
};

export async function languageFor(path: string): Promise<Extension> {
  const extension = path.split(".").at(-1)?.toLowerCase() ?? "";
  return (await languages[alias[extension] ?? extension]?.()) ?? [];
}

const look = EditorView.theme({
  "&": { height: "100%", fontSize: "0.84rem", backgroundColor: "transparent", color: "var(--ink)" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.6" },
  ".cm-gutters": { backgroundColor: "transparent", color: "var(--faint)", border: "none" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "color-mix(in oklab, var(--hover) 55%, transparent)" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  "&.cm-focused": { outline: "none" },
  ".cm-selectionBackground, &.cm-focused .cm-selectionBackground": {
    backgroundColor: "color-mix(in oklab, var(--accent) 24%, transparent) !important",
  },
  ".cm-panels": { backgroundColor: "var(--sunken)", color: "var(--ink)" },
});

/** Two of the usual colours are too light to read on a light page. */
const darker: Record<string, string> = { "#e40": "#b23000", "#f00": "#c00000" };
const light = HighlightStyle.define(
  defaultHighlightStyle.specs.map((spec) => ({ ...spec, color: darker[spec.color ?? ""] ?? spec.color })),
);

/** The one change that turns a text into another; the cursor stays where the text around it stays. */
export function replacement(before: string, after: string): { from: number; to: number; insert: string } {
  const most = Math.min(before.length, after.length);
  let from = 0;
  while (from < most && before[from] === after[from]) from++;
  let tail = 0;
  while (tail < most - from && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
  return { from, to: before.length - tail, insert: after.slice(from, after.length - tail) };
}

/** Extensions that every editor of the app has. */
export function baseExtensions(dark: boolean, label: string, text: string): Extension[] {
  return [
    isMixed(text) ? EditorState.lineSeparator.of("\n") : [],
    lineNumbers(),
    history(),
    drawSelection(),
    indentOnInput(),
    bracketMatching(),
    highlightActiveLine(),
    highlightSelectionMatches(),
    search({ top: true }),
    syntaxHighlighting(dark ? oneDarkHighlightStyle : light),
    keymap.of([...defaultKeymap, ...historyKeymap, ...searchKeymap, indentWithTab]),
    EditorView.contentAttributes.of({ "aria-label": label }),
    EditorView.theme({}, { dark }),
    look,
  ];
}

export { EditorState, EditorView };
