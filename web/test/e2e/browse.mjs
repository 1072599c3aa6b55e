import { createServer } from "node:http";
import { existsSync } from "node:fs";
import { accessible } from "./axe.mjs";
import { startServer } from "./server.mjs";
import { ask, assert, finished, gone, visible } from "./steps.mjs";

const use = (args) => ({ calls: [{ name: "browser_use", arguments: args }] });

/** A site that the browser may reach, and a server that lets it. */
async function shop(t) {
  const site = createServer((_, answer) => {
    answer.setHeader("Content-Type", "text/html");
    answer.end("<title>Paper shop</title><h1>Paper shop</h1><p>Three kinds of paper.</p>");
  });
  await new Promise((ready) => site.listen(0, "127.0.0.1", ready));
  t.later(() => site.close());
  const host = `127.0.0.1:${site.address().port}`;
  const server = await startServer({ model: t.model, more: `fetch: { allowed_hosts: ["${host}"] }\n` });
  t.later(() => server.close());
  return { url: `http://${host}/`, server };
}

export const tests = {
  // MD1: a person who looks on sees the page and the newest screenshot beside the chat while the run browses.
  async "what the browser shows is beside the chat while a run browses"(t) {
    if (!existsSync("/usr/bin/bwrap")) {
      console.log("NOT TESTED: the browser of a run needs bubblewrap: run scripts/setup-sandbox.sh");
      return;
    }
    const { url, server } = await shop(t);
    await t.model.rules(
      {
        when: { user: `browse ${t.id}` },
        steps: [use({ op: "open", url }), use({ op: "screenshot" }), { text: "Seen." }],
      },
      { when: { user_contains: "of browser_use" }, steps: [{ text: "There are three.", gate: t.id }] },
    );
    const { page } = await t.open({ url: server.url, prefs: { panel: "run" } });
    await ask({ api: server.api, url: server.url }, page, `browse ${t.id}`);
    const panel = page.getByRole("region", { name: "Browser" });
    await visible(panel.getByRole("link", { name: "Paper shop" }));
    await visible(panel.locator("img"));
    await visible(page.getByRole("button", { name: "Stop everything" })); // it is still at work
    const width = await panel.locator("img").evaluate((e) => e.decode().then(() => e.naturalWidth));
    assert.equal(width, 1280);
    await accessible(page);
    await t.shot(page, "browse-panel");
    await panel.getByRole("button").click(); // the picture over the whole page
    await visible(page.getByRole("dialog").locator("img"));
    await t.shot(page, "browse-lightbox");
    await page.keyboard.press("Escape");
    await gone(page.getByRole("dialog"));
    for (const more of [
      { theme: "dark", locale: "zh" },
      { theme: "light", size: "phone" },
      { theme: "dark", locale: "zh", size: "phone" },
    ]) {
      const { page: other } = await t.open({ url: server.url, prefs: { panel: "run" }, ...more });
      await other.goto(page.url());
      const region = other.getByRole("region", { name: more.locale ? "浏览器" : "Browser" });
      await visible(region.locator("img"));
      await region.locator("img").evaluate((e) => e.decode());
      await region.scrollIntoViewIfNeeded();
      await t.shot(other, `browse-panel-${more.theme}-${more.size ?? "desktop"}`);
      await accessible(other);
    }
    await t.model.open(t.id);
    await finished(page);
    await visible(panel.getByRole("link", { name: "Paper shop" }));
  },
};
