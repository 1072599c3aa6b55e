/** Colours code beside the page, with Shiki's JavaScript engine (no WebAssembly, so no wider content policy). */
import { createHighlighterCore, type HighlighterCore } from "shiki/core";
import { createJavaScriptRegexEngine } from "shiki/engine/javascript";
import dark from "shiki/themes/github-dark-high-contrast.mjs";
import light from "shiki/themes/github-light-high-contrast.mjs";
import { grammars } from "./grammars";

export interface Job {
  id: number;
  code: string;
  language: string;
}

export interface Coloured {
  id: number;
  /** "" where the code could not be coloured. */
  html: string;
}

let engine: Promise<HighlighterCore> | null = null;

async function colour({ code, language }: Job): Promise<string> {
  engine ??= createHighlighterCore({
    themes: [light, dark],
    langs: [],
    engine: createJavaScriptRegexEngine({ forgiving: true }),
  });
  const highlighter = await engine;
  const lang = language === "bash" ? "shellscript" : language;
  if (!highlighter.getLoadedLanguages().includes(lang))
    await highlighter.loadLanguage((await grammars[language]!()) as never);
  return highlighter.codeToHtml(code, {
    lang,
    themes: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
    defaultColor: false,
    // A busy machine must not decide how much of a line is coloured.
    tokenizeTimeLimit: 0,
    // What scrolls is around it.
    tabindex: false,
  });
}

addEventListener("message", async ({ data }: MessageEvent<Job>) => {
  const html = await colour(data).catch(() => "");
  postMessage({ id: data.id, html } satisfies Coloured);
});
