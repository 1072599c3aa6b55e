// Edits of files that are not saved.
import { startServer } from "./server.mjs";
import { assert, gone, until, visible } from "./steps.mjs";

const text = (page) => page.locator(".cm-content");

async function write(page, words) {
  await text(page).click();
  await page.keyboard.press("Control+End");
  await page.keyboard.type(words);
  await visible(page.getByText("Unsaved"));
}

export const tests = {
  // A8: what is typed into a file is there again, whatever became of the page and of the server meanwhile.
  async "an edit that is not saved survives the side panel, a reload and a server that is away"(t) {
    const server = await startServer({ model: t.model });
    t.later(() => server.close());
    const { page } = await t.open({ url: server.url, prefs: { panel: "files" } });
    const project = await server.api.project("Edits");
    await server.api.write(project.id, "notes.md", "first\n");
    const { id } = await server.api.conversation({ project_id: project.id });
    await page.goto(`${server.url}/c/${id}`);
    const openFile = () => page.getByRole("treeitem", { name: /notes\.md/ }).click();
    const isThere = async (words) => {
      await visible(text(page).getByText(words));
      await visible(page.getByText("Unsaved"));
    };
    await openFile();
    await write(page, "not saved");
    await page.getByRole("complementary", { name: "Side panel" }).getByRole("button", { name: "Back" }).click();
    await openFile();
    await isThere("not saved");
    await page.getByRole("tab", { name: "Details" }).click();
    await page.getByRole("tab", { name: "Files" }).click();
    await isThere("not saved");
    await server.kill();
    await page.keyboard.press("Control+b"); // the page itself is alive
    await write(page, ", nor sent");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await visible(page.getByText("The server can't be reached."));
    await isThere("not saved, nor sent");
    await server.restart();
    await gone(page.getByText("Connection lost. Reconnecting…"));
    await page.reload();
    await openFile();
    await isThere("not saved, nor sent");
    // Somebody else wrote it meanwhile: that is told, and nothing is overwritten.
    await page.reload();
    await server.api.write(project.id, "notes.md", "theirs\n");
    await openFile();
    await visible(page.getByText("This file changed while you were editing"));
    await page.getByRole("button", { name: "Save my version" }).click();
    await until(async () => /not saved, nor sent/.test(await server.api.file(project.id, "notes.md")), "saved");
    await page.reload();
    await openFile();
    await visible(text(page).getByText("not saved, nor sent"));
    assert.equal(await page.getByText("Unsaved").count(), 0);
  },

  async "an edit goes along with a file that is renamed, and others stay open"(t) {
    const { page } = await t.open();
    const project = await t.api.project(`Moves ${t.id}`);
    await t.api.write(project.id, "docs/plan.md", "one\n");
    await t.api.write(project.id, "docs/plan", "other\n");
    await page.goto(`${t.url}/p/${project.id}/docs/plan.md`);
    await write(page, "and two");
    // A name that the open one begins with is another file.
    await page.getByRole("treeitem", { name: /^plan( |$)/ }).focus();
    await page.keyboard.press("Delete");
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await gone(page.getByRole("treeitem", { name: /^plan( |$)/ }));
    await visible(text(page).getByText("and two"));
    await page.getByRole("treeitem", { name: /^docs/ }).focus();
    await page.keyboard.press("F2");
    await page.getByRole("textbox", { name: "New path" }).fill("papers");
    await page.keyboard.press("Enter");
    await page.waitForURL(`**/p/${project.id}/papers/plan.md`);
    await visible(text(page).getByText("and two"));
    await visible(page.getByText("Unsaved"));
    assert.equal(await page.getByText("This file changed").count(), 0);
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await until(async () => /and two/.test(await t.api.file(project.id, "papers/plan.md")), "saved");
  },

  async "a file keeps its line ends, its byte order mark and its encoding"(t) {
    const { page } = await t.open();
    const project = await t.api.project(`Kept ${t.id}`);
    const raw = `${t.url}/api/v1/projects/${project.id}/files/`;
    const put = (name, body) => fetch(raw + name, { method: "PUT", body: Buffer.from(body, "latin1") });
    const get = async (name) => Buffer.from(await (await fetch(raw + name)).arrayBuffer()).toString("latin1");
    const saved = {
      "windows.txt": ["\xef\xbb\xbfone\r\ntwo\r\n", "\xef\xbb\xbfone\r\ntwo\r\nthree"],
      "mixed.txt": ["one\r\ntwo\n", "one\r\ntwo\nthree"],
    };
    for (const [name, [before, after]] of Object.entries(saved)) {
      await put(name, before);
      await page.goto(`${t.url}/p/${project.id}/${name}`);
      await write(page, "three");
      await page.keyboard.press("Control+s");
      await gone(page.getByText("Unsaved"));
      assert.equal(await get(name), after);
    }
    // The editor is open while somebody else writes the file in another form.
    await put("windows.txt", "one\r\ntwo\r\nthree\r\n");
    await page.goto(`${t.url}/p/${project.id}/windows.txt`);
    await visible(text(page).getByText("three"));
    await put("windows.txt", "one\r\ntwo\nthree\nfour\n");
    await page.evaluate(() => dispatchEvent(new Event("focus")));
    await visible(text(page).getByText("four"));
    assert.equal(await page.locator(".cm-line").count(), 5);
    assert.equal(await page.getByText("Unsaved").count(), 0);
    await put("latin.txt", "caf\xe9\n");
    await page.goto(`${t.url}/p/${project.id}/latin.txt`);
    await visible(page.getByText("This text is not in UTF-8: it can be read here, but not edited."));
    assert.equal(await page.getByRole("button", { name: "Save", exact: true }).count(), 0);
  },

  async "the edit of a file that is deleted meanwhile is shown after a reload, and saved"(t) {
    const { page } = await t.open();
    const project = await t.api.project(`Deleted ${t.id}`);
    await t.api.write(project.id, "notes.txt", "first\n");
    await page.goto(`${t.url}/p/${project.id}/notes.txt`);
    await write(page, "not saved");
    await t.api.delete(`/projects/${project.id}/files/notes.txt`);
    await page.reload();
    await visible(text(page).getByText("not saved"));
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await gone(page.getByText("Unsaved"));
    assert.equal(await t.api.file(project.id, "notes.txt"), "first\nnot saved");
  },
};
