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
};
