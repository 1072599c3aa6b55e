// What tests do again and again.
import assert from "node:assert/strict";
import { patience } from "./browser.mjs";

export { assert };

export const visible = (locator, timeout = patience) => locator.first().waitFor({ state: "visible", timeout });
export const gone = (locator, timeout = patience) => locator.first().waitFor({ state: "detached", timeout });

/** Writes a message into the open page and sends it. */
export async function say(page, text) {
  await page.locator("textarea").first().fill(text);
  await page.keyboard.press("Enter");
}

/** Opens a new conversation of the scripted model and sends a message. */
export async function ask({ api, url }, page, text, more = {}) {
  const { id } = await api.conversation(more);
  await page.goto(`${url}/c/${id}`);
  await say(page, text);
  return id;
}

/** Waits until nothing is at work. */
export const finished = (page) => gone(page.getByRole("button", { name: /^(Stop|停止)$/ }));

/** Waits for something outside of the page. */
export async function until(check, what, timeout = patience) {
  const end = performance.now() + timeout;
  while (!(await check())) {
    if (performance.now() > end) throw new Error(`not in time: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 40));
  }
}

export const paragraphs = (n) =>
  Array.from(
    { length: n },
    (_, i) => `Paragraph ${i + 1}. Some words that stream in one after the other, to be read while they come.`,
  ).join("\n\n");

/** The paragraphs that an answer shows. */
export const shown = async (page) =>
  (await page.getByRole("article", { name: "Assistant" }).innerText()).match(/Paragraph \d+\./g) ?? [];

export function complete(list, n) {
  assert.deepEqual(
    list,
    Array.from({ length: n }, (_, i) => `Paragraph ${i + 1}.`),
    "each paragraph once, in order",
  );
}

export const noSideways = async (page) =>
  assert.ok(
    await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth),
    "nothing is wider than the page",
  );
