import { rmSync } from "node:fs";
import { startServer } from "./server.mjs";
import { ask, complete, finished, gone, paragraphs, say, shown, visible } from "./steps.mjs";

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
    if ((await page.getByRole("button", { name: /^calculator/ }).count()) !== 1) throw new Error("the finished call is shown once");
    await say(page, `after ${id}`);
    await visible(page.getByText("Still here."));
  },

  // CH2: a cursor that the server no longer knows is answered with a snapshot.
  async "a server that has lost its event log is followed from a snapshot"({ open, model, later, id }) {
    const server = await startServer({ model });
    later(() => server.close());
    const { page } = await open({ url: server.url });
    await model.rules({ when: { user: `forget ${id}` }, reply: { text: paragraphs(n), chunk_runes: 40, gate: id, gate_chunk: 12 } });
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
