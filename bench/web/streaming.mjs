// What an answer costs the page while it streams.
import { modelId } from "../../web/test/e2e/server.mjs";
import { say, until, visible } from "../../web/test/e2e/steps.mjs";

/** Waits for the end of the run at the server: what looks for it in the page costs the page more than the answer. */
export async function answered(server, conversation, answers = 1) {
  const all = async () => (await server.api.get(`/conversations/${conversation}/messages`)).items;
  await until(
    async () => (await all()).filter((m) => m.role === "assistant" && m.text.endsWith("That is all.")).length === answers,
    "the answer",
    120_000,
  );
}

/** The longest task of the page while an answer streams, in ms. */
async function longest({ page, server }, words) {
  const { id } = await server.api.conversation({ model: modelId });
  await page.goto(`${server.url}/c/${id}`);
  await visible(page.locator("textarea"));
  await page.evaluate(() => {
    window.tasks = [];
    new PerformanceObserver((l) => l.getEntries().forEach((e) => window.tasks.push(e.duration))).observe({
      type: "longtask",
    });
  });
  await say(page, words);
  await answered(server, id);
  return page.evaluate(() => window.tasks);
}

export const figures = [
  {
    name: "longest task while streaming 200 tokens a second, ms",
    goal: "≤ 100",
    measure: async (t) => Math.max(0, ...(await longest(t, "at 200 tokens"))),
  },
  {
    name: "longest task while streaming 88 KB at 5,000 characters a second, ms",
    goal: "≤ 100",
    measure: async (t) => Math.max(0, ...(await longest(t, "at 5,000 characters"))),
  },
  {
    name: "long tasks together while streaming 88 KB, ms",
    goal: "–",
    measure: async (t) => (await longest(t, "at 5,000 characters")).reduce((a, b) => a + b, 0),
  },
];
