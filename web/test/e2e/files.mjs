import { accessible } from "./axe.mjs";
import { ask, assert, gone, say, until, visible } from "./steps.mjs";

async function replace(page, text) {
  await page.locator(".cm-content").click();
  await page.keyboard.press("Control+a");
  await page.keyboard.type(text);
}

/** A conversation whose model writes a file. */
async function agentWrites({ api, model, id }, project, path, content) {
  await model.rules({
    when: { user: `rewrite ${path} ${id}` },
    steps: [{ calls: [{ name: "file_write", arguments: { path, content } }] }, { text: `I rewrote ${path}.` }],
  });
  const { id: conversation } = await api.conversation({ project_id: project });
  const run = await api.ask(conversation, `rewrite ${path} ${id}`);
  assert.equal(run.status, "completed");
  return { conversation, run };
}

export const tests = {
  // CH8: a file of the project that the page is about is opened by some letters of its name, a page of the settings by its.
  async "the palette opens files of the project, and settings"(t) {
    const { open, url, api, id } = t;
    const { page } = await open();
    const project = await api.project(`Palette ${id}`);
    for (const path of ["src/application.ts", "src/deep/app.py", "notes [1].md"])
      await api.write(project.id, path.split("/").map(encodeURIComponent).join("/"), "text");
    const { id: conversation } = await api.conversation({ project_id: project.id });
    await page.goto(`${url}/c/${conversation}`);
    await visible(page.locator("textarea"));
    // A file is named by @ and some letters; what it is replaced by is the path that tools take.
    const message = page.locator("textarea").first();
    await message.pressSequentially("Explain @apy");
    const offers = page.getByRole("listbox", { name: "Files and agents" });
    await visible(offers.getByRole("option", { name: "app.py" }));
    await t.shot(page, "chat-mention");
    await page.keyboard.press("Enter");
    assert.equal(await message.inputValue(), "Explain src/deep/app.py ");
    await message.pressSequentially("to me@example.com, @ap");
    await visible(offers);
    await page.keyboard.press("Escape");
    await gone(offers);
    assert.equal(await message.inputValue(), "Explain src/deep/app.py to me@example.com, @ap");
    await message.fill("");
    await page.keyboard.press("Control+k");
    const box = page.getByRole("combobox", { name: "Search" });
    await box.fill("APpy");
    await visible(page.getByRole("option", { name: "app.py" }));
    assert.equal(await page.getByRole("option").filter({ hasText: "application.ts" }).count(), 0);
    await box.fill("app");
    await visible(page.getByRole("option", { name: "application.ts" }));
    await t.shot(page, "palette-files");
    const names = await page.getByRole("option").allInnerTexts();
    assert.ok(names.findIndex((n) => n.includes("app.py")) < names.findIndex((n) => n.includes("application.ts")));
    await box.fill("notes [1");
    await visible(page.getByRole("option", { name: "notes [1].md" }));
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/p\/.*notes/);
    await visible(page.getByText("text", { exact: true }));
    await page.keyboard.press("Escape");
    await page.keyboard.press("Control+k");
    await box.fill("webho");
    await visible(page.getByRole("option", { name: "Webhooks" }));
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/settings\/hooks/);
  },

  // CH8, CH1: a project from nothing to a conflict that is decided knowingly.
  async "project, upload, edit, and an agent changes the file meanwhile: the conflict is shown as a diff"(t) {
    const { open, url, api, id, shot } = t;
    const { page } = await open();
    await page.goto(url);
    await page.getByRole("button", { name: "New project" }).click();
    await page.getByLabel("Name", { exact: true }).fill(`Field notes ${id}`);
    await page.getByRole("button", { name: "Create" }).click();
    await page.waitForURL(/\/p\//);
    const project = page.url().split("/").at(-1);
    await visible(page.getByText("No files yet"));
    await shot(page, "project-empty");
    const chooser = page.waitForEvent("filechooser");
    await page.getByRole("button", { name: "Upload files" }).click();
    await (
      await chooser
    ).setFiles([
      {
        name: "README.md",
        mimeType: "text/markdown",
        buffer: Buffer.from("# Notes\n\n- one\n- two\n- three\n\nA small project to try things.\n"),
      },
      {
        name: "main.py",
        mimeType: "text/x-python",
        buffer: Buffer.from('def greet(name: str) -> str:\n    return f"Hello, {name}!"\n'),
      },
    ]);
    await page.getByRole("treeitem", { name: /README\.md/ }).click();
    await visible(page.locator(".cm-content").getByText("A small project"));
    await replace(page, "saved");
    await visible(page.getByText("Unsaved changes"));
    await page.keyboard.press("Control+s");
    await until(async () => (await api.file(project, "README.md")) === "saved", "saved");
    await gone(page.getByText("Unsaved changes"));
    await replace(page, "mine");
    await agentWrites(t, project, "README.md", "# Notes\n\nRewritten by an agent.\n");
    await visible(page.getByText("This file changed while you were editing"));
    await page.getByRole("button", { name: "Compare", exact: true }).click();
    await visible(page.locator(".cm-mergeView").getByText("Rewritten by an agent."));
    await shot(page, "conflict");
    assert.match(await api.file(project, "README.md"), /Rewritten by an agent/, "nothing was overwritten");
    await page.getByRole("button", { name: "Save my version" }).click();
    await until(async () => (await api.file(project, "README.md")) === "mine", "mine was saved over theirs, knowingly");
  },

  async "a save that comes too late is refused by the server and shown as a diff"({ open, url, api, id }) {
    const { page } = await open();
    const project = await api.project(`Late ${id}`);
    await api.write(project.id, "a.md", "one");
    await page.goto(`${url}/p/${project.id}/a.md`);
    await visible(page.locator(".cm-content").getByText("one"));
    await replace(page, "mine");
    await api.write(project.id, "a.md", "theirs");
    await page.keyboard.press("Control+s");
    await visible(page.getByText("This file changed while you were editing"));
    assert.equal(await api.file(project.id, "a.md"), "theirs");
    await page.getByRole("button", { name: "Discard mine" }).click();
    await visible(page.locator(".cm-content").getByText("theirs"));
  },

  // A1: what an agent writes never takes the editor away from the hands that type in it.
  async "an agent's write leaves the editor, its focus and its cursor alone, and typing decides nothing"(t) {
    const { open, url, api, model, id, shot } = t;
    const { page } = await open({ prefs: { panel: "files" } });
    const project = await api.project(`Typing ${id}`);
    await api.write(project.id, "notes.md", "first\nlast\n");
    await api.write(project.id, "clean.md", "top\nhere\n");
    await api.write(project.id, "precious.txt", "keep me");
    const write = (path, content) => ({ name: "file_write", arguments: { path, content } });
    const asks = { name: "text_process", arguments: { text: `careful ${id}`, operation: "upper" } };
    await model.rules({
      when: { user: `rewrite ${id}` },
      steps: [
        {
          text: "Now.",
          gate: id,
          calls: [write("notes.md", "by the agent\n"), write("clean.md", "new top\nand\nhere\n"), asks],
        },
        { text: "All done." },
      ],
    });
    const { id: conversation } = await api.conversation({ project_id: project.id });
    await page.goto(`${url}/c/${conversation}`);
    await page.locator("textarea").first().fill(`rewrite ${id}`);
    await page.keyboard.press("Enter");
    await page.getByRole("treeitem", { name: /^notes.md/ }).click();
    await page.locator(".cm-content").getByText("first").click();
    await page.keyboard.press("End");
    await page.keyboard.type(" bananas");
    await model.open(id);
    await visible(page.getByRole("region", { name: "“Process text” needs your approval" }));
    await visible(page.getByText("This file changed while you were editing"));
    // Each of these letters once decided or edited something.
    await page.keyboard.type(" as a seed");
    assert.match(
      await page.locator(".cm-content").innerText(),
      /first bananas as a seed\n+last/,
      "typed where the cursor was",
    );
    await shot(page, "conflict-bar");
    assert.equal(
      (await api.get(`/approvals?conversation_id=${conversation}&status=pending`)).items.length,
      1,
      "nothing was decided",
    );
    assert.equal(await page.getByLabel("Arguments (JSON)").count(), 0, "nothing was opened");
    assert.equal(await api.file(project.id, "notes.md"), "by the agent\n");
    await page.getByRole("button", { name: "Compare", exact: true }).click();
    // B14: two columns of 180 px cannot be read: in the narrow panel the versions stand in one text.
    await visible(page.locator('[data-columns="1"]').getByText("by the agent"));
    await visible(page.getByRole("button", { name: "Use the saved text" }));
    await visible(page.getByRole("button", { name: "Use my text" }));
    await shot(page, "conflict-compare");
    // Both are kept: ours under a name that is free.
    await api.write(project.id, "notes (2).md", "taken");
    await page.getByRole("button", { name: "Keep both" }).click();
    await visible(page.getByText("Your text is saved as notes (3).md"));
    assert.match(await api.file(project.id, "notes (3).md"), /first bananas as a seed/);
    assert.equal(await api.file(project.id, "notes (2).md"), "taken");
    assert.equal(await api.file(project.id, "notes.md"), "by the agent\n");
    await gone(page.getByText("This file changed while you were editing"));
    await visible(page.locator(".cm-content").getByText("by the agent"));
    // Once more, and now ours replaces theirs.
    await page.locator(".cm-content").click();
    await page.keyboard.press("Control+End");
    await page.keyboard.type("mine at last");
    await api.write(project.id, "notes.md", "theirs again\n");
    await page.evaluate(() => dispatchEvent(new Event("focus")));
    await visible(page.getByText("This file changed while you were editing"));
    await page.getByRole("button", { name: "Save my version" }).click();
    await until(async () => /mine at last/.test(await api.file(project.id, "notes.md")), "saved knowingly");
  },

  async "a file that an agent changes around the cursor keeps the cursor in its line"({ open, url, api, id }) {
    const { page } = await open();
    const project = await api.project(`Cursor ${id}`);
    await api.write(project.id, "clean.md", "top\nhere\nbottom\n");
    await page.goto(`${url}/p/${project.id}/clean.md`);
    await page.locator(".cm-content").getByText("here").click();
    await page.keyboard.press("End");
    await api.write(project.id, "clean.md", "new top\nand more\nhere\nbottom\n");
    await page.evaluate(() => dispatchEvent(new Event("focus")));
    await visible(page.locator(".cm-content").getByText("and more"));
    await page.keyboard.type("!");
    assert.match(await page.locator(".cm-content").innerText(), /and more\nhere!\nbottom/);
  },

  // A5: an upload never overwrites without a decision, and what is replaced stays in the trash.
  async "an upload of files that are there asks: skip, keep both, replace, and nothing is stored before"({
    open,
    url,
    api,
    id,
    shot,
  }) {
    for (const [theme, locale, size] of [
      ["light", "en", "desktop"],
      ["dark", "zh", "phone"],
    ]) {
      const { page } = await open({ theme, locale, size });
      const en = locale === "en";
      const project = await api.project(`Upload ${id} ${locale}`);
      await api.write(project.id, "over.txt", "ORIGINAL");
      await page.goto(`${url}/p/${project.id}`);
      if (size === "phone") await page.getByRole("button", { name: "文件", exact: true }).click();
      await visible(page.getByRole("treeitem", { name: /over\.txt/ }));
      const upload = async (text) => {
        const chooser = page.waitForEvent("filechooser");
        await page.getByRole("button", { name: en ? "Upload files" : "上传文件", exact: true }).click();
        await (
          await chooser
        ).setFiles([
          { name: "over.txt", mimeType: "text/plain", buffer: Buffer.from(text) },
          { name: `${text}.txt`, mimeType: "text/plain", buffer: Buffer.from(text) },
        ]);
        const dialog = page.getByRole("dialog", { name: en ? "1 file already exists" : "有 1 个文件已存在" });
        await visible(dialog.getByText(/over\.txt/));
        return (name) => dialog.getByRole("button", { name }).click();
      };
      const text = (name) => api.file(project.id, name).catch(() => "");
      const cancel = await upload("one");
      await shot(page, `upload-conflict-${theme}-${size}`);
      await cancel(en ? "Cancel" : "取消");
      assert.deepEqual([await text("over.txt"), await text("one.txt")], ["ORIGINAL", ""], "nothing is stored");
      await (
        await upload("two")
      )(en ? "Skip" : "跳过");
      await until(async () => (await text("two.txt")) === "two", "the other file is stored");
      assert.equal(await text("over.txt"), "ORIGINAL");
      await (
        await upload("three")
      )(en ? "Keep both" : "两者都保留");
      await until(async () => (await text("three.txt")) === "three", "both are kept");
      assert.equal(await text("over.txt"), "ORIGINAL");
      await (
        await upload("four")
      )(en ? "Replace" : "替换");
      await until(async () => (await text("over.txt")) === "four", "replaced");
      assert.ok(
        (await api.get(`/projects/${project.id}/trash`)).items.some((item) => item.path === "over.txt"),
        "the old version is in the trash",
      );
    }
  },

  // A6: what goes with a project is said before it is deleted.
  async "the dialog that deletes a project says how many chats and which files go"({ open, url, api, id, shot }) {
    const { page } = await open();
    const project = await api.project(`Doomed ${id}`);
    for (let n = 0; n < 3; n++) await api.conversation({ project_id: project.id });
    await page.goto(`${url}/p/${project.id}`);
    await page.getByRole("button", { name: "Project settings" }).click();
    await visible(page.getByText(/3 chats will be deleted too\. Its files and trash will be deleted permanently\./));
    await shot(page, "project-delete");
  },

  async "a dropped file is uploaded, files are found by their text, and unsaved text is not lost without a word"({
    open,
    url,
    api,
    id,
    shot,
  }) {
    const { page } = await open();
    const project = await api.project(`Search ${id}`);
    await api.write(project.id, "src/main.py", "def greet(name):\n    return name\n\n\nprint(greet('world'))\n");
    await page.goto(`${url}/p/${project.id}`);
    await visible(page.getByRole("treeitem", { name: "src" }));
    const data = await page.evaluateHandle(() => {
      const transfer = new DataTransfer();
      transfer.items.add(new File(["one"], "dropped.txt", { type: "text/plain" }));
      return transfer;
    });
    await page.getByRole("treeitem", { name: "src" }).dispatchEvent("drop", { dataTransfer: data });
    await visible(page.getByRole("treeitem", { name: /dropped\.txt/ }));
    await page.getByRole("button", { name: "Search", exact: true }).last().click();
    await page.getByRole("searchbox", { name: "Search in files" }).fill("greet");
    await visible(page.getByText("2 matches"));
    await page.getByText("src/main.py:5").click();
    await visible(page.locator(".cm-content").getByText("print"));
    await shot(page, "file-search");
    await replace(page, "mine");
    await page.getByRole("link", { name: "New chat", exact: true }).first().click();
    await visible(page.getByText("Discard your changes?"));
    await page.getByRole("button", { name: "Cancel" }).click();
    await visible(page.locator(".cm-content").getByText("mine"));
  },

  async "files that a conversation changed are marked beside it"(t) {
    const { open, url, api, id, shot } = t;
    const { page } = await open({ prefs: { panel: "files" } });
    const project = await api.project(`Marks ${id}`);
    await api.write(project.id, "other.md", "untouched");
    const { conversation } = await agentWrites(t, project.id, "result.txt", "84\n");
    await page.goto(`${url}/c/${conversation}`);
    await visible(page.getByRole("treeitem", { name: /^result.txt.*changed by this chat/ }));
    await shot(page, "chat-files");
    await page.getByRole("treeitem", { name: /^result.txt/ }).click();
    await visible(page.locator(".cm-content").getByText("84"));
  },

  async "a file is renamed, deleted to the trash, restored, and deleted for good"({ open, url, api, id, shot }) {
    const { page } = await open();
    const project = await api.project(`Trash ${id}`);
    await api.write(project.id, "notes.md", "keep me");
    await page.goto(`${url}/p/${project.id}`);
    await page.getByRole("treeitem", { name: "notes.md" }).focus();
    await page.keyboard.press("F2");
    await page.getByRole("textbox", { name: "New path" }).fill("docs/notes.md");
    await page.keyboard.press("Enter");
    // Below docs: until it is moved there is a row with the same name above.
    const file = page.getByRole("treeitem", { name: "notes.md", level: 2 });
    const remove = async () => {
      await file.focus();
      await page.keyboard.press("Delete");
      await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
      await gone(file);
      await page.getByRole("button", { name: "Trash", exact: true }).click();
    };
    await remove();
    await page.getByRole("button", { name: "Restore docs/notes.md" }).click();
    await until(async () => (await api.file(project.id, "docs/notes.md").catch(() => "")) === "keep me", "restored");
    await page.getByRole("button", { name: "Files", exact: true }).click();
    await remove();
    await page.getByRole("checkbox", { name: "Choose docs/notes.md" }).check();
    await shot(page, "trash-chosen");
    await page.getByRole("button", { name: "Delete permanently" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete permanently" }).click();
    await visible(page.getByText("The trash is empty"));
    assert.deepEqual((await api.get(`/projects/${project.id}/trash`)).items, []);
  },

  // CH11: what a run changed is looked at as a diff and taken back; what was changed since is left alone.
  async "what a run changed is shown as diffs and reverted, except where it was changed since"(t) {
    const { open, url, api, model, id, shot } = t;
    const { page } = await open();
    const project = await api.project(`Undo ${id}`);
    await api.write(project.id, "README.md", "# Notes\n\n- one\n- two\n");
    const call = (path, content) => ({ name: "file_write", arguments: { path, content } });
    await model.rules({
      when: { user: `change ${id}` },
      steps: [
        {
          calls: [
            call("README.md", "# Notes\n\n- one\n- three\n"),
            call("new.txt", "new\n"),
            call("later.txt", "by the agent\n"),
          ],
        },
        { text: "Changed." },
      ],
    });
    const { id: conversation } = await api.conversation({ project_id: project.id });
    await api.ask(conversation, `change ${id}`);
    await api.write(project.id, "later.txt", "by a person\n");
    await page.goto(`${url}/c/${conversation}`);
    await page.getByRole("button", { name: "3 files changed" }).click();
    const changes = page.getByRole("region", { name: "What this run changed" });
    await changes.getByRole("button", { name: /README\.md/ }).click();
    const diff = changes.getByRole("group", { name: "Changes to README.md" });
    await visible(diff.getByText("-- two"));
    await visible(diff.getByText("+- three"));
    await shot(page, "changes");
    await changes.getByRole("button", { name: "Revert all" }).click();
    const dialog = page.getByRole("dialog", { name: "Revert these changes?" });
    await visible(dialog.getByText("later.txt"));
    await shot(page, "revert");
    assert.match(await api.file(project.id, "README.md"), /three/, "nothing is done before it is agreed to");
    await dialog.getByRole("button", { name: "Revert 2" }).click();
    await until(async () => /two/.test(await api.file(project.id, "README.md")), "reverted");
    await visible(page.getByText("2 of 3 reverted"));
    assert.equal(await api.file(project.id, "later.txt"), "by a person\n", "what a person wrote since stays");
    await assert.rejects(api.file(project.id, "new.txt"), /404/);
  },

  // F8: a file is looked at as what it is, and a page in it can do nothing.
  async "files are previewed: Markdown, a page without its scripts, a table, pictures and sound"(t) {
    const { open, url, api, id, shot } = t;
    const { page, problems } = await open();
    const project = await api.project(`Previews ${id}`);
    const see = async (name, text) => {
      await api.write(project.id, name, text);
      await page.goto(`${url}/p/${project.id}/${name}`);
      await page.getByText("Preview", { exact: true }).click();
    };
    await see("notes.md", "# A heading\n\n- one\n");
    await visible(page.getByRole("main").getByRole("heading", { name: "A heading" }));
    const square =
      '<svg xmlns="http://www.w3.org/2000/svg" width="90" height="60"><rect width="90" height="60" fill="teal"/></svg>';
    await api.write(project.id, "图 1/shape.svg", square);
    await see(
      "docs/read me.md",
      "# Inside\n\n![a shape](../图%201/shape.svg)\n\n[the notes](../notes.md)\n\n![none](../../x.png)\n",
    );
    await until(
      () => page.getByRole("button", { name: "a shape" }).evaluate((img) => img.naturalWidth === 90),
      "the picture beside the file is shown",
    );
    await shot(page, "preview-markdown");
    await page.getByRole("link", { name: "the notes" }).click();
    await visible(page.getByRole("main").getByRole("heading", { name: "A heading" }));
    assert.match(page.url(), /\/notes\.md$/);
    problems.splice(0); // of the picture that is not there
    await see("table.csv", 'name,said\nAnn,"a, b"\nBob,"two\nlines"\n');
    await visible(page.getByRole("cell", { name: "a, b" }));
    await visible(page.getByRole("columnheader", { name: "said" }));
    await shot(page, "preview-table");
    await see(
      "page.html",
      "<h1>Shown</h1><script>parent.document.title = 'broken out'; document.body.innerHTML = 'ran'</script>",
    );
    const frame = page.frameLocator("iframe");
    await visible(frame.getByRole("heading", { name: "Shown" }));
    assert.equal(await frame.locator("body").getByText("ran", { exact: true }).count(), 0);
    assert.doesNotMatch(await page.title(), /broken out/);
    assert.match(problems.splice(0).join(), /Blocked script execution/, "the browser refused it");
    await see(
      "shape.svg",
      '<svg xmlns="http://www.w3.org/2000/svg" width="90" height="60"><rect width="90" height="60"/></svg>',
    );
    const width = () => page.getByRole("img", { name: "shape.svg" }).evaluate((img) => img.naturalWidth);
    await until(async () => (await width()) === 90, "the picture is drawn");
    await api.write(project.id, "sound.wav", "RIFF");
    await page.goto(`${url}/p/${project.id}/sound.wav`);
    await page.locator("audio").waitFor({ state: "attached" });
    await page.goto(`${url}/p/${project.id}/notes.md`);
    await visible(page.getByRole("main").getByRole("heading", { name: "A heading" }), 10_000);
  },

  // F7, F8: an answer shows pictures of the project, opens its files, and previews the pages and drawings in it.
  async "an answer shows the project's pictures, opens its files and previews its code"(t) {
    const { page } = await t.open();
    const project = await t.api.project("Answer");
    const svg = (colour) =>
      `<svg xmlns="http://www.w3.org/2000/svg" width="60" height="40"><rect width="60" height="40" fill="${colour}"/></svg>`;
    await t.api.write(project.id, "plots/sales.svg", svg("teal"));
    await t.api.write(project.id, "notes.md", "# Remember");
    const block = (language, code) => `\n\n\`\`\`${language}\n${code}\n\`\`\``;
    const text =
      "![Sales](plots/sales.svg) and ![not there](none.png)\n\nSee [the notes](notes.md)." +
      block("html", "<h1>A page</h1>") +
      block("mermaid", "graph LR; A[Start]-->B[End]");
    await t.model.rules({ when: { user: `answer ${t.id}` }, steps: [{ text }] });
    await ask(t, page, `answer ${t.id}`, { project_id: project.id });
    const picture = page.getByRole("button", { name: "Sales" });
    await visible(picture);
    assert.equal(await picture.evaluate((e) => e.decode().then(() => e.naturalWidth)), 60);
    await until(async () => /and not there/.test(await page.getByRole("article").last().innerText()), "words stay");
    await picture.focus();
    await page.keyboard.press("Enter");
    await visible(page.getByRole("dialog", { name: "Sales" }).locator("img"));
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Preview" }).click();
    await visible(page.frameLocator("article iframe").getByRole("heading", { name: "A page" }));
    assert.equal(await page.locator("article iframe").getAttribute("sandbox"), ""); // nothing runs in it
    await page.getByRole("button", { name: "Copy source" }).click();
    assert.match(await page.evaluate(() => navigator.clipboard.readText()), /^graph LR/);
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Download as SVG" }).click(),
    ]);
    assert.equal(file.suggestedFilename(), "diagram.svg");
    await page.getByRole("button", { name: "Show in full" }).click();
    const whole = page.getByRole("dialog", { name: "diagram.svg" }).locator("img");
    assert.ok((await whole.evaluate((e) => e.decode().then(() => e.naturalWidth))) > 100);
    await t.shot(page, "answer-diagram");
    await page.keyboard.press("Escape");
    await t.shot(page, "answer-files");
    await page.getByRole("link", { name: "the notes" }).click();
    await visible(page.getByRole("region", { name: "notes.md" }));
    await accessible(page);
    // A file that goes with a message can be looked at there.
    await page
      .locator("input[type=file]")
      .first()
      .setInputFiles({ name: "sales.csv", mimeType: "text/csv", buffer: Buffer.from("item,units\ntea,12\n") });
    await say(page, `answer ${t.id}`);
    await page.getByRole("button", { name: "Show sales.csv" }).click();
    await visible(page.getByRole("cell", { name: "tea" }));
  },
};
