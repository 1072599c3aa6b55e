// How soon a page is there, and what it costs to transfer. "Ready" is the time from the navigation until what a person
// came for is in the page, measured inside of the page.

/** Milliseconds when a text is in an element, looked for in every frame. */
const ready = (page, selector, text) =>
  page.evaluate(
    ([where, wanted]) =>
      new Promise((resolve) => {
        const look = () =>
          [...document.querySelectorAll(where)].some((e) => e.textContent.includes(wanted))
            ? resolve(performance.now())
            : requestAnimationFrame(look);
        look();
      }),
    [selector, text],
  );

const list = (page) => ready(page, "nav a", "Conversation 11");
export const lastAnswer = (page) => ready(page, "article", "Answer 499.");

const open = (page, server, id) => page.goto(`${server.url}/c/${id}`, { waitUntil: "commit" });

export const figures = [
  {
    name: "first contentful paint, ms",
    goal: "≤ 400",
    async measure({ page, server }) {
      await page.goto(server.url);
      await list(page);
      return page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0].startTime);
    },
  },
  {
    name: "ready: lists and composer, ms",
    goal: "≤ 700",
    async measure({ page, server }) {
      await page.goto(server.url, { waitUntil: "commit" });
      return Math.max(await list(page), await ready(page, "nav a", "Field notes"));
    },
  },
  {
    name: "first page transferred, KiB",
    goal: "≤ 200",
    once: true,
    async measure({ page, server, cdp }) {
      let bytes = 0;
      await cdp.send("Network.enable");
      cdp.on("Network.loadingFinished", (e) => (bytes += e.encodedDataLength));
      await page.goto(server.url);
      await list(page);
      await page.waitForTimeout(2000);
      return bytes / 1024;
    },
  },
  {
    name: "1,000 messages ready, ms",
    goal: "≤ 500",
    async measure({ page, server, made }) {
      await open(page, server, made.plain);
      return lastAnswer(page);
    },
  },
  {
    name: "1,000 rich messages ready, cold, ms",
    goal: "≤ 1000",
    async measure({ page, server, made }) {
      await open(page, server, made.rich);
      return lastAnswer(page);
    },
  },
  {
    name: "1,000 rich messages ready, from another chat, ms",
    goal: "≤ 400",
    async measure({ page, server, made }) {
      await open(page, server, made.chats[0]);
      await ready(page, "article", "Answer 19.");
      await page.waitForTimeout(1500);
      const from = await page.evaluate((id) => {
        const link = document.querySelector(`nav a[href="/c/${id}"]`);
        const now = performance.now();
        link.click();
        return now;
      }, made.rich);
      return (await lastAnswer(page)) - from;
    },
  },
  {
    name: "DOM elements with 1,000 rich messages",
    goal: "≤ 1,500",
    once: true,
    async measure({ page, server, made }) {
      await open(page, server, made.rich);
      await lastAnswer(page);
      await page.waitForTimeout(2000);
      return page.evaluate(() => document.querySelectorAll("*").length);
    },
  },
  {
    name: "slowest key while typing beside 1,000 messages, ms",
    goal: "≤ 50",
    async measure({ page, server, made }) {
      await page.goto(`${server.url}/c/${made.rich}`);
      await lastAnswer(page);
      await page.evaluate(() => {
        window.slowest = 0;
        const take = (entries) => entries.forEach((e) => (window.slowest = Math.max(window.slowest, e.duration)));
        window.keys = new PerformanceObserver((l) => take(l.getEntries()));
        window.keys.observe({ type: "event", durationThreshold: 16 });
        window.takeKeys = () =>
          new Promise((resolve) =>
            requestAnimationFrame(() => setTimeout(() => resolve(take(window.keys.takeRecords())), 100)),
          );
      });
      await page.locator("textarea").pressSequentially("the quick brown fox jumps", { delay: 30 });
      // Keys that were painted within 16 ms are not reported: 16 stands for them.
      return page.evaluate(async () => (await window.takeKeys(), Math.max(16, window.slowest)));
    },
  },
];
