import { assert, gone, until, visible } from "./steps.mjs";

/** An export of many messages, half of the answers with tables and code. */
export function longConversation(messages, title) {
  const list = [];
  for (let i = 0; i < messages / 2; i++) {
    const plain = `Answer ${i}. ` + "Some plain words that fill a paragraph or two. ".repeat(6);
    const rich = `Answer ${i}.\n\n| a | b | c |\n|---|---|---|\n| ${i} | 2 | 3 |\n| 4 | 5 | 6 |\n\n\`\`\`python\ndef f${i}(x):\n    return x * ${i}\n\`\`\`\n\nAnd a closing line.`;
    list.push({
      id: `q${i}`,
      parent_id: i ? `a${i - 1}` : undefined,
      role: "user",
      text: `Question ${i}: what comes next?`,
    });
    list.push({ id: `a${i}`, parent_id: `q${i}`, role: "assistant", text: i % 2 ? rich : plain });
  }
  return { format: "nanoclaw.conversation/1", conversation: { title, tools_enabled: true }, messages: list };
}

const elements = (page) => page.evaluate(() => document.querySelectorAll("*").length);

export const tests = {
  async "a thousand messages stay smooth, and one of them is found"({ open, url, api, id, shot }) {
    const { id: conversation } = await api.post("/conversations/import", longConversation(1000, `Long ${id}`));
    const { page } = await open();
    await page.goto(`${url}/c/${conversation}`);
    await visible(page.getByText("Answer 499."));
    assert.ok((await elements(page)) <= 1500, `${await elements(page)} DOM elements`);
    await shot(page, "thousand");
    await page.getByRole("log").hover();
    for (let i = 0; i < 20; i++) await page.mouse.wheel(0, -4000);
    await page.getByRole("button", { name: "Jump to latest" }).waitFor();
    assert.ok((await elements(page)) <= 1500, `${await elements(page)} DOM elements`);
    await page.keyboard.press("Control+f");
    await page.getByRole("textbox", { name: "Find in conversation" }).fill("Question 17:");
    await visible(page.getByText("Question 17: what comes next?"));
    await visible(page.getByText("1 of 1"));
    await shot(page, "find");
  },

  async "of a long conversation the end comes first, then all that is above and beside it"({ open, url, api, id }) {
    const { id: conversation } = await api.post("/conversations/import", longConversation(200, `Above ${id}`));
    const { page } = await open();
    await page.goto(`${url}/c/${conversation}`);
    await visible(page.getByText("Answer 99."));
    await visible(page.getByRole("article", { name: "Assistant" }).last().getByRole("button", { name: "Regenerate" }));
    await visible(page.getByRole("navigation", { name: "Sidebar" }).getByRole("link", { name: `Above ${id}` }));
    const log = page.getByRole("log");
    await until(() => log.evaluate((e) => e.scrollHeight > 10_000), "the rows above are there");
    assert.ok(
      await log.evaluate((e) => e.scrollHeight - e.scrollTop - e.clientHeight < 40),
      "the end is still in view",
    );
    await log.hover();
    await page.mouse.wheel(0, -100);
    await log.evaluate((e) => e.scrollTo(0, 0));
    await visible(page.getByText("Question 0: what comes next?"));
    await page.getByText("Question 0: what comes next?").hover();
    await page.getByRole("article", { name: "You" }).first().getByRole("button", { name: "Edit" }).click();
    await visible(page.getByRole("button", { name: "Send (keeps the old version)" }));
  },

  async "the lists beside a conversation do not wait for one that is long in coming"({ open, url, api, id }) {
    const { id: conversation } = await api.conversation({ title: `Slow ${id}` });
    const { page } = await open();
    let answer;
    const asked = new Promise((resolve) => (answer = resolve));
    await page.route("**/messages?*", async (route) => (await asked, route.continue()));
    await page.goto(`${url}/c/${conversation}`);
    await visible(page.getByRole("navigation", { name: "Sidebar" }).getByRole("link", { name: `Slow ${id}` }));
    await visible(page.getByText("Loading messages…"));
    answer();
    await gone(page.getByText("Loading messages…"));
  },

  async "printing shows all of a conversation, not only what is in view"({ open, url, api, id }) {
    const { id: conversation } = await api.post("/conversations/import", longConversation(160, `Print ${id}`));
    const { page } = await open();
    await page.goto(`${url}/c/${conversation}`);
    await visible(page.getByText("Answer 79."));
    const rows = () => page.evaluate(() => document.querySelectorAll("article").length);
    assert.ok((await rows()) < 100, "only rows near the view are in the page");
    await page.emulateMedia({ media: "print" });
    await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
    await until(async () => (await rows()) === 160, "all rows are in the page");
    await visible(page.getByRole("log").getByText(`Print ${id}`, { exact: true }));
    const tall = await page.evaluate(() => document.documentElement.scrollHeight);
    assert.ok(tall > 10_000, `the page is ${tall} px high`);
    await page.getByRole("navigation", { name: "Sidebar" }).waitFor({ state: "hidden" });
    await page.emulateMedia({ media: null });
    await page.evaluate(() => dispatchEvent(new Event("afterprint")));
    await until(async () => (await rows()) < 100, "only rows near the view again");
  },
};
