import { createHmac } from "node:crypto";
import { startServer } from "./server.mjs";
import { assert, gone, until, visible } from "./steps.mjs";

const own = async (t) => {
  const server = await startServer({ model: t.model });
  t.later(() => server.close());
  return { ...t, api: server.api, url: server.url, ...(await t.open({ url: server.url })) };
};
const menuOf = (page, name) => page.getByRole("main").getByRole("button", { name: `Actions for ${name}` });
const row = (page, name) => page.getByRole("main").getByRole("listitem").filter({ hasText: name }).first();

export const tests = {
  // IF7: made, run, seen in its history, paused, changed, deleted.
  async "a schedule is made, run at once, paused and deleted in the page"(shared) {
    const t = await own(shared);
    const { page } = t;
    await page.goto(`${t.url}/settings/schedules`);
    await visible(page.getByText("No schedules yet"));
    await t.shot(page, "schedules-none");
    await page.getByRole("button", { name: "New schedule" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("textbox", { name: /^Name/ }).fill("Morning report");
    await dialog.getByLabel("Message to the agent").fill("What is 2+2?");
    await dialog.getByRole("combobox", { name: /^Repeats/ }).selectOption("own");
    await dialog.getByRole("textbox", { name: /^Cron expression/ }).fill("61 * * * *");
    await dialog.getByRole("button", { name: "Create" }).click();
    await visible(dialog.getByRole("alert"));
    await dialog.getByRole("combobox", { name: /^Repeats/ }).selectOption("weekly");
    await dialog.locator("input[type=time]").fill("07:30");
    await dialog.getByRole("combobox", { name: /^On/ }).selectOption("5");
    await dialog.getByLabel("Time zone").fill("Europe/Berlin");
    await t.shot(page, "schedule-form");
    await dialog.getByRole("button", { name: "Create" }).click();
    await gone(dialog);
    await visible(row(page, "Morning report").getByText("Every Friday at 07:30 (Europe/Berlin) · next"));
    const [made] = (await t.api.get("/schedules")).items;
    assert.deepEqual([made.cron, made.timezone, made.enabled], ["30 7 * * 5", "Europe/Berlin", true]);

    await menuOf(page, "Morning report").click();
    await page.getByRole("menuitem", { name: "Run now" }).click();
    await page.getByRole("button", { name: "History of Morning report" }).click();
    await visible(page.getByRole("list", { name: "History" }).getByText("started"));
    await t.shot(page, "schedules");
    await menuOf(page, "Morning report").click();
    await page.getByRole("menuitem", { name: "Pause" }).click();
    await visible(row(page, "Morning report").getByText("paused"));
    assert.equal((await t.api.get(`/schedules/${made.id}`)).enabled, false);
    await menuOf(page, "Morning report").click();
    await page.getByRole("menuitem", { name: "Edit" }).click();
    assert.equal(await dialog.locator("input[type=time]").inputValue(), "07:30");
    await dialog.getByRole("textbox", { name: /^Name/ }).fill("Friday report");
    await dialog.getByRole("button", { name: "Save" }).click();
    await gone(dialog);
    await page.getByRole("link", { name: "Open the chat" }).click();
    await visible(page.getByRole("heading", { name: "Morning report" }));
    await page.goBack();
    await menuOf(page, "Friday report").click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await visible(page.getByText("No schedules yet"));
  },

  // IF7: the secret is shown once, a signed request starts a run, and the page shows what came of it.
  async "a webhook is made, called with its secret, and paused"(shared) {
    const t = await own(shared);
    const { page } = t;
    await page.goto(`${t.url}/settings/hooks`);
    await page.getByRole("button", { name: "New webhook" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("textbox", { name: /^Name/ }).fill("Issues");
    await dialog.getByLabel("Message to the agent").fill("Tell me about {{body.title}}");
    await t.shot(page, "hook-form");
    await dialog.getByRole("button", { name: "Create" }).click();
    await gone(dialog);
    const secret = await page.getByRole("status").locator("code").innerText();
    assert.match(secret, /^whsec_/);
    await t.shot(page, "hooks");
    const [hook] = (await t.api.get("/hooks")).items;
    const body = JSON.stringify({ title: "a leak" });
    const key = Buffer.from(secret.slice("whsec_".length), "base64");
    const call = () =>
      fetch(t.url + hook.url, {
        method: "POST",
        body,
        headers: { "X-Hub-Signature-256": `sha256=${createHmac("sha256", key).update(body).digest("hex")}` },
      });
    assert.equal((await call()).status, 202);
    await page.getByRole("button", { name: "History of Issues" }).click();
    await visible(page.getByRole("list", { name: "History" }).getByText("started"));
    await page.getByRole("button", { name: "Close" }).click();
    assert.equal(await page.getByText(secret).count(), 0, "the secret is gone");
    await menuOf(page, "Issues").click();
    await page.getByRole("menuitem", { name: "Pause" }).click();
    await visible(row(page, "Issues").getByText("paused"));
    assert.ok((await call()).status >= 400, "a paused one refuses");
  },

  // SK1, SK2: skills are made, read, switched for a project and a chat; the memory is seen and edited.
  async "skills and memory of a project are read, switched and edited"(t) {
    const project = await t.api.project(`Knowing ${t.id}`);
    await t.api.write(project.id, "AGENTS.md", "# Rules\n\nAnswer in **French**.\n");
    await t.api.write(project.id, "memory/people.md", "Ann likes tea.\n");
    const { page } = await t.open();
    await page.goto(`${t.url}/p/${project.id}`);
    await page.getByRole("link", { name: "Skills and memory" }).click();
    await visible(page.getByText("No skills", { exact: true }));
    await page.getByRole("button", { name: "New skill" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("textbox", { name: /^Name/ }).fill("release-notes");
    await dialog.getByLabel("Purpose, and when to use it").fill('Writes "release notes": from pull requests');
    await dialog.getByLabel("Instructions").fill("1. Read `CHANGELOG.md`\n2. Be brief");
    await t.shot(page, "skill-form");
    await dialog.getByRole("button", { name: "Create" }).click();
    await gone(dialog);
    await visible(page.locator(".prose li code").getByText("CHANGELOG.md"));
    await visible(page.getByText('Writes "release notes": from pull requests'));
    await t.shot(page, "knowledge");
    const state = async () => (await t.api.get(`/projects/${project.id}/skills`)).items[0];
    await page.getByRole("switch", { name: "Use release-notes" }).uncheck();
    await until(async () => (await state()).enabled === false, "it is off in the project");
    assert.equal((await state()).problem, undefined);

    await visible(page.getByRole("article", { name: "People's instructions" }).getByText("French"));
    await visible(page.getByRole("link", { name: "memory/people.md" }));
    await page.getByRole("switch", { name: /^Agents keep notes/ }).uncheck();
    await until(
      async () => (await t.api.get(`/projects/${project.id}/memory`)).enabled === false,
      "agents are not told their notes any more",
    );
    await page.getByRole("button", { name: "Edit MEMORY.md" }).click();
    await page.waitForURL("**/MEMORY.md");
    await page.locator(".cm-content").fill("The build needs Go.");
    await page.keyboard.press("Control+s");
    await until(
      async () => (await t.api.get(`/projects/${project.id}/memory`)).notes.text.includes("The build needs Go."),
      "the note is saved",
    );

    const chat = await t.api.conversation({ project_id: project.id });
    await page.goto(`${t.url}/c/${chat.id}`);
    await page.getByRole("button", { name: "Side panel" }).click();
    await page.locator("#tab-details").click();
    await page.getByRole("switch", { name: /^release-notes/ }).check();
    await until(
      async () => (await t.api.get(`/conversations/${chat.id}/skills`)).items[0].enabled,
      "it is on in this chat alone",
    );
    assert.equal((await state()).enabled, false);
    await t.shot(page, "chat-skills");
  },
};
