// Every screen in both themes, both languages and both sizes: a picture, nothing that is
// wider than the page, and no violation that axe-core can see. All eight combinations run
// with AXE=all (npm run test:axe); otherwise a pair that covers each of the six choices,
// another one each day.
import { accessible } from "./axe.mjs";
import { assert, visible } from "./steps.mjs";

const rich = `Here is what I found.

## A comparison

| database | fits | needs |
|---|---|---|
| SQLite | one machine, many readers | nothing |
| PostgreSQL | many writers | a server |

\`\`\`python
def greet(name: str) -> str:
    # a friendly line of code that is long enough to need scrolling on a small screen, really
    return f"Hello, {name}!"
\`\`\`

- a list with \`inline code\` and **strong** words
- 小团队建议先用 SQLite，之后再换。

> A quotation that says something.

The area is $A = \\pi r^2$, and

$$\\int_0^1 x^2\\,dx = \\frac{1}{3}$$

\`\`\`mermaid
graph LR
  A[Question] --> B{Agents}
  B --> C[Answer]
\`\`\`
`;

let built;
/** What the chats are called: a person's words are not translated. */
const titles = {
  rich: "Compare three databases",
  write: "Rewrite the notes",
  fail: "A strange prompt",
  asking: "Clean up",
};

/** What the screens show, made once for all combinations. */
const fixture = (t) => (built ??= build(t));

async function build({ api, model, id }) {
  const project = await api.project(`Field notes`, {
    description: "A place to try things",
    instructions: "Answer briefly.",
  });
  await api.write(project.id, "README.md", "# Notes\n\nA small project to try things.\n\n- one\n- two\n");
  await api.write(project.id, "src/main.py", "def greet(name):\n    return name\n");
  await api.write(project.id, "说明.md", "# 说明\n");
  await api.write(project.id, "old.txt", "gone soon\n");
  await api.delete(`/projects/${project.id}/files/old.txt`);
  await api.post("/prompts", { name: "评审", text: "Review {{file}} for what is hard to understand." });
  const names = ["SQLite", "PostgreSQL", "DuckDB"];
  await model.rules(
    { when: { user: `rich ${id}` }, reply: { thinking: "A table, some code, a formula and a picture.", text: rich } },
    {
      when: { user: `write ${id}` },
      steps: [
        {
          calls: [
            {
              name: "file_write",
              arguments: { path: "README.md", content: "# Notes\n\nRewritten by an agent.\n\n- one\n- three\n" },
            },
            { name: "file_write", arguments: { path: "result.txt", content: "84\n" } },
            { name: "calculator", arguments: { expression: "12*(3+4)" } },
            { name: "file_read", arguments: { path: "no-such-file" } },
          ],
        },
        { text: "I rewrote `README.md` and saved the result." },
      ],
    },
    ...names.map((name) => ({
      when: { user: `Describe ${name} for ${id}` },
      reply: { text: `${name} is a sound choice.` },
    })),
    {
      when: { user: `agents ${id}` },
      steps: [
        {
          calls: [
            {
              name: "multi_agent",
              arguments: { tasks: names.map((name) => ({ name, instruction: `Describe ${name} for ${id}` })) },
            },
          ],
        },
        { text: "**SQLite** fits a small team best." },
      ],
    },
    {
      when: { user: `careful ${id}` },
      steps: [
        {
          text: "I will clean up first.",
          calls: [
            { name: "text_process", arguments: { text: "shout", operation: "upper" } },
            {
              name: "shell_execute",
              arguments: { command: "rm -rf build/ && find . -name '*.log' -mtime +7 -delete" },
            },
          ],
        },
        { text: "Done." },
      ],
    },
    { when: { user: `fail ${id}` }, reply: { status: 400, error_message: "the prompt is too strange" } },
  );
  const chat = async (title, text, more = {}) => {
    const conversation = await api.conversation({ title, project_id: project.id, ...more });
    await api.ask(conversation.id, `${text} ${id}`);
    return conversation.id;
  };
  const [answer, changed, agents, failed] = [
    await chat(titles.rich, "rich"),
    await chat(titles.write, "write", { pinned: true }),
    await chat("调研三种数据库", "agents"),
    await chat(titles.fail, "fail"),
  ];
  const asking = (await api.conversation({ title: titles.asking, project_id: project.id })).id;
  await api.post(`/conversations/${asking}/runs`, { text: `careful ${id}` });
  return { project: project.id, answer, changed, agents, failed, asking };
}

async function reviewOf(page, url, value) {
  await page.goto(`${url}/settings/config`);
  await page.getByRole("textbox", { name: "max_iterations", exact: true }).fill(value);
  await page.getByRole("button", { name: /^(Review and save|预览并保存)$/ }).click();
}

