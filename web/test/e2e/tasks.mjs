import { ask, assert, finished, gone, visible } from "./steps.mjs";

/** The model submits a task that stands at a gate, and answers at once. */
const submitting = (id, then) => [
  {
    when: { user: `submit ${id}` },
    steps: [
      { calls: [{ name: "submit_agent_task", arguments: { instruction: `Survey ${id}` } }] },
      { text: "It runs in the background." },
    ],
  },
  { when: { user: `Survey ${id}` }, steps: then },
];

export const tests = {
  // MD4: a task is in the sidebar while it works, can be opened, and its end is told in the chat.
  async "a background task is listed, opened and announced"(t) {
    const { open, model, id, shot, url } = t;
    const { page } = await open();
    await model.rules(...submitting(id, [{ text: `Three of five agree on ${id}.`, gate: id }]));
    const chat = await ask(t, page, `submit ${id}`);
    await visible(page.getByText("It runs in the background."));
    await finished(page);
    await model.reached(id);
    const list = page.getByRole("region", { name: "Background tasks" });
    await visible(list.getByRole("button", { name: `Stop Survey ${id}` }));
    await shot(page, "task-working");
    await list.getByRole("link", { name: `Survey ${id}` }).click();
    await visible(page.getByRole("link", { name: "Background task" }).first());
    await visible(page.getByRole("log").getByText(`Survey ${id}`));
    await model.open(id);
    await visible(page.getByRole("log").getByText(`Three of five agree on ${id}.`));
    await shot(page, "task-opened");
    await page.goto(`${url}/c/${chat}`);
    await visible(page.getByRole("log").getByText("Done", { exact: true }));
    await visible(page.getByRole("log").getByText(`Three of five agree on ${id}.`));
    await gone(list.getByRole("button", { name: `Stop Survey ${id}` }));
    await shot(page, "task-announced");
  },

  // MD4: a task is stopped from the sidebar, and the chat that is open tells it at once.
  async "a background task is stopped from the sidebar"(t) {
    const { open, model, id } = t;
    const { page } = await open();
    await model.rules(...submitting(id, [{ text: "Never said.", gate: id }]));
    await ask(t, page, `submit ${id}`);
    await model.reached(id);
    const list = page.getByRole("region", { name: "Background tasks" });
    await list.getByRole("button", { name: `Stop Survey ${id}` }).click();
    await visible(page.getByRole("log").getByText("Stopped", { exact: true }));
    await gone(list.getByRole("button", { name: `Stop Survey ${id}` }));
    await visible(list.getByText("Stopped"));
  },

  // MD3: a file that is handed over is a card with a preview and a download.
  async "a file that an agent sends is a card with preview and download"(t) {
    const { open, model, id, shot, api } = t;
    const { page } = await open();
    const project = await api.project("Reports");
    await api.write(project.id, "out/figures.csv", "city,people\nShanghai,24870895\nBerlin,3685265\n");
    await api.write(
      project.id,
      "out/mark.svg",
      '<svg xmlns="http://www.w3.org/2000/svg" width="90" height="90"><circle cx="45" cy="45" r="40" fill="teal"/></svg>',
    );
    await model.rules({
      when: { user: `send ${id}` },
      steps: [
        {
          calls: [
            { name: "send_file_to_user", arguments: { path: "out/figures.csv", caption: "the figures" } },
            { name: "send_file_to_user", arguments: { path: "out/mark.svg" } },
          ],
        },
        { text: "Both files are yours." },
      ],
    });
    await ask(t, page, `send ${id}`, { project_id: project.id });
    await visible(page.getByText("Both files are yours."));
    const card = page.getByRole("figure").filter({ hasText: "figures.csv" });
    await visible(card.getByText("the figures"));
    await card.getByRole("button", { name: "Show figures.csv" }).click();
    await visible(card.getByRole("cell", { name: "24870895" }));
    const coming = page.waitForEvent("download");
    await card.getByRole("link", { name: "Download figures.csv" }).click();
    assert.equal((await coming).suggestedFilename(), "figures.csv");
    await page.getByRole("button", { name: "Show mark.svg" }).click();
    await visible(page.getByRole("img", { name: "mark.svg" }));
    await shot(page, "file-cards");
    await page.reload();
    await visible(page.getByRole("figure").filter({ hasText: "mark.svg" }));
  },
};
