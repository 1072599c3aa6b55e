import { ask, finished, gone, visible } from "./steps.mjs";

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
};
