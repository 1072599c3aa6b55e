// What stands open on a page: menus, dialogs, forms, answers to mistakes. Each opens its state, waits until it is all
// there, and may give what closes it again.
import { until, visible } from "../steps.mjs";
import { says } from "../words.mjs";

const button = (page, ...keys) => page.getByRole("button", { name: says(...keys) }).first();
const dialog = (page) => visible(page.getByRole("dialog"));
const escape = (page) => () => page.keyboard.press("Escape");
const loaded = (page) => page.waitForFunction(() => !document.querySelector("main .animate-spin"));

/** Opens a page, unless it is there. */
async function at(page, f, path) {
  if (new URL(page.url()).pathname !== path) await page.goto(f.url + path);
}

/** The composer of a chat, empty. */
async function composer(page, f, text = "") {
  await at(page, f, `/c/${f.changed}`);
  const box = page.locator("textarea").first();
  await box.fill(text);
  return box;
}

/** A menu of the composer's buttons. */
const composerMenu =
  (name) =>
  async (page, { f }) => {
    await composer(page, f);
    await page.getByRole("button", { name }).click();
    await visible(page.getByRole("menu"));
    return escape(page);
  };

/** A form of the settings, and what it says to what is missing. */
const form =
  (section, add) =>
  async (page, { f }) => {
    await page.goto(`${f.url}/settings/${section}`);
    await loaded(page);
    await button(page, add).click();
    await visible(page.getByRole("dialog").or(page.locator("main form")));
  };

/** The list of chats, which stands over the page on a phone. */
async function sidebar(page, f, size) {
  await page.goto(`${f.url}/p/${f.project}`);
  if (size === "phone") await button(page, "side.show").click();
  const row = page.locator("#sidebar").getByRole("link", { name: /A strange prompt/ });
  await visible(row);
  return page.locator("#sidebar").getByRole("button", { name: /A strange prompt/ });
}

const fromSidebar =
  (key, shown) =>
  async (page, { f, size }) => {
    await (await sidebar(page, f, size)).last().click();
    if (key) await page.getByRole("menuitem", { name: says(key) }).click();
    await visible(page.getByRole(shown));
    return escape(page);
  };

/** Another version of a file comes to the server while a person edits it. */
async function conflict(page, { f }) {
  await page.goto(`${f.url}/p/${f.project}/README.md`);
  await page.locator(".cm-content").click();
  await page.keyboard.type("mine ");
  await f.api.write(f.project, "README.md", `# Notes\n\nWritten meanwhile ${Math.random()}.\n`);
  await page.keyboard.press("Control+s");
  await visible(button(page, "file.compare"));
}

