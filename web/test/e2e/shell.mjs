import { startServer } from "./server.mjs";
import { assert, ask, finished, gone, until, visible } from "./steps.mjs";

const sidebar = (page) => page.getByRole("navigation", { name: "Sidebar" });
const focused = (page) => page.evaluate(() => document.activeElement?.closest("input, textarea, button")?.outerHTML);

/** A PDF with one line of text. */
function pdfOf(line) {
  const drawn = `BT /F1 12 Tf 20 200 Td (${line}) Tj ET`;
  const objects = [
    "<</Type/Catalog/Pages 2 0 R>>",
    "<</Type/Pages/Kids[3 0 R]/Count 1>>",
    "<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 300]/Resources<</Font<</F1 5 0 R>>>>/Contents 4 0 R>>",
    `<</Length ${drawn.length}>>stream\n${drawn}\nendstream`,
    "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>",
  ];
  let file = "%PDF-1.4\n";
  const places = objects.map((object, i) => {
    const at = file.length;
    file += `${i + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(at).padStart(10, "0")} 00000 n \n`;
  });
  const size = objects.length + 1;
  const table = `xref\n0 ${size}\n0000000000 65535 f \n${places.join("")}`;
  return `${file}${table}trailer\n<</Size ${size}/Root 1 0 R>>\nstartxref\n${file.length}\n%%EOF`;
}