const opened = (page) => visible(page.locator("main h2, main h1"));

/** Each opens its screen and waits until it is all there. */
const screens = {
  home: async (page, { url }) => {
    await page.goto(url);
    await visible(page.locator("textarea"));
  },
  answer: async (page, { url, f }) => {
    await page.goto(`${url}/c/${f.answer}`);
    await visible(page.locator("svg[id^=diagram]"));
    await visible(page.locator(".katex"));
    await visible(page.locator(".shiki"));
  },
  steps: async (page, { url, f }) => {
    await page.goto(`${url}/c/${f.changed}`);
    await page.getByRole("button", { name: /^(Calculated|已计算)/ }).click();
    await page.getByRole("button", { name: /^(Read |读取)/ }).click();
    await visible(page.getByText("expression", { exact: true }));
  },
  agents: async (page, { url, f }) => {
    await page.goto(`${url}/c/${f.agents}`);
    await visible(page.getByRole("button", { name: /DuckDB/ }));
  },
  failed: async (page, { url, f }) => {
    await page.goto(`${url}/c/${f.failed}`);
    await visible(page.getByText(/too strange/));
  },
  approval: async (page, { url, f }) => {
    await page.goto(`${url}/c/${f.asking}`);
    await visible(page.locator("section .shiki"));
  },
  ...Object.fromEntries(
    ["files", "run", "details"].map((panel) => [
      `panel-${panel}`,
      async (page, { url, f }) => {
        await page.goto(`${url}/c/${f.changed}`);
        await page.getByRole("button", { name: /^(Side panel|侧栏面板)$/ }).click();
        await page.locator(`#tab-${panel}`).click();
        await visible(panel === "files" ? page.getByRole("treeitem") : page.locator("#panel-body h2"));
        const change = page.locator("#panel-body button[aria-expanded]").first();
        if (panel === "run" && (await page.locator("#panel-body section[aria-label]").count())) await change.click();
      },
    ]),
  ),
  tree: async (page, { url, f }) => {
    await page.goto(`${url}/p/${f.project}`);
    await page.getByRole("button", { name: /^(Files|文件)$/ }).click();
    await visible(page.getByRole("treeitem"));
  },
  file: async (page, { url, f }) => {
    await page.goto(`${url}/p/${f.project}/src/main.py`);
    await visible(page.locator(".cm-content"));
  },
  trash: async (page, { url, f }) => {
    await page.goto(`${url}/p/${f.project}`);
    await page.getByRole("button", { name: /^(Trash|回收站)$/ }).click();
    await visible(page.getByText("old.txt"));
  },
  knowledge: async (page, { url, f }) => {
    await page.goto(`${url}/knowledge/${f.project}`);
    await visible(page.getByRole("article"));
  },
  form: async (page, { url, f }) => {
    await page.goto(`${url}/p/${f.project}`);
    await page.getByRole("button", { name: /^(Project settings|项目设置)$/ }).click();
    await visible(page.getByRole("dialog"));
  },
  palette: async (page, { url }) => {
    await page.goto(url);
    await visible(page.locator("textarea"));
    await page.keyboard.press("Control+k");
    await visible(page.getByRole("option"));
  },
  "palette-commands": async (page, { url, f }) => {
    await page.goto(`${url}/c/${f.changed}`);
    await visible(page.locator("textarea"));
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").fill(">");
    await visible(page.getByRole("option"));
  },
  "palette-match": async (page, { url }) => {
    await page.goto(url);
    await visible(page.locator("textarea"));
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").fill("SQLite");
    await visible(page.locator("mark"));
    await page
      .getByRole("option")
      .filter({ has: page.locator("mark") })
      .first()
      .click();
    await visible(page.locator("search [role=status]", { hasText: /\d/ }));
    // Marked where the text is, also when the text comes behind the row.
    await page.waitForFunction(() => [...(CSS.highlights.get("found-now") ?? [])].some((r) => String(r) === "SQLite"));
  },
  "model-picker": async (page, { url, f }) => {
    await page.goto(`${url}/c/${f.changed}`);
    await page.getByRole("button", { name: /^(Model|模型)/ }).click();
    await visible(page.locator("[data-model]"));
  },
  "model-form": async (page, { url }) => {
    await page.goto(`${url}/settings/models`);
    await page.getByRole("button", { name: /Scripted model/ }).click();
    await page.getByRole("menuitem", { name: /^(Edit|编辑)$/ }).click();
    await visible(page.getByRole("dialog"));
  },
  shortcuts: async (page, { url }) => {
    await page.goto(url);
    await visible(page.locator("textarea"));
    await page.keyboard.press("Escape");
    await page.keyboard.press("?");
    await visible(page.getByRole("dialog"));
  },
  menu: async (page, { url, f }) => {
    await page.goto(`${url}/c/${f.changed}`);
    await visible(page.getByRole("button", { name: /^(Calculated|已计算)/ }));
    await page.getByRole("button", { name: /^(More|更多)$/ }).click();
    await visible(page.getByRole("menuitem"));
  },
  missing: async (page, { url }) => {
    await page.goto(`${url}/c/nothing-here`);
    await visible(page.locator("main a"));
  },
  login: async (page, { url }) => {
    await page.goto(`${url}/login`);
    await visible(page.locator("input[type=password]"));
  },
  ...Object.fromEntries(
    [
      "appearance",
      "models",
      "tools",
      "approvals",
      "agents",
      "mcp",
      "prompts",
      "skills",
      "schedules",
      "hooks",
      "usage",
      "audit",
      "config",
    ].map((section) => [
      `settings-${section}`,
      async (page, { url }) => {
        await page.goto(`${url}/settings/${section}`);
        await opened(page);
        await page.waitForFunction(() => !document.querySelector("main .animate-spin"));
      },
    ]),
  ),
  review: async (page, { url }) => {
    await reviewOf(page, url, "31");
    await visible(page.getByRole("dialog"));
  },
  "review-refused": async (page, { url }) => {
    await reviewOf(page, url, "0");
    await visible(page.locator("main [role=alert]")); // a bad value is refused before the dialog
  },
};

