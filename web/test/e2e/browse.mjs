import { createServer } from "node:http";
import { existsSync } from "node:fs";
import { startServer } from "./server.mjs";
import { ask, assert, finished, noSideways, visible } from "./steps.mjs";

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
    await noSideways(page);
    await t.shot(page, "browse-panel");
    const { page: dark } = await t.open({ url: server.url, theme: "dark", locale: "zh", prefs: { panel: "run" } });
    await dark.goto(page.url());
    await visible(dark.getByRole("region", { name: "浏览器" }).locator("img"));
    await t.shot(dark, "browse-panel-dark");
    await t.model.open(t.id);
    await finished(page);
    await visible(panel.getByRole("link", { name: "Paper shop" }));
  },
};