export const tests = {
  // A10, A11: a run of twenty minutes is not called "New chat" for twenty minutes.
  async "a chat is named everywhere as soon as its first run starts"({ open, api, url, model, id }) {
    const { page } = await open();
    const title = `Compare the databases ${id}`;
    await model.rules({ when: { user: title }, reply: { text: "Done.", gate: id } });
    await ask({ api, url }, page, title);
    await model.reached(id);
    await visible(sidebar(page).getByRole("link", { name: title }));
    await visible(page.getByRole("main").getByRole("button", { name: title }));
    await until(async () => (await page.title()).startsWith(title), "the tab's title");
    await model.open(id);
    await finished(page);
    await visible(page.getByRole("main").getByRole("button", { name: title }));
  },

  // A18: of several approvals the last one decides whether the chat needs somebody.
  async "a chat is marked as waiting until the last of its approvals is decided"({ open, api, url, model, id }) {
    const { page } = await open();
    await model.rules({
      when: { user: `shout ${id}` },
      steps: [
        {
          calls: ["one", "two"].map((text) => ({ name: "text_process", arguments: { text, operation: "upper" } })),
        },
        { text: "Done." },
      ],
    });
    const conversation = await ask({ api, url }, page, `shout ${id}`);
    const row = sidebar(page).getByRole("link", { name: `shout ${id}` });
    const waits = row.getByText("Needs you");
    await visible(waits);
    // B16: the tab says so too.
    await until(async () => /^\(\d+\) /.test(await page.title()), "the tab's title");
    assert.match((await page.locator('link[rel="icon"]').getAttribute("href")) ?? "", /waiting/);
    const pending = async () =>
      (await api.get("/approvals?status=pending")).items.filter((a) => a.conversation_id === conversation);
    await until(async () => (await pending()).length === 2, "both wait");
    const [first, second] = await pending();
    await api.post(`/approvals/${first.id}`, { decision: "approve", scope: "once" });
    await until(async () => (await pending()).length === 1, "one is decided");
    await gone(page.locator("[data-approval]").nth(1));
    assert.equal(await waits.count(), 1, "the other one still waits");
    await api.post(`/approvals/${second.id}`, { decision: "approve", scope: "once" });
    await finished(page);
    await gone(waits);
  },

  // A23
  async "a chat that is deleted in one tab closes in the other"({ open, api, url, id, shot }) {
    const { page } = await open();
    const { id: conversation } = await api.conversation({ title: `Doomed ${id}` });
    await page.goto(`${url}/c/${conversation}`);
    await visible(sidebar(page).getByRole("link", { name: `Doomed ${id}` }));
    await page.locator("textarea").fill("worth keeping");
    await api.delete(`/conversations/${conversation}`);
    await visible(page.getByText("Not found"));
    await gone(sidebar(page).getByRole("link", { name: `Doomed ${id}` }));
    assert.equal(await page.locator("textarea").count(), 0, "nothing can be written to it");
    await shot(page, "chat-deleted-elsewhere");
    // What was being written is not lost with it.
    await page.getByRole("link", { name: "Start a new chat" }).click();
    await until(async () => (await page.locator("textarea").inputValue()) === "worth keeping", "the draft");
  },

  // A23: no other tab goes on with a project that is gone, nor with its chats.
  async "a project that is deleted in one tab is gone in the others, with its chats"({ open, api, url, id, shot }) {
    const { page, context } = await open();
    const project = await api.project(`Gone ${id}`);
    const chat = await api.conversation({ title: `Inside ${id}`, project_id: project.id });
    await page.goto(`${url}/p/${project.id}`);
    await visible(page.getByRole("main").getByRole("link", { name: `Inside ${id}` }));
    const other = await context.newPage();
    await other.goto(`${url}/c/${chat.id}`);
    await visible(other.locator("textarea"));
    await api.delete(`/projects/${project.id}`);
    await visible(other.getByText("Not found"));
    await gone(sidebar(other).getByRole("link", { name: `Gone ${id}` }));
    await gone(sidebar(page).getByRole("link", { name: `Inside ${id}` }));
    // Its own page says what became of it, without being touched.
    await visible(page.getByText("This project is gone."));
    await shot(page, "project-deleted-elsewhere");
    assert.equal(await page.locator("textarea").count(), 0, "nothing can be written in it");
    await page.getByRole("link", { name: "Start a new chat" }).click();
    await page.waitForURL(url + "/");
  },

  // A23: what is typed into one of its files is not lost with it.
  async "a project without chats is gone for who has it open, but for a text that is not saved"(t) {
    const { open, api, url, id } = t;
    const { page, context } = await open();
    const project = await api.project(`Empty ${id}`);
    await api.write(project.id, "notes.md", "one\n");
    await page.goto(`${url}/p/${project.id}/notes.md`);
    await page.locator(".cm-content").click();
    await page.keyboard.type("unsaved words ");
    await visible(page.getByText("Unsaved"));
    const other = await context.newPage();
    await other.goto(`${url}/knowledge/${project.id}`);
    await visible(other.getByRole("heading", { name: "Skills and memory" }));
    await api.delete(`/projects/${project.id}`);
    await visible(other.getByText("This project is gone."));
    await visible(page.getByRole("alert").filter({ hasText: "This project is gone." }));
    assert.match(await page.locator(".cm-content").innerText(), /unsaved words/);
    await t.shot(page, "project-deleted-unsaved");
  },

  // CH13: many projects do not push the chats out of sight; those in use are shown.
  async "of many projects the sidebar shows those in use, and all on demand"(t) {
    const server = await startServer({ model: t.model });
    t.later(() => server.close());
    const { page } = await t.open({ url: server.url });
    const made = [];
    for (let n = 1; n <= 30; n++) made.push(await server.api.project(`Project ${n}`));
    await server.api.conversation({ title: "Alone" });
    await server.api.conversation({ title: "Recent", project_id: made[2].id });
    await page.goto(`${server.url}/p/${made[8].id}`);
    const links = sidebar(page).getByRole("link", { name: /^Project/ });
    await until(async () => (await links.count()) === 7, "a few projects");
    const names = await links.allInnerTexts();
    assert.ok(names.includes("Project 3") && names.includes("Project 9"), names.join());
    assert.ok(await sidebar(page).getByRole("link", { name: "Alone" }).isVisible());
    await t.shot(page, "many-projects");
    await sidebar(page).getByRole("button", { name: "All 30 projects" }).click();
    await until(async () => (await links.count()) === 30, "all projects");
    await page.reload();
    await until(async () => (await links.count()) === 30, "as it was left");
    await sidebar(page).getByRole("button", { name: "All 30 projects" }).click();
    await until(async () => (await links.count()) === 7, "folded again");
  },

  // A15: what is typed goes into the dialog, and Enter does what the dialog is for.
  async "a dialog has its first field in focus, or the button that answers it"({ open, api, url, id }) {
    const { page } = await open();
    const doomed = await api.conversation({ title: `Enter deletes ${id}` });
    await page.goto(url);
    await page.getByRole("button", { name: "New project" }).click();
    await visible(page.getByRole("dialog"));
    await page.keyboard.type(`Website relaunch ${id}`);
    assert.equal(await page.getByLabel("Name", { exact: true }).inputValue(), `Website relaunch ${id}`);
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/p\//);
    await page.getByRole("button", { name: "Project settings" }).click();
    await visible(page.getByRole("dialog"));
    await page.keyboard.press("Control+a");
    await page.keyboard.type(`Renamed ${id}`);
    await page.keyboard.press("Enter");
    await visible(page.getByRole("heading", { name: `Renamed ${id}` }));
    await page.goto(`${url}/c/${doomed.id}`);
    await page.getByRole("main").getByRole("button", { name: "More" }).click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
    await visible(page.getByRole("dialog"));
    assert.match((await focused(page)) ?? "", />\s*Delete\s*</);
    await page.keyboard.press("Enter");
    await page.waitForURL(`${url}/`);
  },

  // A24: without a mouse there is no hover that shows what can be done.
  async "a phone shows the menus of chats and files, and the chats of a project"({ open, api, url, id, shot }) {
    const { page } = await open({ size: "phone" });
    const project = await api.project(`Pocket ${id}`);
    await api.write(project.id, "notes.md", "one");
    await api.conversation({ title: `Inside ${id}`, project_id: project.id });
    await page.goto(`${url}/p/${project.id}`);
    await visible(page.getByRole("main").getByRole("link", { name: `Inside ${id}` }));
    await shot(page, "phone-project");
    await page.getByRole("button", { name: "Files", exact: true }).click();
    const opacity = (locator) => locator.evaluate((element) => getComputedStyle(element).opacity);
    const actions = page.getByRole("treeitem", { name: /notes\.md/ }).locator("[data-actions]");
    assert.equal(await opacity(actions), "1");
    await actions.click();
    await visible(page.getByRole("menuitem", { name: "Download" }));
    await shot(page, "phone-file-menu");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Show sidebar" }).click();
    const row = sidebar(page).getByRole("button", { name: `Actions for Inside ${id}` });
    assert.equal(await opacity(row), "1");
    await row.click();
    await visible(page.getByRole("menuitem", { name: "Rename" }));
  },

  // A31
  async "a new file in a closed folder is shown in the tree"({ open, api, url, id }) {
    const { page } = await open();
    const project = await api.project(`Reveal ${id}`);
    await api.write(project.id, "docs/old.md", "one");
    await page.goto(`${url}/p/${project.id}`);
    await visible(page.getByRole("treeitem", { name: "docs" }));
    await page.getByRole("button", { name: "New file" }).click();
    await page.keyboard.type("docs/todo.md");
    await page.keyboard.press("Enter");
    await visible(page.getByRole("treeitem", { name: /todo\.md/ }));
    await visible(page.locator(".cm-content"));
  },

  // A14: a file that misses the box never opens in place of the app.
  async "a file that is dropped anywhere on a chat is attached"({ open, api, url }) {
    const { page } = await open();
    const { id: conversation } = await api.conversation();
    await page.goto(`${url}/c/${conversation}`);
    await visible(page.locator("textarea"));
    const dataTransfer = await page.evaluateHandle(() => {
      const transfer = new DataTransfer();
      transfer.items.add(new File(["one"], "dropped.txt", { type: "text/plain" }));
      return transfer;
    });
    const header = page.getByRole("button", { name: "Side panel" });
    await header.dispatchEvent("dragover", { dataTransfer });
    await visible(page.getByText("Drop files to attach them"));
    await header.dispatchEvent("drop", { dataTransfer });
    await visible(page.getByRole("list", { name: "Attachments" }).getByText("dropped.txt"));
    await gone(page.getByText("Drop files to attach them"));
  },

  // B6: what the next message is sent with is chosen where it is written.
  async "agent, thinking, tools and project are chosen at the message box"({ open, api, url, id, shot }) {
    const { page } = await open();
    const project = await api.project(`Chosen ${id}`);
    const { id: conversation } = await api.conversation();
    const now = () => api.get(`/conversations/${conversation}`);
    await page.goto(`${url}/c/${conversation}`);
    await page.getByRole("button", { name: "Project: No project" }).click();
    await page.getByRole("menuitem", { name: `Chosen ${id}` }).click();
    await until(async () => (await now()).project_id === project.id, "the project");
    await page.getByRole("button", { name: /^Chat settings/ }).click();
    await shot(page, "composer-options");
    await page.getByRole("menuitem", { name: "Off" }).click();
    await until(async () => (await now()).thinking === "off", "thinking");
    await page.getByRole("button", { name: "Chat settings: Thinking off" }).click();
    await page.getByRole("menuitem", { name: "High" }).click();
    await until(async () => (await now()).thinking === "high", "the effort of thinking");
    await page.getByRole("button", { name: "Chat settings: High thinking effort" }).click();
    await page.getByRole("menuitem", { name: "Off" }).click();
    await page.getByRole("button", { name: "Chat settings: Thinking off" }).click();
    await page.getByRole("menuitem", { name: "Let the model call tools" }).click();
    await until(async () => (await now()).tools_enabled === false, "tools");
    await visible(page.getByRole("button", { name: "Chat settings: Thinking off: No tools" }));
  },

  // A34: what a command has changed is said, and stays to be seen where the next message is written.
  async "thinking and tools that were switched by a command show so at the message box"({ open, api, url }) {
    const { page } = await open();
    const { id } = await api.conversation();
    await page.goto(`${url}/c/${id}`);
    const command = async (name) => {
      await page.locator("textarea").first().fill(`/${name}`);
      await visible(page.getByRole("listbox", { name: "Commands" }));
      await page.keyboard.press("Enter");
    };
    const box = page.locator("[data-composer]");
    await command("think");
    await visible(page.getByText("Thinking is on"));
    await visible(box.getByText(/Thinking/));
    await command("tools");
    await visible(page.getByText("Tools are off"));
    await visible(box.getByText(/No tools/));
    await page.reload();
    await visible(box.getByText(/No tools/));
  },

  // A22: what the model cannot read is said before it is sent, and Enter waits for an upload.
  async "an unreadable attachment is marked, and a message waits for its upload"({ open, api, url, model, id, shot }) {
    const { page } = await open();
    await model.rules({ when: { user: `look ${id}` }, reply: { text: "I looked." } });
    const { id: conversation } = await api.conversation();
    await page.goto(`${url}/c/${conversation}`);
    const attach = async (...files) => {
      const chooser = page.waitForEvent("filechooser");
      await page.getByRole("button", { name: "Attach files" }).click();
      await (await chooser).setFiles(files.map(([name, text]) => ({ name, mimeType: "", buffer: Buffer.from(text) })));
    };
    const marks = page.getByText("The model can't read this file");
    await attach(
      ["zeros.bin", "\0".repeat(2000)],
      ["old.doc", "\xd0\xcf"],
      ["notes.txt", "to read"],
      ["a.pdf", pdfOf("Hello there")],
    );
    await page.getByText("a.pdf").waitFor();
    await gone(page.getByRole("list", { name: "Attachments" }).locator(".animate-spin"));
    assert.equal(await marks.count(), 2, "two of four are marked");
    assert.match(await marks.nth(1).getAttribute("title"), /no document of Word/);
    // A long text that is pasted is no message but a file.
    await page.locator("textarea").evaluate((box) => {
      const clipboardData = new DataTransfer();
      clipboardData.setData("text/plain", "many words ".repeat(800));
      box.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
    });
    await visible(page.getByText("pasted text.txt"));
    assert.equal(await page.locator("textarea").inputValue(), "");
    // Unless a person wants it to be one.
    await page.getByRole("button", { name: "Paste as text" }).click();
    await gone(page.getByText("pasted text.txt"));
    assert.equal(await page.locator("textarea").inputValue(), "many words ".repeat(800));
    let release;
    const held = new Promise((resolve) => (release = resolve));
    await page.route("**/api/v1/uploads", async (route) => (await held, route.continue()));
    await attach(["late.txt", "late"]);
    await page.locator("textarea").fill(`look ${id}`);
    await page.locator("textarea").press("Enter");
    await visible(page.getByRole("status").getByText("Sends when the upload finishes"));
    await shot(page, "attachment-waits");
    release();
    await visible(page.getByText("I looked."));
  },
};
