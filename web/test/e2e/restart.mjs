import { rmSync } from "node:fs";
import { startServer } from "./server.mjs";
import { ask, assert, complete, finished, gone, paragraphs, say, shown, visible } from "./steps.mjs";

const n = 12;

export const tests = {
  // CH5: killed in the middle of a run; the page says so calmly and shows each thing once.
  async "a server that is killed in mid-run goes on after its restart"({ open, model, later, id, shot }) {
    const server = await startServer({ model });
    later(() => server.close());
    const { page } = await open({ url: server.url });
    await model.rules(
      {
        when: { user: `durable ${id}` },
        steps: [
          { text: "First I calculate.", calls: [{ name: "calculator", arguments: { expression: "2**10" } }] },
          { text: paragraphs(n), chunk_runes: 40, gate: id, gate_chunk: 12 },
        ],
      },
      { when: { user: `after ${id}` }, reply: { text: "Still here." } },
    );
    await ask({ api: server.api, url: server.url }, page, `durable ${id}`);
    await visible(page.getByText("Paragraph 3."));
    await server.kill();
    await visible(page.getByText("Connection lost. Reconnecting…"));
    await shot(page, "server-gone");
    await model.open(id);
    await server.restart();
    await gone(page.getByText("Connection lost. Reconnecting…"), 20_000);
    await visible(page.getByText(`Paragraph ${n}.`), 20_000);
    await finished(page);
    complete(await shown(page), n);
    if ((await page.getByRole("button", { name: /^(Calculated|已计算)/ }).count()) !== 1)
      throw new Error("the finished call is shown once");
    await say(page, `after ${id}`);
    await visible(page.getByText("Still here."));
  },

  // A8: an outage costs neither the page nor what was written, and everything that failed is read again.
  async "a click and a message while the server is away lose nothing, and the page catches up by itself"({
    open,
    model,
    later,
    id,
    shot,
  }) {
    const server = await startServer({ model });
    later(() => server.close());
    const { page } = await open({ url: server.url });
    await model.rules(
      { when: { user: `before ${id}` }, reply: { text: "Before the outage." } },
      { when: { user: `meanwhile ${id}` }, reply: { text: "It came through." } },
    );
    await ask({ api: server.api, url: server.url }, page, `before ${id}`);
    await visible(page.getByText("Before the outage."));
    const chat = page.url();
    await server.kill();
    await say(page, `meanwhile ${id}`);
    await visible(page.getByText("Not sent: it will be sent when the server is back."));
    await page.getByRole("link", { name: "Settings" }).click();
    await visible(page.getByText("The server can't be reached, so this page can't be opened yet."));
    if (page.url() !== chat) throw new Error(`the page is left for ${page.url()}`);
    await visible(page.getByText(`meanwhile ${id}`));
    await shot(page, "server-away");
    await server.restart();
    await visible(page.getByText("It came through."), 30_000);
    await gone(page.getByText("Not sent"));
    await page.getByRole("link", { name: "Settings" }).click();
    await visible(page.getByRole("heading", { name: "Settings", exact: true }));
  },

  async "a part of the settings that is first opened while the server is away is shown when it is back"(t) {
    const server = await startServer({ model: t.model });
    t.later(() => server.close());
    const { page } = await t.open({ url: server.url });
    await page.goto(`${server.url}/settings/appearance`);
    await visible(page.getByText("Theme", { exact: true }));
    await server.kill();
    await page.getByRole("link", { name: "Models" }).click();
    await visible(page.getByRole("heading", { name: "Models" }));
    await server.restart();
    await visible(page.getByText("Second model"), 30_000);
  },

  // CH5: a page that is older than its server does not hide that it waits for a person.
  async "a page that lacks a part of an updated server says so, and has it after a reload"({
    open,
    model,
    api,
    url,
    id,
  }) {
    const { page, problems } = await open();
    await model.rules({
      when: { user: `upper ${id}` },
      steps: [{ calls: [{ name: "text_process", arguments: { text: "a", operation: "upper" } }] }, { text: "Done." }],
    });
    await page.route(/ApprovalCard.*\.js/, (route) => route.fulfill({ status: 404, body: "" }));
    await ask({ api, url }, page, `upper ${id}`);
    await visible(page.getByText("NanoClaw was updated."));
    await page.locator("textarea").fill("a draft");
    await page.unroute(/ApprovalCard.*\.js/);
    await page.getByRole("button", { name: "Reload" }).click();
    await page.getByRole("button", { name: "Approve once" }).click();
    await visible(page.getByText("Done."));
    assert.equal(await page.locator("textarea").inputValue(), "a draft");
    problems.length = 0; // the browser tells of the file that is not there
  },

  // CH5: one lost request hides no part of a page, though the events go on and tell of no outage.
  async "a part whose request was lost is loaded again by itself"({ open, model, api, url, id }) {
    const { page } = await open();
    await model.rules({
      when: { user: `lower ${id}` },
      steps: [{ calls: [{ name: "text_process", arguments: { text: "A", operation: "lower" } }] }, { text: "Done." }],
    });
    for (const lost of [/ApprovalCard.*\.js/, /readyz$/]) {
      let times = 0;
      await page.route(lost, (route) => (times++ === 0 ? route.abort() : route.fallback()));
    }
    await ask({ api, url }, page, `lower ${id}`);
    await page.getByRole("button", { name: "Approve once" }).click();
    await visible(page.getByText("Done."));
    assert.equal(await page.getByText("NanoClaw was updated.").count(), 0);
  },

  async "a page that was opened while the server starts shows its lists and its chat when it is there, and sends what was kept"({
    open,
    model,
    later,
    id,
  }) {
    const server = await startServer({ model });
    later(() => server.close());
    const { page } = await open({ url: server.url });
    await model.rules(
      { when: { user: `first ${id}` }, reply: { text: "The first answer." } },
      { when: { user: `kept ${id}` }, reply: { text: "The kept one came through." } },
    );
    const { id: conversation } = await server.api.conversation({ title: `Chat ${id}` });
    await server.api.ask(conversation, `first ${id}`);
    // The server's files are there, its API is not yet.
    await page.route(/\/api\/v1\//, (route) => route.abort());
    await page.addInitScript(
      ([key, value]) => localStorage.getItem(key) === null && localStorage.setItem(key, value),
      [
        `nanoclaw.unsent.${conversation}`,
        JSON.stringify([{ text: `kept ${id}`, attachments: [], key: `key-${id}`, at: Date.now() }]),
      ],
    );
    await page.goto(`${server.url}/c/${conversation}`);
    await visible(page.getByText("The conversation couldn't be loaded"));
    await page.unroute(/\/api\/v1\//);
    await visible(page.getByRole("link", { name: `Chat ${id}` }), 30_000);
    await visible(page.getByText("The first answer."), 30_000);
    await visible(page.getByText("The kept one came through."), 30_000);
  },

  // CH2: a cursor that the server no longer knows is answered with a snapshot.
  async "a server that has lost its event log is followed from a snapshot"({ open, model, later, id }) {
    const server = await startServer({ model });
    later(() => server.close());
    const { page } = await open({ url: server.url });
    await model.rules({
      when: { user: `forget ${id}` },
      reply: { text: paragraphs(n), chunk_runes: 40, gate: id, gate_chunk: 12 },
    });
    await ask({ api: server.api, url: server.url }, page, `forget ${id}`);
    await visible(page.getByText("Paragraph 3."));
    await server.kill();
    rmSync(`${server.dir}/data/nats`, { recursive: true });
    await visible(page.getByText("Connection lost. Reconnecting…"));
    await model.open(id);
    await server.restart();
    await visible(page.getByText(`Paragraph ${n}.`), 20_000);
    await finished(page);
    complete(await shown(page), n);
  },
};