/** Fails where a control, a heading or a label speaks English to a person who reads Chinese. */
export async function inChinese(page) {
  const found = await page.evaluate((names) => {
    // Names that people, files, models and keys of the configuration have are what they are.
    const given =
      "[lang=en], code, .font-mono, article, .cm-editor, [data-given], a[href^='/c/'], a[href^='/p/'], [role=treeitem]";
    const english = /\b[a-z]{2,}\b[^\p{Script=Han}]*\s[^\p{Script=Han}]*\b[a-z]{2,}\b/u;
    const texts = [];
    for (const element of document.querySelectorAll(
      "button, h1, h2, h3, label, legend, th, summary, [role=tab], [role=status], [aria-label], [placeholder], [title]",
    )) {
      if (element.closest(given) || !element.checkVisibility()) continue;
      const own = [...element.childNodes].filter((n) => n.nodeType === 3).map((n) => n.textContent.trim());
      for (const text of [...own, ...["aria-label", "placeholder", "title"].map((a) => element.getAttribute(a) ?? "")])
        if (!names.includes(text) && english.test(text) && !/\p{Script=Han}/u.test(text)) texts.push(text.slice(0, 80));
    }
    return [...new Set(texts)];
  }, Object.values(titles));
  assert.deepEqual(found, [], "not translated");
}

const only = process.env.SCREEN ?? "";

const test = (theme, locale, size) => async (t) => {
  const f = await fixture(t);
  const { page } = await t.open({ theme, locale, size });
  const failures = [];
  for (const [name, show] of Object.entries(screens)) {
    if (!name.includes(only)) continue;
    try {
      await show(page, { url: t.url, f });
      await t.shot(page, `${name}-${theme}-${locale}-${size}`);
      await accessible(page);
      if (locale === "zh") await inChinese(page);
    } catch (error) {
      await t.shot(page, `${name}-${theme}-${locale}-${size}`);
      failures.push(`${name}: ${String(error.message ?? error).slice(0, 1800)}`);
    }
    await page
      .evaluate(() =>
        localStorage.setItem(
          "nanoclaw.prefs",
          JSON.stringify({ ...JSON.parse(localStorage.getItem("nanoclaw.prefs") ?? "{}"), panel: "" }),
        ),
      )
      .catch(() => undefined);
  }
  if (failures.length) throw new Error(failures.join("\n\n"));
};

const pairs = [
  [
    ["light", "en", "desktop"],
    ["dark", "zh", "phone"],
  ],
  [
    ["dark", "zh", "desktop"],
    ["light", "en", "phone"],
  ],
  [
    ["dark", "en", "desktop"],
    ["light", "zh", "phone"],
  ],
  [
    ["light", "zh", "desktop"],
    ["dark", "en", "phone"],
  ],
];
const today = Math.floor(Date.now() / 86_400_000) % pairs.length;
export const chosen = process.env.AXE === "all" ? pairs.flat() : pairs[today];

export const tests = Object.fromEntries(chosen.map((c) => [`every screen is accessible: ${c.join(", ")}`, test(...c)]));
