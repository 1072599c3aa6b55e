import { fileURLToPath } from "node:url";
import { zip } from "../zip.mjs";
import { startServer } from "./server.mjs";
import { ask, assert, finished, gone, say, until, visible } from "./steps.mjs";

const sidebar = (page) => page.getByRole("navigation", { name: "Sidebar" });
const menu = async (page, title, item) => {
  const line = sidebar(page).getByRole("listitem").filter({ hasText: title }).last();
  await line.hover();
  await line.getByRole("button", { name: `Actions for ${title}` }).click();
  await page.getByRole("menuitem", { name: item }).click();
};
const link = (page, title) => sidebar(page).getByRole("link", { name: title });

export const tests = {
  // F13: exports are taken as those products give them out: a ZIP with all chats, or a list in JSON.
  async "exports of ChatGPT, Claude and Open WebUI are imported, dates and all"(t) {
    const server = await startServer({ model: t.model });
    t.later(() => server.close());
    const { page } = await t.open({ url: server.url });
    const said = (role, text) => ({ author: { role }, content: { content_type: "text", parts: [text] } });
    const gpt = Array.from({ length: 30 }, (_, i) => ({
      title: `Tea ${i}`,
      create_time: 1.6e9 + i * 1000,
      update_time: 1.6e9 + i * 1000,
      current_node: "a",
      mapping: {
        root: { id: "root", message: null, parent: null, children: ["q"] },
        q: { id: "q", message: said("user", `Which tea ${i}?`), parent: "root", children: ["a"] },
        a: { id: "a", message: said("assistant", `Green ${i}.`), parent: "q", children: [] },
      },
    }));
    const claude = ["Bread", "Cheese"].map((name) => ({
      uuid: name,
      name,
      created_at: "2024-02-01T10:00:00.000000Z",
      updated_at: "2024-02-01T11:00:00.000000Z",
      account: { uuid: "x" },
      chat_messages: [
        {
          uuid: "1",
          sender: "human",
          text: "How?",
          content: [{ type: "text", text: "How?" }],
          attachments: [],
          files: [],
        },
        { uuid: "2", sender: "assistant", text: "Slowly.", content: [{ type: "text", text: `${name}: slowly.` }] },
      ],
    }));
    const webui = [
      {
        id: "1",
        title: "Rivers",
        created_at: 1.65e9,
        updated_at: 1.65e9,
        chat: {
          history: {
            currentId: "b",
            messages: {
              a: { id: "a", parentId: null, role: "user", content: "Longest?" },
              b: { id: "b", parentId: "a", role: "assistant", content: "The Nile." },
            },
          },
        },
      },
    ];
    await page.goto(`${server.url}/settings/appearance`);
    const choosing = page.waitForEvent("filechooser");
    await page.getByRole("button", { name: "Choose a file…" }).click();
    const file = (name, buffer) => ({ name, mimeType: "", buffer });
    await (
      await choosing
    ).setFiles([
      file("chatgpt.zip", zip({ "chat.html": "<p>", "user.json": "{}", "conversations.json": JSON.stringify(gpt) })),
      file(
        "claude.zip",
        zip({ "users.json": "[]", "conversations.json": JSON.stringify([...claude, { broken: true }]) }),
      ),
      file("chat-export-1.json", Buffer.from(JSON.stringify(webui))),
      file("holiday.zip", zip({ "picture.txt": "x" })),
      file("package.json", Buffer.from('{"name":"x"}')),
    ]);
    await visible(page.getByText("33 chats were imported"));
    await visible(page.getByText("holiday.zip is not an exported chat."));
    await visible(page.getByText("package.json is not an exported chat."));
    await visible(page.getByText("1 chat was left out"));
    await visible(page.getByText("The Nile."));
    const older = sidebar(page).getByRole("region", { name: "Chats" });
    await visible(older.getByRole("heading", { name: "Older" }));
    assert.equal(await older.getByRole("heading", { name: "Today" }).count(), 0, "their dates stay");
    await link(page, "Cheese").click();
    await visible(page.getByText("Cheese: slowly."));
    const list = (await server.api.get("/conversations?limit=100")).items;
    assert.equal(list.length, 33);
    assert.ok(
      list.every((one) => one.tools_enabled),
      "imported chats go on with tools",
    );
  },

  // A20, F17: a chat that was found opens at the words that were found, also in another version of an answer.
  async "the palette opens a chat where the words stand"(t) {
    const { open, model, url, id } = t;
    const { page } = await open();
    const word = `walrus${id.replace(/\W/g, "")}`;
    const long = Array.from({ length: 60 }, (_, i) => `Paragraph ${i} of an answer that is long.`).join("\n\n");
    await model.rules({
      when: { user: `tell ${id}` },
      sequence: [{ text: `Before.\n\nThe ${word} is **here**.\n\n${long}` }, { text: `Another answer.\n\n${long}` }],
    });
    await ask(t, page, `tell ${id}`);
    await visible(page.getByText("Paragraph 59"));
    await finished(page);
    await page.getByRole("button", { name: "Regenerate", exact: true }).click();
    await visible(page.getByText("2 / 2"));
    await finished(page);
    await page.goto(url);
    await visible(page.locator("textarea"));
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Search" }).fill(`is ${word}`);
    const option = page.getByRole("option", { name: word });
    await visible(option.locator("mark", { hasText: word }));
    await t.shot(page, "palette-match");
    await option.click();
    await page.waitForURL(/\/c\//);
    await visible(page.getByText("1 of 1"));
    const marked = () =>
      page.evaluate(() => {
        const [range] = CSS.highlights.get("found-now") ?? [];
        return range ? [range.toString(), range.getBoundingClientRect().top] : [];
      });
    await until(async () => (await marked())[0] === word, "the word is marked");
    const [, top] = await marked();
    assert.ok(top > 50 && top < 800, `it is in view: ${top}`);
    await visible(page.getByText("1 / 2"));
    await t.shot(page, "chat-found");
  },

  // F17: the palette does what a menu, a key or a setting would do.
  async "the palette carries out commands"(t) {
    const { open, url, id } = t;
    const { page } = await open();
    const { id: conversation } = await t.api.conversation({ title: `Command ${id}` });
    await page.goto(`${url}/c/${conversation}`);
    await visible(page.locator("textarea"));
    const run = async (query, name) => {
      await page.keyboard.press("Control+k");
      await page.getByRole("combobox", { name: "Search" }).fill(query);
      await visible(page.getByRole("option", { name }).and(page.locator("[aria-selected=true]")));
      await page.keyboard.press("Enter");
    };
    await run("dark them", "Theme: Dark");
    await until(() => page.evaluate(() => document.documentElement.dataset.theme === "dark"), "the dark theme");
    await run("side panel", "Show or hide the side panel");
    await visible(page.getByRole("complementary", { name: "Side panel" }));
    await run("> rename", "Rename (this chat)");
    await page.getByRole("textbox", { name: "Rename chat" }).fill("Renamed from the palette");
    await page.keyboard.press("Enter");
    await visible(page.getByRole("heading", { name: "Renamed from the palette" }));
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Search" }).fill(">");
    await visible(page.getByRole("option", { name: "Archive (this chat)" }));
    assert.equal(await page.getByRole("option", { name: "New chat" }).count(), 0);
    await t.shot(page, "palette-commands");
    await page.keyboard.press("Escape");
    await run("new chat", "New chat");
    await page.waitForURL((at) => at.pathname === "/");
    await run("new project", "New project");
    await visible(page.getByRole("dialog", { name: "New project" }));
  },

  // F6: a model names the chat when its first turn ends, a person has it named anew, and keeps what they wrote.
  async "a chat is named by the model, anew on demand, and by a person"(t) {
    const server = await startServer({ model: t.model, more: "titles: { generate: true }\n" });
    t.later(() => server.close());
    await t.model.rules(
      {
        when: { system_contains: "You name conversations", user_contains: t.id },
        sequence: [{ text: "Trip to Mars" }, { text: "Rockets and fuel" }],
      },
      { when: { user_contains: t.id }, reply: { text: "Pack enough fuel." } },
    );
    const { page } = await t.open({ url: server.url });
    const side = page.getByRole("navigation", { name: "Sidebar" });
    await ask(server, page, `I want to fly there, what do I need? ${t.id}`);
    await visible(page.getByText("Pack enough fuel."));
    await visible(side.getByRole("link", { name: "Trip to Mars" }));
    await visible(page.getByRole("heading", { level: 1, name: "Trip to Mars" }));
    await until(async () => (await page.title()).startsWith("Trip to Mars"), "the tab's title");
    await page.getByRole("main").getByRole("button", { name: "More", exact: true }).first().click();
    await page.getByRole("menuitem", { name: "Regenerate title" }).click();
    await visible(page.getByRole("heading", { level: 1, name: "Rockets and fuel" }));
    await visible(side.getByRole("link", { name: "Rockets and fuel" }));
    await page.getByRole("button", { name: "Rockets and fuel", exact: true }).click();
    await page.getByRole("textbox", { name: "Rename chat" }).fill("Mine");
    await page.keyboard.press("Enter");
    await visible(side.getByRole("link", { name: "Mine" }));
  },

  // F17: both panels are as wide as a person wants them, by mouse and by key, and stay so.
  async "the sidebar and the side panel are resized with mouse and keyboard, and keep their widths"(t) {
    const chat = await t.api.conversation({ title: `Wide ${t.id}` });
    const { page } = await t.open();
    await page.goto(`${t.url}/c/${chat.id}`);
    await page.getByRole("button", { name: "Side panel" }).click();
    const side = page.getByRole("separator", { name: "Sidebar width" });
    const panel = page.getByRole("separator", { name: "Side panel width" });
    const wide = async (id) => (await page.locator(id).boundingBox()).width;
    const dragBy = async (handle, x) => {
      const box = await handle.boundingBox();
      const from = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
      await page.mouse.move(from.x, from.y);
      await page.mouse.down();
      await page.mouse.move(from.x + x / 2, from.y);
      await page.mouse.move(from.x + x, from.y);
      await page.mouse.up();
    };
    await visible(panel);
    assert.deepEqual([await wide("#sidebar"), await wide("#side-panel")], [276, 392]);
    await dragBy(side, 60);
    await dragBy(panel, -80);
    assert.deepEqual([await wide("#sidebar"), await wide("#side-panel")], [336, 472]);
    await side.focus();
    await page.keyboard.press("ArrowLeft");
    await panel.focus();
    await page.keyboard.press("ArrowLeft");
    assert.deepEqual([await wide("#sidebar"), await wide("#side-panel")], [320, 488]);
    assert.equal(await panel.getAttribute("aria-valuenow"), "488");
    await page.reload();
    await visible(panel);
    assert.deepEqual([await wide("#sidebar"), await wide("#side-panel")], [320, 488], "kept");
    await side.focus();
    await page.keyboard.press("Home");
    assert.equal(await wide("#sidebar"), 220, "the least");
    await t.shot(page, "panels-resized");
    await panel.dblclick();
    assert.equal(await wide("#side-panel"), 392, "as it was at first");
  },

  // CH8, F10: chats stand under their project; one is put away, and back.
  async "a chat stands under its project, is archived, undone, and found in the archive"(t) {
    const project = await t.api.project(`House ${t.id}`);
    const title = `Roof ${t.id}`;
    const chat = await t.api.conversation({ title, project_id: project.id });
    const { page } = await t.open();
    await page.goto(t.url);
    const place = sidebar(page).getByRole("region", { name: "Projects" });
    await visible(place.getByRole("link", { name: title }));
    assert.equal(await sidebar(page).getByRole("region", { name: "Chats" }).getByText(title).count(), 0);
    await t.shot(page, "sidebar-projects");
    await page.getByRole("button", { name: `Chats of House ${t.id}` }).click();
    await gone(place.getByRole("link", { name: title }));
    await page.reload();
    await visible(place.getByRole("link", { name: `House ${t.id}` }));
    assert.equal(await place.getByRole("link", { name: title }).count(), 0, "it stays folded");
    await page.getByRole("button", { name: `Chats of House ${t.id}` }).click();
    await menu(page, title, "Archive");
    await gone(link(page, title));
    await page.getByRole("button", { name: "Undo", exact: true }).click();
    await visible(link(page, title));
    await menu(page, title, "Archive");
    await gone(link(page, title));
    await page.getByRole("button", { name: "Archived", exact: true }).click();
    await visible(page.getByRole("list", { name: "Archived" }).getByText(title));
    assert.equal((await t.api.get(`/conversations/${chat.id}`)).archived, true);
    await menu(page, title, "Restore from the archive");
    await until(async () => !(await t.api.get(`/conversations/${chat.id}`)).archived, "it is back");
    await visible(place.getByRole("link", { name: title }));
  },

  // F10: several at once.
  async "several chats are moved to a project, archived and deleted together"(t) {
    const project = await t.api.project(`Target ${t.id}`);
    const titles = ["one", "two", "three"].map((name) => `Bulk ${name} ${t.id}`);
    const chats = [];
    for (const title of titles) chats.push(await t.api.conversation({ title }));
    const state = (i) => t.api.get(`/conversations/${chats[i].id}`);
    const { page } = await t.open();
    await page.goto(t.url);
    await visible(link(page, titles[0]));
    const choose = async (first, ...others) => {
      await menu(page, first, "Select");
      for (const title of others) await sidebar(page).getByRole("checkbox", { name: title }).check();
    };
    await choose(titles[0], titles[1]);
    const bar = page.getByRole("toolbar", { name: "2 selected" });
    await page.getByRole("toolbar").getByRole("button", { name: "Select all" }).click();
    await visible(sidebar(page).getByRole("checkbox", { name: titles[2], checked: true }));
    await page.getByRole("toolbar").getByRole("button", { name: "Cancel" }).click();
    await choose(titles[0], titles[1]);
    await visible(bar);
    await t.shot(page, "bulk");
    await bar.getByRole("button", { name: "Move to a project" }).click();
    await page.getByRole("menuitem", { name: `Target ${t.id}` }).click();
    await gone(bar);
    assert.deepEqual([(await state(0)).project_id, (await state(1)).project_id], [project.id, project.id]);
    await choose(titles[2], titles[1]);
    await bar.getByRole("button", { name: "Archive" }).click();
    await gone(bar);
    assert.deepEqual(
      [(await state(1)).archived, (await state(2)).archived, (await state(0)).archived],
      [true, true, false],
    );
    await menu(page, titles[0], "Select");
    await page.getByRole("toolbar").getByRole("button", { name: "Delete" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await gone(link(page, titles[0]));
    await assert.rejects(state(0), /404/);
  },

  // F10: by tags, of one chat and of several, chats are found again.
  async "chats are tagged, found by a tag, and lose it again"(t) {
    const titles = ["one", "two", "three"].map((name) => `Tagged ${name} ${t.id}`);
    const chats = [];
    for (const title of titles) chats.push(await t.api.conversation({ title }));
    const tags = async (i) => (await t.api.get(`/conversations/${chats[i].id}`)).tags;
    const mine = `Plan ${t.id}`;
    const { page } = await t.open();
    await page.goto(t.url);
    await menu(page, titles[0], "Tags…");
    const dialog = page.getByRole("dialog", { name: "Tags" });
    await dialog.getByRole("textbox", { name: "Tag" }).fill(` ${mine} `);
    await page.keyboard.press("Enter");
    await visible(dialog.getByRole("list", { name: "Tags" }).getByText(mine));
    await t.shot(page, "tags");
    await page.keyboard.press("Escape");
    assert.deepEqual(await tags(0), [mine]);

    await menu(page, titles[1], "Select");
    await sidebar(page).getByRole("checkbox", { name: titles[2] }).check();
    await page.getByRole("toolbar").getByRole("button", { name: "Tags" }).click();
    await dialog.getByRole("button", { name: `Add the tag ${mine}` }).click();
    await visible(dialog.getByRole("list", { name: "Tags" }).getByText(mine));
    await page.keyboard.press("Escape");
    assert.deepEqual([await tags(1), await tags(2)], [[mine], [mine]]);
    await page.getByRole("toolbar").getByRole("button", { name: "Cancel" }).click();

    const filter = sidebar(page).getByRole("group", { name: "Filter by tag" }).getByRole("button", { name: mine });
    await filter.click();
    const found = sidebar(page).getByRole("region", { name: `Chats tagged ${mine}` });
    for (const title of titles) await visible(found.getByRole("link", { name: title }));
    assert.equal(await found.getByRole("listitem").count(), 3);
    await t.shot(page, "tag-filter");
    await found.getByRole("link", { name: titles[0] }).click();
    await visible(page.locator("header").getByRole("button", { name: mine }));

    await menu(page, titles[0], "Tags…");
    await dialog.getByRole("button", { name: `Remove the tag ${mine}` }).click();
    await gone(dialog.getByRole("list", { name: "Tags" }));
    await page.keyboard.press("Escape");
    await gone(found.getByRole("link", { name: titles[0] }));
    await sidebar(page).getByRole("button", { name: "Show all chats" }).click();
    await visible(link(page, titles[0]));
  },

  // F10: what ended unseen is marked, also after a reload and on another device, until somebody looks.
  async "a chat that ended unseen is unread everywhere until somebody looks at it"(t) {
    const title = `News ${t.id}`;
    const chat = await t.api.conversation({ title });
    await t.model.rules({ when: { user: `news ${t.id}` }, reply: { text: "something new" } });
    await t.api.ask(chat.id, `news ${t.id}`);
    const { page } = await t.open();
    await page.goto(t.url);
    const line = sidebar(page).getByRole("listitem").filter({ hasText: title });
    await visible(line.getByText("Unread"));
    await t.shot(page, "unread");
    await link(page, title).click();
    await visible(page.getByText("something new"));
    await until(async () => !(await t.api.get(`/conversations/${chat.id}`)).unread, "it is read");
    await gone(line.getByText("Unread"));
    await page.goto(t.url);
    await visible(link(page, title));
    assert.equal(await line.getByText("Unread").count(), 0);
    await menu(page, title, "Mark as unread");
    await line.getByText("Unread").waitFor({ state: "attached" }); // under the pointer the menu is in its place
  },

  // TG4, CH8: the permission mode is chosen where one writes, and acts in the run that is at work.
  async "plan mode refuses what changes something, ask mode asks, and accepted edits run"(t) {
    const project = await t.api.project(`Modes ${t.id}`);
    const write = (n) => ({ name: "file_write", arguments: { path: `n${n}.txt`, content: "x\n" } });
    await t.model.rules(
      { when: { user: `plan ${t.id}` }, steps: [{ calls: [write(1)] }, { text: "Here is the plan." }] },
      { when: { user: `ask ${t.id}` }, steps: [{ calls: [write(2)] }, { text: "Asked." }] },
      {
        when: { user: `edit ${t.id}` },
        steps: [
          { calls: [write(3), { name: "shell_execute", arguments: { command: "echo hello" } }] },
          { text: "Edited." },
        ],
      },
    );
    const { page } = await t.open();
    const mode = async (name) => {
      await page.getByRole("button", { name: /^Permissions: / }).click();
      await page.getByRole("menuitemcheckbox", { name }).or(page.getByRole("menuitem", { name })).first().click();
      await visible(page.getByRole("button", { name: `Permissions: ${name.source.slice(1)}` }));
    };
    const { id } = await t.api.conversation({ project_id: project.id });
    await page.goto(`${t.url}/c/${id}`);
    await mode(/^Plan/);
    await t.shot(page, "mode-plan");
    await until(async () => (await t.api.get(`/conversations/${id}`)).permission_mode === "plan", "the mode is stored");
    await say(page, `plan ${t.id}`);
    await visible(page.getByText("Here is the plan."));
    await finished(page);
    await assert.rejects(t.api.file(project.id, "n1.txt"), /404/, "nothing was written");
    await visible(page.getByText("blocked"));

    await mode(/^Ask/);
    await until(async () => (await t.api.get(`/conversations/${id}`)).permission_mode === "ask", "the mode is stored");
    await say(page, `ask ${t.id}`);
    await visible(page.getByRole("button", { name: "Approve once" }));
    await t.shot(page, "mode-ask");
    await page.getByRole("button", { name: "Approve once" }).click();
    await visible(page.getByText("Asked."));
    assert.equal(await t.api.file(project.id, "n2.txt"), "x\n");

    await mode(/^Accept edits/);
    await until(
      async () => (await t.api.get(`/conversations/${id}`)).permission_mode === "edits",
      "the mode is stored",
    );
    await say(page, `edit ${t.id}`);
    await visible(page.getByRole("button", { name: "Approve once" }));
    await until(async () => (await t.api.file(project.id, "n3.txt").catch(() => "")) === "x\n", "the edit ran");
    await page.getByRole("button", { name: "Approve once" }).click();
    await visible(page.getByText("Edited."));
  },

  // CH8: texts that are used again: made in the settings or of a message, chosen after a slash, filled in by Tab.
  async "prompts are kept, chosen after a slash and filled in"(t) {
    const script = fileURLToPath(new URL("./mcp-server.mjs", import.meta.url));
    const mcp = JSON.stringify({ notes: { command: process.execPath, args: [script] } });
    const server = await startServer({ model: t.model, more: `mcp_servers: ${mcp}\n` });
    t.later(() => server.close());
    const { page } = await t.open({ url: server.url });
    await page.goto(`${server.url}/settings/prompts`);
    await visible(page.getByText("No prompts yet"));
    await page.getByRole("button", { name: "New prompt" }).click();
    const form = page.getByRole("dialog", { name: "New prompt" });
    await form.getByLabel("Name").fill("Review a file");
    await form.getByLabel("Text").fill("Review {{file}} for {{what}}.");
    await t.shot(page, "prompt-form");
    await form.getByRole("button", { name: "Create" }).click();
    await visible(page.getByText("Review {{file}} for {{what}}."));
    await t.shot(page, "settings-prompts-list");

    const { id } = await server.api.conversation();
    await page.goto(`${server.url}/c/${id}`);
    const message = page.locator("textarea").first();
    const menu = page.getByRole("listbox", { name: "Commands" });
    const choose = async (query, name) => {
      await message.fill("");
      await message.pressSequentially(`/${query}`);
      await visible(menu.getByRole("option", { name }));
      await page.keyboard.press("Enter");
      await gone(menu);
    };
    await choose("review", "Review a file");
    await page.keyboard.type("app.py");
    await page.keyboard.press("Tab");
    await page.keyboard.type("mistakes");
    assert.equal(await message.inputValue(), "Review app.py for mistakes.");
    await message.fill("/");
    await visible(menu.getByRole("option", { name: "Review a file" }));
    await t.shot(page, "chat-slash-prompts");
    await choose("expl", "Explain a topic");
    await until(async () => (await message.inputValue()) !== "", "the text of the server's prompt");
    await page.keyboard.type("tides");
    assert.equal(await message.inputValue(), "Explain tides to a child.");

    await say(page, "Tell me a joke about geese.");
    await finished(page);
    const said = page.getByRole("article", { name: "You" });
    await said.hover();
    await said.getByRole("button", { name: "Save as prompt" }).click();
    const keep = page.getByRole("dialog", { name: "New prompt" });
    assert.equal(await keep.getByLabel("Text").inputValue(), "Tell me a joke about geese.");
    await keep.getByLabel("Name").fill("Geese");
    await keep.getByRole("button", { name: "Create" }).click();
    await visible(page.getByText("Saved. Type /Geese to use it again."));
    await choose("gees", "Geese");
    assert.equal(await message.inputValue(), "Tell me a joke about geese.");

    await page.goto(`${server.url}/settings/prompts`);
    await page.getByRole("button", { name: "Actions for Geese" }).click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
    await page.getByRole("button", { name: "Delete" }).click();
    await gone(page.getByText("Tell me a joke about geese."));
    assert.equal((await server.api.get("/prompts")).items.length, 1);
  },

  // CH8: an agent is named by the pointer, too.
  async "an agent is named in a message by the pointer"(t) {
    const server = await startServer({ model: t.model, more: "agents: [{ id: critic, name: Critic }]\n" });
    t.later(() => server.close());
    const { page } = await t.open({ url: server.url });
    const { id } = await server.api.conversation();
    await page.goto(`${server.url}/c/${id}`);
    const message = page.locator("textarea").first();
    await message.pressSequentially("Ask @cri");
    await page.getByRole("listbox", { name: "Files and agents" }).getByRole("option", { name: "Critic" }).click();
    assert.equal(await message.inputValue(), "Ask @critic ");
    assert.ok(await message.evaluate((box) => box === document.activeElement), "the box keeps the focus");
  },
};
