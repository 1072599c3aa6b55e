// Whether a page that is used all day grows.
import { modelId } from "../../web/test/e2e/server.mjs";
import { finished, say, visible } from "../../web/test/e2e/steps.mjs";
import { answered } from "./streaming.mjs";

async function heap(cdp) {
  await cdp.send("HeapProfiler.enable");
  await cdp.send("HeapProfiler.collectGarbage");
  const { usedSize } = await cdp.send("Runtime.getHeapUsage");
  return usedSize / 1_000_000;
}

async function visit(page, chats) {
  for (const id of chats) {
    await page.evaluate(
      (to) => document.querySelector(`nav a[href="/c/${to}"]`).click(),
      id,
    );
    await page.locator(`article:has-text("Answer 19.")`).first().waitFor();
  }
}

export const figures = [
  {
    name: "heap after 40 chats, visited twice, and ten answers, MB",
    goal: "≤ 30",
    once: true,
    async measure({ page, server, made, cdp }) {
      const { id } = await server.api.conversation({
        title: "Ten answers",
        model: modelId,
      });
      await page.goto(`${server.url}/c/${made.chats[0]}`);
      await visible(page.getByText("Answer 19."));
      await visit(page, made.chats);
      await visit(page, made.chats);
      await page.evaluate(
        (to) => document.querySelector(`nav a[href="/c/${to}"]`).click(),
        id,
      );
      for (let i = 0; i < 10; i++) {
        await say(page, "ten thousand");
        await answered(server, id, i + 1);
        await finished(page);
      }
      const size = await heap(cdp);
      await server.api.delete(`/conversations/${id}`); // the list shows no more chats than the next time needs
      return size;
    },
  },
];
