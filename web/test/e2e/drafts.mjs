// What is written and not sent yet: it stays where it was written, and in no other chat.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { startServer } from "./server.mjs";
import { assert, ask, finished, gone, say, until, visible } from "./steps.mjs";

const box = (page) => page.locator("textarea").first();
const files = (page) => page.getByRole("list", { name: "Attachments" });
const attach = (page, name) =>
  page
    .locator('input[type="file"]')
    .first()
    .setInputFiles({ name, mimeType: "text/plain", buffer: Buffer.from(`text of ${name}`) });

export const tests = {
  // A22: what is attached belongs to its chat, and a reload does not drop it.
  async "a draft keeps its text and files, through other chats and a reload, and is sent whole"(t) {
    const { page } = await t.open();
    await t.model.rules({ when: { user_contains: t.id }, reply: { text: "Got it." } });
    const one = await t.api.conversation({ title: `Draft ${t.id}` });
    const two = await t.api.conversation({ title: `Other ${t.id}` });
    await page.goto(`${t.url}/c/${one.id}`);
    await attach(page, "notes.txt");
    await visible(files(page).getByText("notes.txt"));
    await until(() => page.getByRole("button", { name: "Send", exact: true }).isEnabled(), "the upload is done");
    await box(page).fill(`read this ${t.id}`);
    await page.getByRole("link", { name: `Other ${t.id}` }).click();
    await page.waitForURL(`**/c/${two.id}`);
    await until(async () => (await box(page).inputValue()) === "", "the other chat has no draft");
    assert.equal(await files(page).count(), 0, "and no files");
    await page.getByRole("link", { name: `Draft ${t.id}` }).click();
    await visible(files(page).getByText("notes.txt"));
    await page.reload();
    await visible(files(page).getByText("notes.txt"));
    assert.equal(await box(page).inputValue(), `read this ${t.id}`);
    await box(page).press("Enter");
    await visible(page.getByText("Got it."));
    const [sent] = (await t.api.get(`/conversations/${one.id}/messages`)).items;
    assert.deepEqual([sent.text, sent.attachments.map((a) => a.name)], [`read this ${t.id}`, ["notes.txt"]]);
    await finished(page);
    await page.reload();
    await visible(page.getByText("Got it."));
    assert.deepEqual(
      [await box(page).inputValue(), await files(page).locator("button[aria-label^=Remove]").count()],
      ["", 0],
    );
  },

  async "a tab that changes its settings leaves the draft of another tab alone"(t) {
    const { page, context } = await t.open();
    const { id } = await t.api.conversation();
    await page.goto(`${t.url}/c/${id}`);
    await visible(box(page));
    const other = await context.newPage();
    await other.goto(t.url);
    await visible(box(other));
    await box(page).fill("written in the first tab");
    await other.keyboard.press("Control+b");
    await other.getByRole("navigation", { name: "Sidebar" }).waitFor({ state: "hidden" });
    await page.reload();
    await visible(box(page));
    assert.equal(await box(page).inputValue(), "written in the first tab");
  },

  // The answer to a request may come when another chat is in view.
  async "a message that is still on its way belongs to its own chat"(t) {
    const { page } = await t.open();
    await t.model.rules({ when: { user_contains: `slow ${t.id}` }, reply: { text: "Arrived." } });
    const one = await t.api.conversation({ title: `Slow ${t.id}` });
    const two = await t.api.conversation({ title: `Quick ${t.id}` });
    let let_go;
    const held = new Promise((resolve) => (let_go = resolve));
    await page.route(`**/conversations/${one.id}/runs`, async (route) => {
      await held;
      await route.continue();
    });
    await page.goto(`${t.url}/c/${one.id}`);
    await visible(box(page));
    await say(page, `slow ${t.id}`);
    await visible(page.getByRole("main").getByText(`slow ${t.id}`));
    await page.getByRole("link", { name: `Quick ${t.id}` }).click();
    await page.waitForURL(`**/c/${two.id}`);
    const answered = page.waitForResponse(`**/conversations/${one.id}/runs`);
    let_go();
    await answered;
    await until(
      async () => (await page.evaluate((key) => localStorage.getItem(key), `nanoclaw.unsent.${one.id}`)) === null,
      "it is no longer kept as unsent",
    );
    assert.equal(await page.getByRole("main").getByText(`slow ${t.id}`).count(), 0, "nothing of it in the other chat");
    await page.getByRole("link", { name: `Slow ${t.id}` }).click();
    await visible(page.getByText("Arrived."));
    assert.equal(await page.getByRole("article", { name: "You" }).count(), 1, "it is there once");
  },

  // A8: whoever leaves the first page before its chat is made finds the message there again.
  async "whoever leaves a chat before the files of a message are uploaded is told that it stays there"(t) {
    const { page } = await t.open();
    const one = await t.api.conversation({ title: `Slow ${t.id}` });
    await t.api.conversation({ title: `Quick ${t.id}` });
    let let_go;
    const held = new Promise((resolve) => (let_go = resolve));
    await page.route("**/uploads", async (route) => {
      await held;
      await route.continue();
    });
    await page.goto(`${t.url}/c/${one.id}`);
    await attach(page, "notes.txt");
    await say(page, `with a file ${t.id}`);
    await page.getByRole("link", { name: `Quick ${t.id}` }).click();
    await visible(page.getByText("The message is not sent yet"));
    let_go();
    await page.getByRole("link", { name: `Slow ${t.id}` }).click();
    await visible(files(page).getByText("notes.txt"));
    assert.equal(await box(page).inputValue(), `with a file ${t.id}`);
  },

  async "a message whose chat cannot be made goes back to its box, wherever the person is"(t) {
    const { page } = await t.open();
    const { id } = await t.api.conversation({ title: `Elsewhere ${t.id}` });
    let let_go;
    const held = new Promise((resolve) => (let_go = resolve));
    await page.route("**/api/v1/conversations", async (route) => {
      if (route.request().method() !== "POST") return route.fallback();
      await held;
      return route.abort();
    });
    await page.goto(t.url);
    await say(page, `do not lose ${t.id}`);
    await until(async () => (await box(page).inputValue()) === "", "it is on its way");
    await page.getByRole("link", { name: `Elsewhere ${t.id}` }).click();
    await page.waitForURL(`**/c/${id}`);
    let_go();
    await visible(page.getByText("The server can't be reached."));
    assert.equal(await box(page).inputValue(), "", "not in the chat that is in view");
    await page.getByRole("link", { name: "New chat", exact: true }).first().click();
    await until(async () => (await box(page).inputValue()) === `do not lose ${t.id}`, "it is back");
  },

  // B15: what is too long for a message is not refused but sent as a file, and comes back where that fails.
  async "a text of megabytes is sent as a file, and is not lost where it cannot be"(t) {
    const { page, problems } = await t.open();
    const { id } = await t.api.conversation();
    const text = `${t.id} `.repeat(150_000);
    await page.goto(`${t.url}/c/${id}`);
    await box(page).fill(text);
    await page.route("**/api/v1/uploads", (route) => route.abort());
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await visible(page.getByText("pasted text.txt couldn't be uploaded."));
    await until(async () => (await box(page).inputValue()) === text, "it is back");
    await page.unroute("**/api/v1/uploads");
    await page.getByRole("button", { name: "Send", exact: true }).click();
    const sent = async () => (await t.api.get(`/conversations/${id}/messages`)).items[0];
    await until(async () => (await sent())?.attachments?.length === 1, "it is sent");
    assert.deepEqual([(await sent()).text, (await sent()).attachments[0].size], ["", text.length]);
    problems.splice(0); // of the upload that was cut
  },

  // A1: typing and pasting mean the message, whatever has the focus.
  async "a text that is pasted, or begun with AltGr or a dead key, goes into the message"(t) {
    const { page } = await t.open();
    await t.model.rules({ when: { user_contains: t.id }, reply: { text: "An answer." } });
    await ask(t, page, `hello ${t.id}`);
    await visible(page.getByText("An answer."));
    await finished(page);
    const log = page.getByRole("log");
    await page.evaluate(() => navigator.clipboard.writeText("pasted words"));
    await log.focus();
    await page.keyboard.press("Control+v");
    await until(async () => (await box(page).inputValue()) === "pasted words", "pasted");
    await box(page).fill("");
    await log.focus();
    await page.keyboard.type("/new");
    await visible(page.getByRole("listbox", { name: "Commands" }).getByRole("option", { name: /New chat/ }));
    await box(page).fill("");
    const focusAfter = async (event) => {
      await log.focus();
      await log.evaluate(
        (e, init) => e.dispatchEvent(new KeyboardEvent("keydown", { ...init, bubbles: true, cancelable: true })),
        event,
      );
      return box(page).evaluate((e) => e === document.activeElement);
    };
    assert.ok(await focusAfter({ key: "@", altKey: true, ctrlKey: true, modifierAltGraph: true }), "AltGr");
    assert.ok(await focusAfter({ key: "Dead" }), "a dead key");
    assert.ok(await focusAfter({ key: "Process", keyCode: 229 }), "an input method");
    assert.equal(await focusAfter({ key: "x", altKey: true }), false, "a shortcut with Alt is none of it");
    assert.equal(await focusAfter({ key: "x", ctrlKey: true }), false, "nor one with Ctrl");
    await gone(page.getByRole("dialog"));
  },

  async "a long text that is pasted is in the message where it cannot be uploaded"(t) {
    const { page } = await t.open();
    const { id } = await t.api.conversation();
    await page.route("**/api/v1/uploads", (route) => route.abort());
    await page.goto(`${t.url}/c/${id}`);
    await box(page).fill("so:");
    const pasted = "many words ".repeat(800);
    await box(page).evaluate((e, words) => {
      const clipboardData = new DataTransfer();
      clipboardData.setData("text/plain", words);
      e.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
    }, pasted);
    await until(async () => (await box(page).inputValue()) === `so:\n\n${pasted}`, "it is in the message");
    assert.equal(await files(page).count(), 0);
  },

  async "a message over the server's limit goes as a file, or back to its box"(t) {
    const server = await startServer({ model: t.model, more: "http: { max_body: 64KiB }\n" });
    t.later(() => server.close());
    const { page } = await t.open({ url: server.url });
    await t.model.rules({ when: { system_contains: t.id }, reply: { text: "Read it." } });
    const { id } = await server.api.conversation({ system_prompt: t.id });
    const text = "many words ".repeat(10_000).trim();
    const draft = [`nanoclaw.draft.${id}`, JSON.stringify({ text })];
    await page.addInitScript(([key, value]) => localStorage.getItem(key) ?? localStorage.setItem(key, value), draft);
    await page.goto(`${server.url}/c/${id}`);
    await until(async () => (await box(page).inputValue()) === text, "the draft is restored");
    await box(page).press("Enter");
    const alert = page.getByRole("alert").filter({ hasText: "Not sent: the message is too long." });
    await visible(alert);
    await t.shot(page, "too-long");
    await alert.getByRole("button", { name: "Edit" }).click();
    await until(async () => (await box(page).inputValue()) === text, "it is back");
    await box(page).press("Enter");
    await alert.getByRole("button", { name: "Send as a file" }).click();
    await visible(page.getByText("Read it."));
    await finished(page);
    const [sent] = (await server.api.get(`/conversations/${id}/messages`)).items;
    assert.deepEqual([sent.text, sent.attachments.map((a) => a.name)], ["", ["pasted text.txt"]]);
    assert.equal(await server.api.get(`/uploads/${sent.attachments[0].upload_id}`), text);
    assert.equal(await box(page).inputValue(), "");
  },

  async "the stroke that ends a composition in Safari sends nothing"(t) {
    const { page } = await t.open({ locale: "zh" });
    const { id } = await t.api.conversation();
    await page.goto(`${t.url}/c/${id}`);
    await box(page).fill("你好");
    await box(page).evaluate((e) => {
      e.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", keyCode: 229, bubbles: true, cancelable: true }));
    });
    assert.equal(await box(page).inputValue(), "你好");
  },

  async "a folder that is dropped is told to be one, not an outage"(t) {
    const { page, context } = await t.open();
    const { id } = await t.api.conversation();
    await page.goto(`${t.url}/c/${id}`);
    await visible(box(page));
    const folder = mkdtempSync(path.join(tmpdir(), "nanoclaw-folder-"));
    t.later(() => rmSync(folder, { recursive: true }));
    const devtools = await context.newCDPSession(page);
    const data = { items: [], files: [folder], dragOperationsMask: 1 };
    for (const type of ["dragEnter", "dragOver", "drop"])
      await devtools.send("Input.dispatchDragEvent", { type, x: 600, y: 300, data });
    await visible(page.getByText("can't be read. A folder can't be attached."));
    assert.equal(await page.getByText("The server can't be reached.").count(), 0);
  },

  async "what is written in the place of a message or an answer is kept through another chat and a reload"(t) {
    const { page } = await t.open();
    await t.model.rules({ when: { user_contains: t.id }, reply: { text: "An answer." } });
    const other = await t.api.conversation({ title: `Other ${t.id}` });
    const chat = await ask(t, page, `question ${t.id}`);
    await visible(page.getByText("An answer."));
    await finished(page);
    await page.getByRole("button", { name: "Edit", exact: true }).click();
    const edit = page.getByRole("textbox", { name: "Edit", exact: true });
    await edit.fill(`a better question ${t.id}`);
    await page.getByRole("link", { name: `Other ${t.id}` }).click();
    await page.waitForURL(`**/c/${other.id}`);
    await page.goBack();
    await visible(edit);
    assert.equal(await edit.inputValue(), `a better question ${t.id}`);
    await edit.press("Escape");
    await page.getByRole("article").getByRole("button", { name: "More", exact: true }).last().click();
    await page.getByRole("menuitem", { name: "Edit the answer" }).click();
    const answer = page.getByRole("textbox", { name: "Edit the answer" });
    await answer.fill("A better answer.");
    await page.reload();
    await visible(answer);
    assert.equal(await answer.inputValue(), "A better answer.");
    assert.equal(await edit.count(), 0, "what was called off stays so");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await visible(page.getByText("A better answer."));
    await page.reload();
    await visible(page.getByText("A better answer."));
    assert.equal(await answer.count(), 0);
    assert.equal((await t.api.get(`/conversations/${chat}/messages`)).items.at(-1).text, "A better answer.");
  },
};
