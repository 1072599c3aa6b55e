import { ask, assert, finished, gone, say, until, visible } from "./steps.mjs";

const echo = (id) => ({ when: { user_contains: id }, reply: { text: `You said: {{user}}` } });

export const tests = {
  async "a run is stopped, and what was said stays"(t) {
    const { open, model, id } = t;
    const { page } = await open();
    await model.rules({
      when: { user: `stop ${id}` },
      reply: { text: "The beginning.\n\nThe end.", chunk_runes: 16, gate: id, gate_chunk: 2 },
    });
    await ask(t, page, `stop ${id}`);
    await visible(page.getByText("The beginning."));
    await page.keyboard.press("Control+.");
    await visible(page.getByText("Stopped", { exact: true }));
    await visible(page.getByText("The beginning."));
    await model.open(id);
  },

  async "editing a message makes a branch, and the switcher goes back"(t) {
    const { open, model, id } = t;
    const { page } = await open();
    await model.rules(echo(id));
    await ask(t, page, `first question ${id}`);
    await visible(page.getByText(`You said: first question ${id}`));
    await finished(page);
    await page.getByRole("button", { name: "Edit", exact: true }).click();
    await page.getByRole("textbox", { name: "Edit" }).fill(`second question ${id}`);
    await page.keyboard.press("Enter");
    await visible(page.getByText(`You said: second question ${id}`));
    await visible(page.getByText("2 / 2"));
    await finished(page);
    await page.getByRole("button", { name: "Previous version" }).click();
    await visible(page.getByText(`You said: first question ${id}`));
    assert.equal(await page.getByText(`You said: second question ${id}`).count(), 0);
    // The other branch is what the server goes on from, also after a reload.
    await until(
      async () =>
        (await t.api.get(`/conversations/${page.url().split("/").at(-1)}/messages`)).items.some((m) =>
          m.text.includes("first question"),
        ),
      "the server knows the branch",
    );
    await page.reload();
    await visible(page.getByText(`You said: first question ${id}`));
  },

  async "an answer is made anew, and both stay"(t) {
    const { open, model, id } = t;
    const { page } = await open();
    await model.rules({
      when: { user: `again ${id}` },
      sequence: [{ text: "The first try." }, { text: "The second try." }],
    });
    await ask(t, page, `again ${id}`);
    await visible(page.getByText("The first try."));
    await finished(page);
    await page.getByRole("button", { name: "Regenerate" }).click();
    await visible(page.getByText("The second try."));
    await visible(page.getByText("2 / 2"));
  },

  async "a failed run says why and offers another try"(t) {
    const { open, model, id } = t;
    const { page } = await open();
    await model.rules({
      when: { user: `trouble ${id}` },
      sequence: [{ status: 400, error_message: "the prompt is too strange" }, { text: "Now it works." }],
    });
    await ask(t, page, `trouble ${id}`);
    await visible(page.getByText("The run failed", { exact: true }));
    await visible(page.getByText(/too strange/));
    await t.shot(page, "failed-run");
    await page.getByRole("button", { name: "Try again" }).click();
    await visible(page.getByText("Now it works."));
  },

  async "files are attached by the picker and by paste"(t) {
    const { open, model, id, url, api } = t;
    const { page } = await open();
    await model.rules(echo(id));
    const conversation = await api.conversation();
    await page.goto(`${url}/c/${conversation.id}`);
    await page
      .locator('input[type="file"]')
      .first()
      .setInputFiles({ name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("hello") });
    await visible(page.getByText("notes.txt"));
    await page.evaluate(() => {
      const data = new DataTransfer();
      const png = Uint8Array.from(
        atob("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="),
        (c) => c.charCodeAt(0),
      );
      data.items.add(new File([png], "shot.png", { type: "image/png" }));
      document
        .querySelector("textarea")
        .dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
    });
    await visible(page.getByText("shot.png"));
    await page.locator("textarea").fill(`look at these ${id}`);
    await until(() => page.getByRole("button", { name: "Send" }).isEnabled(), "both uploads are done");
    await page.keyboard.press("Enter");
    await visible(page.getByText(/You said: .*look at these/s));
    const [sent] = (await api.get(`/conversations/${conversation.id}/messages`)).items;
    assert.deepEqual(
      sent.attachments.map((a) => a.name),
      ["notes.txt", "shot.png"],
    );
  },

  // A8: what was written and attached on the first page is still there when the chat cannot be made.
  async "a new chat that cannot be made gives its message and files back"(t) {
    const { open, model, id, url, api } = t;
    const { page } = await open();
    await model.rules(echo(id));
    let refused = 0;
    await page.route("**/api/v1/conversations", (route) =>
      route.request().method() === "POST" && refused++ === 0
        ? route.fulfill({
            status: 503,
            contentType: "application/problem+json",
            body: '{"code":"unavailable","detail":"Not now."}',
          })
        : route.fallback(),
    );
    await page.goto(url);
    await page
      .locator('input[type="file"]')
      .first()
      .setInputFiles({ name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("hello") });
    await until(() => page.getByRole("button", { name: "Send" }).isEnabled(), "the upload is done");
    await say(page, `Compute 12*(3+4) ${id}`);
    await visible(page.getByText("Not now."));
    await visible(page.getByRole("list", { name: "Attachments" }).getByText("notes.txt"));
    assert.equal(await page.locator("textarea").inputValue(), `Compute 12*(3+4) ${id}`);
    await page.locator("textarea").press("Enter");
    await page.waitForURL(/\/c\//);
    await visible(page.getByRole("article", { name: "Assistant" }));
    const conversation = new URL(page.url()).pathname.split("/").pop();
    const [sent] = (await api.get(`/conversations/${conversation}/messages`)).items;
    assert.deepEqual(
      sent.attachments.map((a) => a.name),
      ["notes.txt"],
    );
  },

  // CH12: a message sent while a run is active waits for its end.
  async "a message that is sent meanwhile waits its turn"(t) {
    const { open, model, id } = t;
    const { page } = await open();
    await model.rules(
      { when: { user: `one ${id}` }, reply: { text: "Answer one.", gate: id } },
      { when: { user: `two ${id}` }, reply: { text: "Answer two." } },
    );
    await ask(t, page, `one ${id}`);
    await model.reached(id);
    await say(page, `two ${id}`);
    await visible(page.getByRole("list", { name: "Queued" }).getByText(`two ${id}`));
    await model.open(id);
    await visible(page.getByText("Answer one."));
    await visible(page.getByText("Answer two."));
    await gone(page.getByRole("list", { name: "Queued" }));
  },

  async "a message that does not get through is kept and sent again"(t) {
    const { open, model, id } = t;
    const { page } = await open();
    await model.rules(echo(id));
    await ask(t, page, `first ${id}`);
    await visible(page.getByText(`You said: first ${id}`));
    await finished(page);
    await page.route("**/runs", (route) => route.abort());
    await say(page, `second ${id}`);
    await visible(page.getByText("Not sent"));
    await page.unroute("**/runs");
    await page.getByRole("button", { name: "Try again" }).click();
    await visible(page.getByText(`You said: second ${id}`));
  },

  async "keys: search, shortcuts, slash menu, side bar, new chat"(t) {
    const { open, model, id, url, shot } = t;
    const { page } = await open();
    await model.rules({ when: { user: `向量 ${id}` }, reply: { text: "Here is a first draft." } });
    await ask(t, page, `向量 ${id}`, { title: `调研三种向量数据库 ${id}` });
    await visible(page.getByText("Here is a first draft."));
    await finished(page);
    await page.goto(url);
    await visible(page.locator("textarea"));
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Search" }).fill("三种向量");
    await page.getByRole("option", { name: new RegExp(`调研三种向量数据库 ${id}`) }).click();
    await visible(page.getByText("Here is a first draft"));
    await page.locator("textarea").fill("/fi");
    await visible(page.getByRole("option", { name: /Show files/ }));
    await shot(page, "slash-menu");
    await page.keyboard.press("Enter");
    await visible(page.getByText("Choose a project"));
    await page.keyboard.press("Control+b");
    await page.getByRole("navigation", { name: "Sidebar" }).waitFor({ state: "hidden" });
    await page.keyboard.press("Escape");
    await page.keyboard.press("?");
    await visible(page.getByRole("dialog", { name: "Keyboard shortcuts" }));
    await page.keyboard.press("Escape");
    await page.keyboard.press("Control+Shift+O");
    await visible(page.getByRole("heading", { name: "What shall we get done?" }));
  },

  // The panel of a menu is loaded when the first menu is wanted: the focus must go the way it always went.
  async "a menu is opened, used and left by the keyboard, and by the pointer"({ open, api, url, id }) {
    const { page } = await open();
    const { id: conversation } = await api.conversation({ title: `Menu ${id}` });
    await page.goto(`${url}/c/${conversation}`);
    const more = page.getByRole("button", { name: "More", exact: true });
    const first = page.getByRole("menuitem", { name: "Rename" });
    await more.focus();
    await page.keyboard.press("Enter");
    await until(() => first.evaluate((e) => e === document.activeElement), "the first item has the focus");
    assert.equal(await more.getAttribute("aria-expanded"), "true");
    await page.keyboard.press("ArrowDown");
    await until(
      () => page.getByRole("menuitem", { name: "Pin" }).evaluate((e) => e === document.activeElement),
      "the second item has the focus",
    );
    await page.keyboard.press("Escape");
    await gone(page.getByRole("menu"));
    await until(() => more.evaluate((e) => e === document.activeElement), "the button has the focus again");
    await page.keyboard.press("ArrowDown");
    await until(() => first.evaluate((e) => e === document.activeElement), "an arrow opens it too");
    await page.keyboard.press("Enter");
    const name = page.getByRole("textbox", { name: "Rename chat" });
    await name.fill(`Renamed ${id}`);
    await page.keyboard.press("Enter");
    await visible(page.getByRole("heading", { name: `Renamed ${id}` }));
    await more.click();
    await visible(first);
    await more.click();
    await gone(page.getByRole("menu"));
    await more.click();
    await visible(first);
    await page.locator("textarea").click();
    await gone(page.getByRole("menu"));
    await until(
      () => page.locator("textarea").evaluate((e) => e === document.activeElement),
      "what was pressed has the focus",
    );
  },

  // CH7: an export of one server is taken by another.
  async "a conversation is exported and imported"(t) {
    const { open, model, id, api, url } = t;
    const { page } = await open();
    await model.rules(echo(id));
    const { id: conversation } = await api.conversation({ title: `To be moved ${id}` });
    await api.ask(conversation, `carry this ${id}`);
    const document = await (await fetch(`${url}/api/v1/conversations/${conversation}/export?format=json`)).text();
    await api.delete(`/conversations/${conversation}`);
    await page.goto(url);
    await page.getByRole("button", { name: "Import a chat" }).waitFor();
    const chooser = page.waitForEvent("filechooser");
    await page.getByRole("button", { name: "Import a chat" }).click();
    await (await chooser).setFiles({ name: "chat.json", mimeType: "application/json", buffer: Buffer.from(document) });
    await page.waitForURL(/\/c\//);
    await visible(page.getByText(`You said: carry this ${id}`));
    await visible(page.getByRole("heading", { name: `To be moved ${id}` }));
  },
};
