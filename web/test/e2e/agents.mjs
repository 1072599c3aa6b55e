import { ask, assert, finished, gone, visible } from "./steps.mjs";

const names = ["SQLite", "PostgreSQL", "DuckDB"];

/** Three agents that each stand at a gate of their own, and the answer after them. */
async function script(model, id) {
  await model.rules(
    ...names.map((name) => ({
      when: { user: `Describe ${name} for ${id}` },
      steps: [
        { thinking: `What matters about ${name}?`, calls: [{ name: "calculator", arguments: { expression: "6*7" } }] },
        {
          text: `${name} is a sound choice for a small team: easy to run, well documented.`,
          chunk_runes: 12,
          gate: `${name}-${id}`,
          gate_chunk: 3,
        },
      ],
    })),
    {
      when: { user: `compare ${id}` },
      steps: [
        {
          thinking: "Three independent questions: one agent for each.",
          calls: [
            {
              name: "multi_agent",
              arguments: { tasks: names.map((name) => ({ name, instruction: `Describe ${name} for ${id}` })) },
            },
          ],
        },
        { text: "**SQLite** fits a small team best." },
      ],
    },
  );
}

export const tests = {
  // MA6: each sub-agent is seen live and can be stopped alone.
  async "three sub-agents are shown live, and one is stopped alone"(t) {
    const { open, model, id, shot } = t;
    const { page } = await open({ prefs: { panel: "run" } });
    await script(model, id);
    await ask(t, page, `compare ${id}`);
    const list = page.getByRole("log").getByRole("list", { name: "Sub-agents" });
    const agent = (name) => list.getByRole("button", { name: `Show what ${name} did` });
    for (const name of names) {
      await model.reached(`${name}-${id}`);
      await visible(agent(name).getByText(`${name} is a`));
    }
    await shot(page, "agents-working");
    await list.getByRole("button", { name: "Stop DuckDB" }).click();
    await visible(agent("DuckDB").getByText("Stopped"));
    await visible(agent("SQLite").getByText("SQLite is a"));
    await model.open(`SQLite-${id}`);
    await model.open(`PostgreSQL-${id}`);
    await visible(page.getByText("fits a small team best."));
    await finished(page);
    await gone(list.getByRole("button", { name: "Stop SQLite" }));
    await agent("SQLite").click();
    const panel = page.getByRole("complementary", { name: "Side panel" });
    await visible(panel.getByText("Calculated"));
    await visible(panel.getByText("SQLite is a sound choice for a small team"));
    await shot(page, "agents-done");
    // An old conversation has them too.
    await page.reload();
    await page.getByRole("log").hover();
    await page.mouse.wheel(0, -3000);
    await visible(agent("DuckDB").getByText("Stopped"));
    await model.open(`DuckDB-${id}`);
  },

  // A12, A21, A35: what the agents of a call came to is told by its line, with the reason and all tokens.
  async "of three agents one fails and one is stopped: the call is no success, and their tokens count"(t) {
    const { page } = await t.open({ prefs: { panel: "run" } });
    await t.model.rules(
      { when: { user: `good ${t.id}` }, reply: { text: "Fine.", usage: { prompt: 5000, completion: 10 } } },
      { when: { user: `bad ${t.id}` }, reply: { status: 400, error_message: "no such luck" } },
      { when: { user: `slow ${t.id}` }, reply: { text: "A slow answer.", gate: t.id, gate_chunk: 1, chunk_runes: 5 } },
      {
        when: { user: `send ${t.id}` },
        steps: [
          {
            calls: [
              {
                name: "multi_agent",
                arguments: { tasks: ["good", "bad", "slow"].map((name) => ({ name, instruction: `${name} ${t.id}` })) },
              },
            ],
            usage: { prompt: 100, completion: 10 },
          },
          { text: "Summary.", usage: { prompt: 200, completion: 10 } },
        ],
      },
    );
    await ask(t, page, `send ${t.id}`);
    await t.model.reached(t.id);
    const panel = page.getByRole("complementary", { name: "Side panel" });
    const answer = page.getByRole("article", { name: "Assistant" });
    await visible(panel.getByText("5,120 (5,100 + 20)"));
    await visible(answer.getByText(/Failed: .*no such luck/));
    await answer.getByRole("button", { name: "Stop slow" }).click();
    await visible(page.getByText("Summary."));
    await finished(page);
    const line = answer.getByText("1 of 3 done");
    const [is, amber] = await line.evaluate((e) => {
      const probe = document.body.appendChild(document.createElement("i"));
      probe.className = "text-warn";
      return [getComputedStyle(e).color, getComputedStyle(probe).color];
    });
    assert.equal(is, amber);
    for (const when of ["at once", "after a reload"]) {
      await visible(answer.getByText("5.3k tokens"));
      assert.equal(await answer.getByText("5.3k tokens").count(), 1, when);
      await page.reload();
    }
    await t.model.open(t.id);
  },

  // A28: the README's own example.
  async "what agents were asked is shown to the letter"(t) {
    const { page } = await t.open();
    const { id } = await t.api.conversation({ model: "demo" });
    await t.api.ask(id, "ask three agents in parallel: compute 2**5; compute 7*6; what time is it");
    await page.goto(`${t.url}/c/${id}`);
    const answer = page.getByRole("article", { name: "Assistant" });
    await visible(answer.locator("strong").getByText("compute 2**5", { exact: true }));
    await visible(answer.getByRole("button", { name: /compute 2\*\*5 did/ }).getByText("2**5 = 32"));
  },
};
