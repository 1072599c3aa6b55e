// Figures of the web app in headless Chromium, against the real binary on loopback:
//   node bench/web.mjs [repetitions]
// Each is the median of five, as it is and with the CPU slowed four times. "Ready" is
// the time from the navigation until what a person came for is in the page, measured
// inside of the page.
import { loadavg } from "node:os";
import { launch, openPage } from "../web/test/e2e/browser.mjs";
import { longConversation } from "../web/test/e2e/long.mjs";
import { modelId, startModel, startServer } from "../web/test/e2e/server.mjs";
import { finished, say, visible } from "../web/test/e2e/steps.mjs";

const repetitions = Number(process.argv[2] ?? 5);
const only = process.argv[3] ?? "";
const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];
const [browser, model] = await Promise.all([launch(), startModel()]);
const server = await startServer({ model });
const project = await server.api.project("Field notes");
const { id: long } = await server.api.post("/conversations/import", longConversation(1000, "A thousand messages"));
const streamed = Array.from({ length: 24 }, (_, i) => (i % 6 === 3 ? `\`\`\`python\ndef f${i}(x):\n    return x * ${i}\n\`\`\`` : i % 6 === 5 ? `| a | b |\n|---|---|\n| ${i} | 2 |\n| 3 | 4 |` : `Paragraph ${i}. Some **words** that stream in one after the other, with \`code\` and a [link](https://example.com), to be read while they come.`)).join("\n\n");
await model.rules({ when: { user: "stream" }, reply: { text: `${streamed}\n\nThat is all.`, chunk_runes: 4, between: "5ms" } });
for (let i = 0; i < 12; i++) await server.api.conversation({ title: `Conversation ${i}`, project_id: project.id });

async function many(slower, measure) {
  const found = [];
  for (let i = 0; i < repetitions; i++) {
    const { page, context } = await openPage(browser, { url: server.url });
    // The browser's own window loads pages of its own for a second or so; a person's is open already.
    await page.waitForTimeout(2000);
    if (slower > 1) await (await context.newCDPSession(page)).send("Emulation.setCPUThrottlingRate", { rate: slower });
    found.push(await measure(page));
    await context.close();
  }
  return Math.round(median(found));
}

/** Milliseconds since the navigation when a text is in an element, looked for in every frame. */
const ready = (page, selector, text) =>
  page.evaluate(
    ([where, wanted]) =>
      new Promise((resolve) => {
        const look = () => ([...document.querySelectorAll(where)].some((e) => e.textContent.includes(wanted)) ? resolve(performance.now()) : requestAnimationFrame(look));
        look();
      }),
    [selector, text],
  );
const list = (page) => ready(page, "nav a", "Conversation 0");
const lastAnswer = (page) => ready(page, "article", "Answer 499.");

const figures = {
  "first contentful paint, ms (≤ 400)": async (page) => {
    await page.goto(server.url);
    await list(page);
    return page.evaluate(
      () => new Promise((resolve) => new PerformanceObserver((l) => l.getEntriesByName("first-contentful-paint").forEach((e) => resolve(e.startTime))).observe({ type: "paint", buffered: true })),
    );
  },
  "ready: lists and composer, ms (≤ 700)": async (page) => {
    await page.goto(server.url, { waitUntil: "commit" });
    return Math.max(await list(page), await ready(page, "nav a", "Field notes"));
  },
  "1,000 messages ready, ms (≤ 500)": async (page) => {
    await page.goto(`${server.url}/c/${long}`, { waitUntil: "commit" });
    return lastAnswer(page);
  },
  "DOM elements with 1,000 messages (≤ 1,500)": async (page) => {
    await page.goto(`${server.url}/c/${long}`);
    await lastAnswer(page);
    return page.evaluate(() => document.querySelectorAll("*").length);
  },
  "longest task while streaming 200 tokens a second, ms (≤ 100)": async (page) => {
    const { id } = await server.api.conversation({ model: modelId });
    await page.goto(`${server.url}/c/${id}`);
    await visible(page.locator("textarea"));
    await page.evaluate(() => {
      window.longest = 0;
      new PerformanceObserver((l) => l.getEntries().forEach((e) => (window.longest = Math.max(window.longest, e.duration)))).observe({ type: "longtask" });
    });
    await say(page, "stream");
    await visible(page.getByText("That is all."), 60_000);
    await finished(page);
    return page.evaluate(() => window.longest);
  },
  "slowest key while typing, ms (≤ 50)": async (page) => {
    await page.goto(`${server.url}/c/${long}`);
    await lastAnswer(page);
    await page.evaluate(() => {
      window.slowest = 0;
      const take = (entries) => entries.forEach((e) => (window.slowest = Math.max(window.slowest, e.duration)));
      window.keys = new PerformanceObserver((l) => take(l.getEntries()));
      window.keys.observe({ type: "event", durationThreshold: 16 });
      window.takeKeys = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(() => resolve(take(window.keys.takeRecords())), 100)));
    });
    await page.locator("textarea").pressSequentially("the quick brown fox jumps", { delay: 30 });
    // Keys that were painted within 16 ms are not told: 16 stands for them.
    return page.evaluate(async () => (await window.takeKeys(), Math.max(16, window.slowest)));
  },
};

for (const slower of [1, 4]) {
  console.log(slower === 1 ? `web app, median of ${repetitions}` : `web app, CPU slowed ${slower} times, median of ${repetitions}`);
  for (const [name, measure] of Object.entries(figures)) {
    if (!name.includes(only)) continue;
    const value = await many(slower, measure);
    console.log(`${String(value).padStart(7)}  ${name}   [load ${loadavg()[0].toFixed(1)}]`);
  }
}
await Promise.all([browser.close(), server.close(), model.stop()]);
process.exit();
