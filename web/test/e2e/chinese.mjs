// What of a page still speaks English to a person who reads Chinese.

/** Text of people, of models, of files and of programs is what it is: where it stands. */
const given = [
  "[lang=en]",
  "[data-given]",
  "code, pre, kbd, samp, .font-mono, .code-text, .shiki, .cm-editor, .prose",
  "a[href^='/c/'], a[href^='/p/']",
  "[role=treeitem]",
];

/** Words that are the same in Chinese: names, file formats, keys, units and terms. */
const same = [
  "NanoClaw Scripted model Second OpenAI Anthropic DeepSeek ChatGPT Claude Open WebUI OpenRouter Ollama GitHub Gemini Groq",
  "SQLite PostgreSQL DuckDB Python bash Markdown JSON JSONL CSV PDF ZIP SVG HTML YAML SQL json Word Excel PowerPoint config yml",
  "Webhook API URL ID MCP Cron UTC HTTP HTTPS CPU Bearer token tokens Token png diff python",
  "English Auto",
  "Enter Shift Ctrl Alt Tab Esc Escape Home End Backspace KB MB GB min ms km",
].flatMap((line) => line.split(" "));

/** Fails where the page shows, or says to a screen reader, a text without a Chinese word. `names` are data of the test. */
export async function inChinese(page, names = []) {
  const found = await page.evaluate(
    ({ given, same, names }) => {
      const left = new RegExp(`\\b(${same.join("|")})\\b`, "g");
      // Paths of files, identifiers, and how many wait in the title of the tab.
      const alike = /[\w./-]*[\w-]\.(md|txt|py|csv|png|json|yml)\b|\b[a-z]+([_.-][a-z]+)+\b|\{\{.*?\}\}|^\(\d+\) /g;
      const english = (text) => {
        if (/\p{Script=Han}/u.test(text)) return false;
        const sentences = names.filter((name) => /\W/.test(name));
        const without = (from, these) => these.reduce((before, name) => before.replaceAll(name, ""), from);
        const rest = without(without(text, sentences).replace(alike, ""), names);
        return /[A-Za-z]{2,}/.test(rest.replace(left, ""));
      };
      const texts = new Set();
      const hear = (element, text) => {
        if (
          english(text.trim()) &&
          !element.closest(given.join(", ")) &&
          element.checkVisibility({ visibilityProperty: true })
        )
          texts.add(`${element.tagName.toLowerCase()}: ${text.trim().slice(0, 90)}`);
      };
      const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      for (let node = walker.nextNode(); node; node = walker.nextNode())
        if (!["SCRIPT", "STYLE"].includes(node.parentElement.tagName)) hear(node.parentElement, node.data);
      for (const name of ["aria-label", "aria-description", "aria-roledescription", "placeholder", "title", "alt"])
        for (const element of document.querySelectorAll(`[${name}]`)) hear(element, element.getAttribute(name));
      hear(document.documentElement, document.title);
      return [...texts];
    },
    { given, same, names: [...names].sort((a, b) => b.length - a.length) },
  );
  if (found.length) throw new Error(`not translated:\n    ${found.join("\n    ")}`);
}
