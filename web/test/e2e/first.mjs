import { assert, finished, noSideways, say, visible } from "./steps.mjs";

export const tests = {
  // CH8: a fresh install, the demo model, a tool, an answer.
  async "a first visit ends in an answer with a tool"({ open, url, shot }) {
    const { page } = await open();
    await page.goto(url);
    await visible(page.getByRole("heading", { name: "What shall we get done?" }));
    await shot(page, "first-home");
    await say(page, "Compute 12*(3+4)");
    await page.waitForURL(/\/c\//);
    await visible(page.getByRole("button", { name: /^calculator/ }));
    await visible(page.getByRole("article", { name: "Assistant" }).getByText("84"));
    await finished(page);
    await page.getByRole("button", { name: /^calculator/ }).click();
    await visible(page.getByText('"expression"'));
    assert.equal(await page.getByRole("button", { name: /^calculator/ }).getAttribute("aria-expanded"), "true");
    await visible(page.getByRole("navigation", { name: "Sidebar" }).getByRole("link", { name: /Compute 12/ }));
    await shot(page, "first-answer");
  },

  async "the whole of a turn works in Chinese"({ open, url, shot }) {
    const { page } = await open({ locale: "zh", theme: "dark" });
    await page.goto(url);
    await say(page, "计算 12*(3+4)，然后告诉我现在几点");
    await page.waitForURL(/\/c\//);
    await visible(page.getByRole("button", { name: /^calculator/ }));
    await visible(page.getByRole("article", { name: "助手" }).getByText("84"));
    await finished(page);
    assert.equal(await page.evaluate(() => document.documentElement.lang), "zh-CN");
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").fill("现在几点");
    await visible(page.getByRole("option", { name: /计算/ }));
    await shot(page, "chinese-search");
    await page.keyboard.press("Enter");
    await shot(page, "chinese-answer");
  },

  async "a phone shows the same without scrolling sideways"({ open, url, shot }) {
    const { page } = await open({ size: "phone" });
    await page.goto(url);
    await visible(page.getByRole("heading", { name: "What shall we get done?" }));
    await noSideways(page);
    await shot(page, "phone-home");
    await page.locator("textarea").fill("Compute 3*14");
    await page.getByRole("button", { name: "Send" }).click();
    await visible(page.getByRole("article", { name: "Assistant" }).getByText("42"));
    await finished(page);
    await noSideways(page);
    await shot(page, "phone-chat");
    await page.getByRole("button", { name: "Show sidebar" }).click();
    await visible(page.getByRole("navigation", { name: "Sidebar" }));
    await shot(page, "phone-sidebar");
    await page.getByRole("link", { name: "Settings" }).click();
    await visible(page.getByRole("heading", { name: "Settings" }));
    await noSideways(page);
    await shot(page, "phone-settings");
  },
};
