// The pages, each in its usual state.
import { visible } from "../steps.mjs";

async function reviewOf(page, url, value) {
  await page.goto(`${url}/settings/config`);
  await page.getByRole("textbox", { name: "max_iterations", exact: true }).fill(value);
  await page.getByRole("button", { name: /^(Review and save|预览并保存)$/ }).click();
}

const opened = (page) => visible(page.locator("main h2, main h1"));

/** Each opens its screen and waits until it is all there. */
export const screens = {
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
    await page
      .locator("header")
      .getByRole("button", { name: /^(More|更多)$/ })
      .click();
    await visible(page.getByRole("menuitem"));
  },
  missing: async (page, { url }) => {
    await page.goto(`${url}/c/nothing-here`);
    await visible(page.locator("main a"));
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