export const states = {
  calls: async (page, { f }) => {
    await page.goto(`${f.url}/c/${f.tools}`);
    await visible(page.getByText("I looked around."));
    const closed = page.locator("article button[title][aria-expanded=false]");
    await visible(closed);
    while (await closed.count()) await closed.first().click();
    await visible(page.locator("article table"));
  },
  find: async (page, { f }) => {
    await composer(page, f);
    await page.keyboard.press("Control+f");
    await page.locator("search input").fill("rewrote");
    await visible(page.locator("search [role=status]", { hasText: /\d/ }));
    return escape(page);
  },
  slash: async (page, { f }) => {
    await composer(page, f, "/");
    await visible(page.getByRole("listbox"));
  },
  mention: async (page, { f }) => {
    await composer(page, f, "@");
    await visible(page.getByRole("option"));
  },
  "menu-mode": composerMenu(/^(Permissions|权限模式)/),
  "menu-options": composerMenu(/^(Chat settings|对话设置)/),
  "menu-project": composerMenu(/^(Project|项目): /),
  "menu-answer": async (page, { f }) => {
    await composer(page, f);
    await page
      .getByRole("article")
      .getByRole("button", { name: says("app.more") })
      .last()
      .click();
    await visible(page.getByRole("menu"));
    return escape(page);
  },
  "edit-message": async (page, { f }) => {
    await composer(page, f);
    await page.getByRole("article").first().hover();
    await page
      .getByRole("article")
      .first()
      .getByRole("button", { name: says("chat.edit") })
      .click();
    await visible(button(page, "chat.editSend"));
    return escape(page);
  },
  "delete-message": async (page, { f }) => {
    await page.goto(`${f.url}/c/${f.changed}`);
    await page.getByRole("article").first().hover();
    await page
      .getByRole("article")
      .first()
      .getByRole("button", { name: says("chat.deleteMessage") })
      .click();
    await dialog(page);
    return escape(page);
  },
  revert: async (page, { f }) => {
    await page.goto(`${f.url}/c/${f.changed}`);
    await page.getByRole("button", { name: /\d.*(files? changed|个文件)/ }).click();
    await button(page, "changes.revertAll").click();
    await dialog(page);
    return escape(page);
  },
  lightbox: async (page, { f }) => {
    await page.goto(`${f.url}/c/${f.answer}`);
    await page.locator("svg[id^=diagram]").hover();
    await button(page, "chat.enlargeDiagram").click();
    await dialog(page);
    return escape(page);
  },
  "approval-edit": async (page, { f }) => {
    await page.goto(`${f.url}/c/${f.asking}`);
    const card = page.locator("[data-approval]").first();
    await card.getByRole("button", { name: says("approval.edit") }).click();
    await visible(card.locator("textarea"));
    return () => card.getByRole("button", { name: says("app.cancel") }).click();
  },
  "approval-deny": async (page, { f }) => {
    await at(page, f, `/c/${f.asking}`);
    await button(page, "approval.deny").click();
    await visible(page.locator("[data-approval] input[id^=deny]"));
  },
  working: async (page, { f, t }) => {
    const { id } = await f.api.conversation({ title: "Look around" });
    await page.goto(`${f.url}/c/${id}`);
    await page.locator("textarea").fill(`wait ${f.id}`);
    await page.keyboard.press("Enter");
    await t.model.reached(`wait ${f.id}`);
    await page.locator("textarea").fill("快一点");
    await visible(button(page, "chat.stop"));
    return () => t.model.open(`wait ${f.id}`);
  },
  tasks: async (page, { f, t, size }) => {
    const { id } = await f.api.conversation({ title: "Look around" });
    await f.api.ask(id, `submit ${f.id}`);
    await t.model.reached(`Survey ${f.id}`);
    await sidebar(page, f, size);
    await visible(page.getByRole("region", { name: says("task.list") }));
    return async () => {
      await t.model.open(`Survey ${f.id}`);
      await page.goto(`${f.url}/c/${id}`);
      await visible(page.getByText("Three of five agree."));
    };
  },
  "task-ended": async (page) => visible(page.getByText("Three of five agree.")),
  sidebar: async (page, { f, size }) => void (await sidebar(page, f, size)),
  "sidebar-menu": fromSidebar("", "menu"),
  "sidebar-delete": fromSidebar("app.delete", "dialog"),
  "sidebar-selection": async (page, place) => {
    await fromSidebar("side.select", "toolbar")(page, place);
    return () =>
      page
        .getByRole("toolbar")
        .getByRole("button", { name: says("app.cancel") })
        .click();
  },
  "sidebar-tag": async (page, { f, size }) => {
    await sidebar(page, f, size);
    const tag = page.locator("#sidebar").getByRole("button", { name: "Reading", exact: true });
    await tag.click();
    await visible(page.locator("#sidebar").getByRole("link", { name: "Compare three databases" }));
    await visible(button(page, "tag.all"));
    return () => button(page, "tag.all").click();
  },
  tags: async (page, { f, size }) => {
    await (await sidebar(page, f, size)).last().click();
    await page.getByRole("menuitem", { name: says("tag.edit") }).click();
    await visible(page.getByRole("dialog").getByText("Reading"));
    return escape(page);
  },
  archived: async (page, { f, size }) => {
    await sidebar(page, f, size);
    await button(page, "side.archived").click();
    await visible(page.getByRole("link", { name: "Long ago" }));
  },
  "new-project": async (page, { f, size }) => {
    await sidebar(page, f, size);
    await button(page, "side.newProject").click();
    await dialog(page);
    return escape(page);
  },
  "project-delete": async (page, { f }) => {
    await page.goto(`${f.url}/p/${f.project}`);
    await button(page, "project.edit").click();
    await page.getByRole("dialog").getByPlaceholder(f.name).fill(f.name);
    await page
      .getByRole("dialog")
      .getByRole("button", { name: says("app.delete") })
      .scrollIntoViewIfNeeded();
    return escape(page);
  },
  "upload-conflict": async (page, { f, size }) => {
    await page.goto(`${f.url}/p/${f.project}`);
    if (size === "phone") await button(page, "project.files").click();
    const chooser = page.waitForEvent("filechooser");
    await button(page, "project.upload").click();
    await (await chooser).setFiles({ name: "README.md", mimeType: "text/plain", buffer: Buffer.from("new") });
    await dialog(page);
    return escape(page);
  },
  "file-menu": async (page, { f, size }) => {
    await page.goto(`${f.url}/p/${f.project}`);
    if (size === "phone") await button(page, "project.files").click();
    const row = page.getByRole("treeitem", { name: /README/ });
    await row.hover();
    await row.locator("[data-actions]").click();
    await visible(page.getByRole("menu"));
    return escape(page);
  },
  "file-search": async (page, { f, size }) => {
    await page.goto(`${f.url}/p/${f.project}`);
    if (size === "phone") await button(page, "project.files").click();
    await page
      .getByRole("button", { name: says("project.search", "app.search") })
      .last()
      .click();
    await page.getByRole("searchbox").fill("greet");
    await page.keyboard.press("Enter");
    await visible(page.getByText(/def greet/));
  },
  "file-conflict": conflict,
  "file-compare": async (page) => {
    await button(page, "file.compare").click();
    await visible(page.locator("[data-columns] .cm-content"));
    return () => button(page, "file.takeTheirs").click();
  },
  connect: form("models", "connect.title"),
  "form-agent": form("agents", "agents.add"),
  "form-mcp": form("mcp", "mcp.add"),
  "form-prompt": form("prompts", "prompt.add"),
  "form-skill": form("skills", "knowledge.newSkill"),
  "form-schedule": form("schedules", "trigger.addSchedule"),
  "form-hook": form("hooks", "trigger.addHook"),
  "schedule-history": async (page, { f }) => {
    await page.goto(`${f.url}/settings/schedules`);
    await page.getByRole("button", { name: says("trigger.historyOf") }).click();
    await visible(page.getByRole("list", { name: says("trigger.history") }));
  },
  "audit-row": async (page, { f }) => {
    await page.goto(`${f.url}/settings/audit`);
    await loaded(page);
    await page.locator("main li button[aria-expanded=false]").first().click();
    await visible(page.locator("main dl"));
  },
  "import-refused": async (page, { f }) => {
    await page.goto(`${f.url}/settings/appearance`);
    const chooser = page.waitForEvent("filechooser");
    await button(page, "side.importPick").click();
    await (
      await chooser
    ).setFiles({ name: "chat.json", mimeType: "application/json", buffer: Buffer.from("Dear diary") });
    await visible(page.getByText(says("side.notAnExport")));
  },
  /** The page is there and the server is not: the banner, and what a click then says. */
  away: async (page, { f }) => {
    await page.goto(`${f.url}/c/${f.answer}`);
    await visible(page.locator("svg[id^=diagram]"));
    await page.route("**/api/v1/**", (route) => route.abort());
    await page.goto(f.url).catch(() => undefined);
    await visible(page.getByText(says("net.waiting")));
    await page.locator("textarea").fill("你好");
    await page.keyboard.press("Enter");
    await until(async () => (await page.getByRole("status").count()) > 0, "it says why");
    return () => page.unroute("**/api/v1/**");
  },
};
