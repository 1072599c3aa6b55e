import { ask, gone, assert, complete, finished, paragraphs, say, shown, visible } from "./steps.mjs";

const n = 12;
/** An answer that stops after its first third until the test opens the gate. */
const held = (id) => ({
  when: { user: `long ${id}` },
  reply: { thinking: "This takes a while.", text: paragraphs(n), chunk_runes: 40, gate: id, gate_chunk: 12 },
});

export const tests = {
  // A16: a rate limit is said with a countdown, and the answer comes after it.
  async "a provider that asks to wait is named with a countdown"(t) {
    const { open, model, id } = t;
    const { page } = await open();
    await model.rules({
      when: { user: `limited ${id}` },
      reply: { status: 429, error_message: "slow down", headers: { "Retry-After": "40" } },
    });
    await ask(t, page, `limited ${id}`);
    await visible(page.getByText(/Provider's rate limit: retrying in \d+ s/));
    await visible(page.getByText("(1 of 2)"));
    await t.shot(page, "rate-limited");
    await page.getByRole("button", { name: "Stop", exact: true }).click();
    await gone(page.getByText(/trying again/));
  },

  // CH2, CH3: closing the page stops nothing; coming back shows everything once.
  async "a reload in the middle of a stream loses nothing and shows nothing twice"(t) {
    const { open, model, id } = t;
    const { page } = await open();
    await model.rules(held(id));
    await ask(t, page, `long ${id}`);
    await visible(page.getByText("Paragraph 3."));
    await page.reload();
    await visible(page.getByText("Paragraph 3."));
    await visible(page.getByRole("button", { name: "Stop" }));
    await model.open(id);
    await visible(page.getByText(`Paragraph ${n}.`));
    await finished(page);
    complete(await shown(page), n);
  },

  async "a picture in an answer shows its words until its data is complete"(t) {
    const { open, model, id, shot } = t;
    const { page } = await open();
    const data = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    const text = `Look: ![A red dot](data:image/png;base64,${data}) there.`;
    const reply = { text, chunk_runes: 20, gate: id, gate_chunk: 5 };
    await model.rules({ when: { user: `draw ${id}` }, reply });
    await ask(t, page, `draw ${id}`);
    const answer = page.getByRole("article", { name: "Assistant" });
    await visible(answer.getByText("A red dot…"));
    assert.doesNotMatch(await answer.innerText(), /base64|iVBOR/);
    assert.equal(await answer.getByRole("link").count(), 0);
    await shot(page, "picture-streams");
    await model.open(id);
    const picture = answer.getByRole("button", { name: "A red dot" });
    await visible(picture);
    assert.equal(await picture.evaluate((e) => e.decode().then(() => e.naturalWidth)), 1);
    await finished(page);
    // Of a turn that was stopped in the middle of it the words stay.
    await model.rules({ when: { user: `draw again ${id}` }, reply: { ...reply, gate: `${id}-2` } });
    await say(page, `draw again ${id}`);
    await visible(answer.last().getByText("A red dot…"));
    await page.getByRole("button", { name: "Stop", exact: true }).click();
    await finished(page);
    await page.reload();
    await visible(answer.last().getByText("A red dot…"));
    assert.doesNotMatch(await answer.last().innerText(), /base64|iVBOR/);
  },

  // CH4: every tab shows the same; they share one event stream.
  async "a second tab shows the same, and goes on when the first one closes"(t) {
    const { open, model, id } = t;
    const { page, context } = await open();
    const streams = [];
    context.on("request", (request) => request.url().includes("/api/v1/events") && streams.push(request));
    await model.rules(held(id));
    await ask(t, page, `long ${id}`);
    await visible(page.getByText("Paragraph 3."));
    const other = await context.newPage();
    await other.goto(page.url());
    await visible(other.getByText("Paragraph 3."));
    assert.equal(streams.length, 1, "one event stream for both tabs");
    await page.close();
    await model.open(id);
    await visible(other.getByText(`Paragraph ${n}.`));
    await finished(other);
    complete(await shown(other), n);
    assert.equal(streams.length, 2, "the second tab took over");
  },

  async "two windows of different browsers show the same while it happens"(t) {
    const { open, model, id } = t;
    const { page } = await open();
    const { page: other } = await open({ locale: "zh" });
    await model.rules(held(id), { when: { user: `next ${id}` }, reply: { text: "And the next answer." } });
    await ask(t, page, `long ${id}`);
    await visible(page.getByText("Paragraph 3."));
    await other.goto(page.url());
    await visible(other.getByText("Paragraph 3."));
    await model.open(id);
    await visible(page.getByText(`Paragraph ${n}.`));
    await visible(other.getByText(`Paragraph ${n}.`));
    await finished(page);
    await finished(other);
    await other.locator("textarea").fill(`next ${id}`);
    await other.keyboard.press("Enter");
    await visible(page.getByText(`next ${id}`, { exact: true }));
    await visible(page.getByText("And the next answer."));
  },
};
