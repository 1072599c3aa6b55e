import { startServer } from "./server.mjs";
import { ask, assert, finished, gone, say, until, visible } from "./steps.mjs";

const echo = (id) => ({ when: { user_contains: id }, reply: { text: `You said: {{user}}` } });

export const tests = {
  async "a run is stopped, and what was said stays"(t) {
    const { open, model, id } = t;
    const { page } = await open();
    await model.rules({
      when: { user: `stop ${id}` },
      reply: { text: "The beginning.\n\nThe end.", chunk_runes: 16, gate: id, gate_chunk: 2 },
    });
    await ask(t, page, `stop ${id}`);
    await visible(page.getByText("The beginning."));
    await page.keyboard.press("Control+.");
    await visible(page.getByText("Stopped", { exact: true }));
    await visible(page.getByText("The beginning."));
    await model.open(id);
  },

  async "editing a message makes a branch, and the switcher goes back"(t) {
    const { open, model, id } = t;
    const { page } = await open();
    await model.rules(echo(id));
    await ask(t, page, `first question ${id}`);
    await visible(page.getByText(`You said: first question ${id}`));
    await finished(page);
    await page.getByRole("button", { name: "Edit", exact: true }).click();
    await page.getByRole("textbox", { name: "Edit" }).fill(`second question ${id}`);
    await page.keyboard.press("Enter");
    await visible(page.getByText(`You said: second question ${id}`));
    await visible(page.getByText("2 / 2"));
    await finished(page);
    // A32: the switch is at the edge of its bubble, also while nobody points at it.
    await page.mouse.move(500, 5);
    const right = (locator) => locator.evaluate((e) => e.getBoundingClientRect().right);
    const mine = page.getByRole("article", { name: "You" });
    const gap = (await right(mine)) - (await right(mine.getByRole("button", { name: "Next version" })));
    assert.ok(gap >= 0 && gap < 16, `${gap} px from the edge`);
    await page.getByRole("button", { name: "Previous version" }).click();
    await visible(page.getByText(`You said: first question ${id}`));
    assert.equal(await page.getByText(`You said: second question ${id}`).count(), 0);
    // The other branch is what the server goes on from, also after a reload.
    await until(
      async () =>
        (await t.api.get(`/conversations/${page.url().split("/").at(-1)}/messages`)).items.some((m) =>
          m.text.includes("first question"),
        ),
      "the server knows the branch",
    );
    await page.reload();
    await visible(page.getByText(`You said: first question ${id}`));
  },

  async "a message that is edited while a run is at work makes its branch when its turn comes"(t) {
    const { open, model, id } = t;
    const { page } = await open();
    await model.rules({ when: { user: `slow ${id}` }, reply: { text: "At last.", gate: id } }, echo(id));
    await ask(t, page, `first ${id}`);
    await visible(page.getByText(`You said: first ${id}`));
    await finished(page);
    await say(page, `slow ${id}`);
    await model.reached(id);
    await page.getByRole("button", { name: "Regenerate" }).first().click();
    await visible(page.getByText("One answer at a time: wait for this one, or stop it."));
    await page.getByRole("button", { name: "Edit", exact: true }).first().click();
    await page.getByRole("textbox", { name: "Edit", exact: true }).fill(`better ${id}`);
    await page.keyboard.press("Enter");
    await visible(page.getByRole("list", { name: "Queued" }).getByText(`better ${id}`));
    await model.open(id);
    await visible(page.getByText(`You said: better ${id}`));
    await visible(page.getByText("2 / 2"));
    assert.equal(await page.getByText("At last.").count(), 0, "the other branch is not in view");
  },

  async "an answer is made anew, and both stay"(t) {
    const { open, model, id } = t;
    const { page } = await open();
    await model.rules({
      when: { user: `again ${id}` },
      sequence: [{ text: "The first try." }, { text: "The second try." }],
    });
    await ask(t, page, `again ${id}`);
    await visible(page.getByText("The first try."));
    await finished(page);
    await page.getByRole("button", { name: "Regenerate" }).click();
    await visible(page.getByText("The second try."));
    await visible(page.getByText("2 / 2"));
  },

  async "an answer is changed, and the model sees the new one"(t) {
    const { open, model, id } = t;
    const { page } = await open();
    await model.rules(
      { when: { user: `capital ${id}` }, reply: { text: "It is Lyon." } },
      { when: { user: `sure ${id}` }, reply: { text: "Certain." } },
    );
    await ask(t, page, `capital ${id}`);
    await visible(page.getByText("It is Lyon."));
    await finished(page);
    await page.getByRole("article").getByRole("button", { name: "More", exact: true }).last().click();
    await page.getByRole("menuitem", { name: "Edit the answer" }).click();
    const box = page.getByRole("textbox", { name: "Edit the answer" });
    await t.shot(page, "edit-answer");
    await box.fill("It is **Paris**.");
    await box.press("Control+Enter");
    await visible(page.getByText("It is Paris."));
    await visible(page.getByText("edited", { exact: true }));
    await visible(page.getByText("2 / 2"));
    await say(page, `sure ${id}`);
    await visible(page.getByText("Certain."));
    const [told] = await model.requests(`sure ${id}`);
    assert.equal(told.Messages.at(-2).Text, "It is **Paris**.");
    await page.reload();
    await visible(page.getByText("It is Paris."));
    assert.equal(await page.getByText("It is Lyon.").count(), 0);
    await page.getByRole("button", { name: "Previous version" }).click();
    await visible(page.getByText("It is Lyon."));
  },

  async "a new chat begins at an answer, and the old one stays"(t) {
    const { open, model, id, url } = t;
    const { page } = await open();
    await model.rules(echo(id));
    await ask(t, page, `one ${id}`);
    await visible(page.getByText(`You said: one ${id}`));
    await finished(page);
    await say(page, `two ${id}`);
    await visible(page.getByText(`You said: two ${id}`));
    await finished(page);
    const old = page.url();
    const first = page.getByRole("article", { name: "Assistant" }).first();
    await first.hover();
    await first.getByRole("button", { name: "More", exact: true }).click();
    await page.getByRole("menuitem", { name: "New chat from here" }).click();
    await until(async () => page.url() !== old && page.url().startsWith(`${url}/c/`), "the page is at the new chat");
    await visible(page.getByText(`You said: one ${id}`));
    assert.equal(await page.getByText(`two ${id}`).count(), 0);
    await say(page, `three ${id}`);
    await visible(page.getByText(`You said: three ${id}`));
    await page.goto(old);
    await visible(page.getByText(`You said: two ${id}`));
    assert.equal(await page.getByText(`three ${id}`).count(), 0);
  },

  async "an answer is made anew by another model"(t) {
    const { open, model, id } = t;
    const { page } = await open();
    await model.rules(
      { when: { user: `who ${id}`, model: "second" }, reply: { text: "The other one." } },
      { when: { user: `who ${id}` }, reply: { text: "The usual one." } },
    );
    await ask(t, page, `who ${id}`);
    await visible(page.getByText("The usual one."));
    await finished(page);
    await page.getByRole("article").getByRole("button", { name: "More", exact: true }).last().click();
    await page.getByRole("menuitem", { name: "Second model" }).click();
    await visible(page.getByText("The other one."));
    await visible(page.getByText("2 / 2"));
  },

  async "a run that was stopped is continued with a word"(t) {
    const { open, model, id } = t;
    const { page } = await open();
    await model.rules(
      {
        when: { user: `story ${id}` },
        reply: { text: "The beginning.\n\nThe end.", chunk_runes: 16, gate: id, gate_chunk: 2 },
      },
      { when: { user: "Continue where you stopped." }, reply: { text: "And then it went on." } },
    );
    await ask(t, page, `story ${id}`);
    await visible(page.getByText("The beginning."));
    await page.keyboard.press("Control+.");
    await visible(page.getByText("Stopped", { exact: true }));
    await page.getByRole("button", { name: "Continue", exact: true }).click();
    await visible(page.getByText("And then it went on."));
    await visible(page.getByText("The beginning."));
    await model.open(id);
  },

  async "a run that failed goes on behind what it did"(t) {
    const { open, model, id } = t;
    const { page } = await open();
    await model.rules({
      when: { user: `sums ${id}` },
      sequence: [
        { text: "First a sum.", calls: [{ name: "calculator", arguments: { expression: "20+22" } }] },
        { status: 400, error_message: "the prompt is too strange" },
        { text: "It is forty-two." },
      ],
    });
    await ask(t, page, `sums ${id}`);
    await visible(page.getByText("The model's provider refused the request", { exact: true }));
    await page.reload();
    await page.getByRole("button", { name: "Continue", exact: true }).click();
    await visible(page.getByText("It is forty-two."));
    await visible(page.getByText("First a sum."));
    await gone(page.getByText("The model's provider refused the request", { exact: true }));
    assert.equal(await page.getByText("2 / 2").count(), 0, "it is the same answer");
  },

  // CH5: in words for people, and with a way to where it can be mended.
  async "an answer that breaks off says what happened and leads to the settings of models"(t) {
    const { open, model, id } = t;
    for (const [locale, said, link] of [
      [
        "en",
        /connection to 127\S+ broke in the middle of the answer\. Try again, or choose another model/,
        "Model settings",
      ],
      ["zh", /与 127\S+ 的连接在回答中途断开。请重试，或换一个模型。/, "模型设置"],
    ]) {
      const { page } = await open({ locale });
      const text = `break ${locale} ${id}`;
      await model.rules({ when: { user: text }, reply: { text: "one two three", faults: ["cut"] } });
      await ask(t, page, text);
      const card = page.getByText(said);
      await visible(card);
      assert.doesNotMatch(await card.innerText(), /EOF/);
      await t.shot(page, `failed-broken-off-${locale}`);
      await page.getByRole("link", { name: link }).click();
      await page.waitForURL(/settings\/models/);
    }
  },

  async "deleting a message says what goes with it"(t) {
    const { open, model, id, api } = t;
    const { page } = await open();
    await model.rules(echo(id));
    for (const text of ["one", "two"]) {
      if (text === "one") await ask(t, page, `${text} ${id}`);
      else await say(page, `${text} ${id}`);
      await visible(page.getByText(`You said: ${text} ${id}`));
      await finished(page);
    }
    const question = page.getByRole("article", { name: "You" }).first();
    await question.hover();
    await question.getByRole("button", { name: "Delete message" }).click();
    await visible(page.getByText("The 3 messages below it will be deleted too, in every version."));
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await gone(page.getByText(`You said: two ${id}`));
    const left = await api.get(`/conversations/${page.url().split("/").at(-1)}/messages`);
    assert.equal(left.items.length, 0);
  },

  async "a failed run says why and offers another try"(t) {
    const { open, model, id } = t;
    const { page } = await open();
    await model.rules({
      when: { user: `trouble ${id}` },
      sequence: [{ status: 400, error_message: "the prompt is too strange" }, { text: "Now it works." }],
    });
    await ask(t, page, `trouble ${id}`);
    await visible(page.getByText("The model's provider refused the request", { exact: true }));
    await visible(page.getByText(/too strange/));
    assert.equal(await page.getByRole("link", { name: "Model settings" }).getAttribute("href"), "/settings/models");
    await t.shot(page, "failed-run");
    await page.getByRole("button", { name: "Try again" }).click();
    await visible(page.getByText("Now it works."));
  },

  async "files are attached by the picker and by paste"(t) {
    const { open, model, id, url, api } = t;
    const { page } = await open();
    await model.rules(echo(id));
    const conversation = await api.conversation();
    await page.goto(`${url}/c/${conversation.id}`);
    await page
      .locator('input[type="file"]')
      .first()
      .setInputFiles({ name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("hello") });
    await visible(page.getByText("notes.txt"));
    await page.evaluate(() => {
      const data = new DataTransfer();
      const png = Uint8Array.from(
        atob("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="),
        (c) => c.charCodeAt(0),
      );
      data.items.add(new File([png], "shot.png", { type: "image/png" }));
      document
        .querySelector("textarea")
        .dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
    });
    await visible(page.getByText("shot.png"));
    await page.locator("textarea").fill(`look at these ${id}`);
    await until(() => page.getByRole("button", { name: "Send" }).isEnabled(), "both uploads are done");
    await page.keyboard.press("Enter");
    await visible(page.getByText(/You said: .*look at these/s));
    const [sent] = (await api.get(`/conversations/${conversation.id}/messages`)).items;
    assert.deepEqual(
      sent.attachments.map((a) => a.name),
      ["notes.txt", "shot.png"],
    );
  },

  // A8: what was written and attached on the first page is still there when the chat cannot be made.
  async "a new chat that cannot be made gives its message and files back"(t) {
    const { open, model, id, url, api } = t;
    const { page } = await open();
    await model.rules(echo(id));
    let refused = 0;
    await page.route("**/api/v1/conversations", (route) =>
      route.request().method() === "POST" && refused++ === 0
        ? route.fulfill({
            status: 503,
            contentType: "application/problem+json",
            body: '{"code":"unavailable","detail":"Not now."}',
          })
        : route.fallback(),
    );
    await page.goto(url);
    await page
      .locator('input[type="file"]')
      .first()
      .setInputFiles({ name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("hello") });
    await until(() => page.getByRole("button", { name: "Send" }).isEnabled(), "the upload is done");
    await say(page, `Compute 12*(3+4) ${id}`);
    await visible(page.getByText("Not now."));
    await visible(page.getByRole("list", { name: "Attachments" }).getByText("notes.txt"));
    assert.equal(await page.locator("textarea").inputValue(), `Compute 12*(3+4) ${id}`);
    await page.locator("textarea").press("Enter");
    await page.waitForURL(/\/c\//);
    await visible(page.getByRole("article", { name: "Assistant" }));
    const conversation = new URL(page.url()).pathname.split("/").pop();
    const [sent] = (await api.get(`/conversations/${conversation}/messages`)).items;
    assert.deepEqual(
      sent.attachments.map((a) => a.name),
      ["notes.txt"],
    );
  },

  // CH12: of two tabs that send at the same moment, the second one's message waits its turn.
  async "messages that two tabs send at once are both answered"(t) {
    const { open, model, id, url, api } = t;
    const { page, context } = await open();
    const other = await context.newPage();
    await model.rules(
      { when: { user: `one ${id}` }, reply: { text: "Answer one." } },
      { when: { user: `two ${id}` }, reply: { text: "Answer two." } },
    );
    const conversation = await api.conversation();
    const tabs = [
      [page, "one"],
      [other, "two"],
    ];
    // Neither tab hears of the other's run before it sends.
    for (const [tab] of tabs) await tab.route("**/api/v1/events*", (route) => route.abort());
    for (const [tab, word] of tabs) {
      await tab.goto(`${url}/c/${conversation.id}`);
      await tab.locator("textarea").fill(`${word} ${id}`);
    }
    for (const [tab] of tabs) await tab.locator("textarea").press("Enter");
    const texts = async () => (await api.get(`/conversations/${conversation.id}/messages`)).items.map((m) => m.text);
    await until(async () => (await texts()).includes("Answer one.") && (await texts()).includes("Answer two."), "both");
    for (const [tab] of tabs) assert.equal(await tab.getByText("Not sent").count(), 0);
  },

  // CH12: a message sent while a run is active waits for its end.
  async "a message that is sent meanwhile waits its turn"(t) {
    const { open, model, id } = t;
    const { page } = await open();
    await model.rules(
      { when: { user: `one ${id}` }, reply: { text: "Answer one.", gate: id } },
      { when: { user: `two ${id}` }, reply: { text: "Answer two." } },
    );
    await ask(t, page, `one ${id}`);
    await model.reached(id);
    await say(page, `two ${id}`);
    await visible(page.getByRole("list", { name: "Queued" }).getByText(`two ${id}`));
    await model.open(id);
    await visible(page.getByText("Answer one."));
    await visible(page.getByText("Answer two."));
    await gone(page.getByRole("list", { name: "Queued" }));
  },

  // CH12: a message into the turn under way is shown at once, reaches the model with its next request, and stays in its place.
  async "a message into the turn under way is heard before it ends"(t) {
    const { open, model, id, api } = t;
    const { page } = await open();
    await model.rules(
      {
        when: { user: `one ${id}` },
        reply: { text: "The answer in English.", gate: id, gate_chunk: 1, chunk_runes: 10 },
      },
      { when: { user: `in French ${id}` }, reply: { text: "Voilà." } },
    );
    const conversation = await ask(t, page, `one ${id}`);
    await model.reached(id);
    await page.locator("textarea").first().fill(`in French ${id}`);
    await visible(page.getByRole("button", { name: "Add to this turn" }));
    await page.keyboard.press("Alt+Enter");
    await visible(page.getByText("The model will see it in its next step"));
    assert.equal(await page.locator("textarea").inputValue(), "");
    await t.shot(page, "chat-steer-pending");
    await page.reload();
    await visible(page.getByText("The model will see it in its next step"));
    await model.open(id);
    await visible(page.getByText("Voilà."));
    await finished(page);
    await gone(page.getByText("The model will see it in its next step"));
    const order = async () =>
      (await page.getByRole("article", { name: "Assistant" }).innerText()).match(/in English|in French|Voilà/g);
    assert.deepEqual(await order(), ["in English", "in French", "Voilà"]);
    await t.shot(page, "chat-steer");
    await page.reload();
    await visible(page.getByText("Voilà."));
    assert.deepEqual(await order(), ["in English", "in French", "Voilà"]);
    const { items } = await api.get(`/conversations/${conversation}/messages`);
    assert.equal(items.length, 2, "one turn");
    // Once the turn is over, what is written is the next message.
    await page.locator("textarea").first().fill("thanks");
    assert.equal(await page.getByRole("button", { name: "Add to this turn" }).count(), 0);
  },

  // CH7: how full the model's context is, and what the chat used, stands at the composer: of the last request, not the sum.
  async "the composer says how full the context is"(t) {
    const { open, model, id } = t;
    const { page } = await open();
    await model.rules({
      when: { user: `look ${id}` },
      steps: [
        {
          calls: [{ name: "calculator", arguments: { expression: "6*7" } }],
          usage: { prompt: 5000, completion: 100 },
        },
        { text: "Seen.", usage: { prompt: 5900, completion: 100 } },
      ],
    });
    await ask(t, page, `look ${id}`);
    await visible(page.getByText("Seen."));
    await finished(page);
    const meter = page.getByRole("meter", { name: "Context" });
    for (const when of ["live", "after a reload"]) {
      await visible(meter);
      assert.equal(await meter.getAttribute("aria-valuenow"), "6000", when);
      assert.match(await meter.getAttribute("aria-valuetext"), /^6\.0k of .* · this chat: 11k tokens/, when);
      await page.reload();
    }
    await t.shot(page, "chat-context");
  },

  // A25: stopping stops; the message that waited is not sent, but goes back to where it was written.
  async "Esc stops the run, and gives back the message that waited"(t) {
    const { open, model, id, api } = t;
    const { page } = await open();
    await model.rules({ when: { user: `one ${id}` }, reply: { text: "Answer one.", gate: id } });
    const conversation = await ask(t, page, `one ${id}`);
    await model.reached(id);
    await say(page, `two ${id}`);
    await visible(page.getByRole("list", { name: "Queued" }).getByText(`two ${id}`));
    await page.keyboard.press("Escape");
    await visible(page.getByText("Stopped", { exact: true }));
    await until(async () => (await page.locator("textarea").inputValue()) === `two ${id}`, "the text is back");
    await gone(page.getByRole("list", { name: "Queued" }));
    const texts = (await api.get(`/conversations/${conversation}/messages`)).items.map((m) => m.text);
    assert.ok(!texts.includes(`two ${id}`), `it was not sent: ${texts}`);
    await model.open(id);
  },

  // A26: nothing at all is never the answer to a question.
  async "an empty answer is said to be empty, and tried again"(t) {
    const { open, model, id } = t;
    const { page } = await open();
    await model.rules({ when: { user: `empty ${id}` }, sequence: [{ text: "" }, { text: "Here it is." }] });
    await ask(t, page, `empty ${id}`);
    await visible(page.getByText("The model returned an empty answer."));
    await page.getByRole("button", { name: "Try again" }).click();
    await visible(page.getByText("Here it is."));
  },

  // A13, A17, A33: what models write every day; code keeps its size when it gets its colours.
  async "lists, alerts, keys and code inside of steps look as they are meant"(t) {
    const { open, model, id, shot } = t;
    const text = [
      "> [!WARNING]\n> Mind the gap.",
      "- [x] read\n- [ ] write",
      "Press <kbd>Ctrl</kbd>+<kbd>K</kbd>, H<sub>2</sub>O.[^1]",
      "| a | b |\n|---|---|\n| one<br>two | 2 |",
      "1. First install it:\n   ```bash\n   npm install left-pad\n   ```\n2. Then use it:\n   ```js\n   const x = 1;\n   ```",
      "```python\ndef f(x):\n    return x\n```",
      "<details>\n<summary>More</summary>\n\nHidden **words**.\n\n</details>",
      "[^1]: Water.",
    ].join("\n\n");
    for (const [theme, size] of [
      ["light", "desktop"],
      ["dark", "phone"],
    ]) {
      const { page } = await open({ theme, size });
      await model.rules({
        when: { user: `write ${id} ${theme}` },
        reply: { text, gate: id + theme, gate_chunk: 1, chunk_runes: 900 },
      });
      await ask(t, page, `write ${id} ${theme}`);
      await model.open(id + theme);
      const answer = page.getByRole("article", { name: "Assistant" });
      await visible(answer.getByText("Water."));
      await finished(page);
      const code = answer.getByRole("group", { name: "python" });
      const sizes = () =>
        code.evaluate((e) => [getComputedStyle(e.querySelector("code") ?? e).fontSize, e.offsetHeight]);
      await code.locator(".shiki").waitFor();
      assert.equal((await sizes())[0], "13.12px");
      const inSteps = answer.locator("li .nested-code .shiki");
      await until(async () => (await inSteps.count()) === 2, "code in steps has its colours");
      assert.equal((await answer.getByRole("button", { name: "Copy", exact: true }).count()) >= 3, true);
      assert.equal(await code.locator("[tabindex]").count(), 0, "one stop of the Tab key for a block");
      await visible(answer.locator(".alert").getByText("Warning"));
      assert.equal(await answer.getByText("Hidden").isVisible(), false);
      await answer.getByText("More", { exact: true }).click();
      await visible(answer.getByText("Hidden"));
      await shot(page, `markdown-${theme}-${size}`);
    }
  },

  // A20: each place counts, and is gone to.
  async "find counts the places, and goes from one to the next"(t) {
    const { open, model, id } = t;
    const { page } = await open();
    await model.rules({
      when: { user: `find ${id}` },
      reply: { text: "The needle, and **another needle**.\n\nA third needle." },
    });
    await ask(t, page, `find ${id}`);
    await visible(page.getByText("A third needle."));
    await finished(page);
    await page.keyboard.press("Control+f");
    await page.getByRole("textbox", { name: "Find in conversation" }).fill("needle");
    await visible(page.getByText("3 of 3"));
    const now = () =>
      page.evaluate(() => [...(CSS.highlights.get("found-now") ?? [])].map((r) => r.startContainer.textContent));
    await until(async () => (await now())[0] === "A third needle.", "the last one is marked");
    await page.keyboard.press("Enter");
    await visible(page.getByText("1 of 3"));
    await until(async () => (await now())[0] === "The needle, and ", "the first one is marked");
  },

  // F11: what is selected in an answer is quoted in the message box, behind what is written there.
  async "a selection is quoted in the message"(t) {
    const { open, model, id } = t;
    const { page } = await open();
    await model.rules({
      when: { user: `quote ${id}` },
      reply: { text: "First thought.\n\nSecond **bold** thought.\n\nThird." },
    });
    await ask(t, page, `quote ${id}`);
    await finished(page);
    const answer = page.getByRole("article", { name: "Assistant" });
    await visible(answer.getByText("Third."));
    const select = (from, to) =>
      answer.evaluate(
        (e, [a, b]) => {
          const [first, last] = [e.querySelectorAll("p")[a], e.querySelectorAll("p")[b]];
          getSelection().setBaseAndExtent(first, 0, last, last.childNodes.length);
        },
        [from, to],
      );
    await page.locator("textarea").fill("Before");
    await select(0, 1);
    const button = page.getByRole("button", { name: "Quote", exact: true });
    await visible(button);
    await t.shot(page, "chat-quote");
    await button.click();
    await gone(button);
    await page.keyboard.type("Why?");
    assert.equal(
      await page.locator("textarea").inputValue(),
      "Before\n\n> First thought.\n>\n> Second bold thought.\n\nWhy?",
    );
  },

  // B15: a pasted page does not push the answer away.
  async "a long message is folded"(t) {
    const { open, model, id } = t;
    const { page } = await open();
    await model.rules({ when: { user_contains: id }, reply: { text: "Read." } });
    await ask(t, page, `${id}\n${Array.from({ length: 60 }, (_, i) => `line ${i}`).join("\n")}`);
    await visible(page.getByText("Read.", { exact: true }));
    const mine = page.getByRole("article", { name: "You" });
    const height = () => mine.evaluate((e) => e.offsetHeight);
    const folded = await height();
    assert.ok(folded < 450, `${folded} px`);
    await mine.getByRole("button", { name: "Show more" }).click();
    assert.ok((await height()) > folded * 2);
  },

  async "a message that does not get through is kept and sent again"(t) {
    const { open, model, id } = t;
    const { page } = await open();
    await model.rules(echo(id));
    await ask(t, page, `first ${id}`);
    await visible(page.getByText(`You said: first ${id}`));
    await finished(page);
    await page.route("**/runs", (route) => route.abort());
    await say(page, `second ${id}`);
    await visible(page.getByText("Not sent"));
    await page.unroute("**/runs");
    await page.getByRole("button", { name: "Try again" }).click();
    await visible(page.getByText(`You said: second ${id}`));
    await finished(page);

    // Where the events go on and a request alone is lost, it is sent again by itself.
    let lost = 0;
    await page.route("**/runs", (route) => (lost++ < 2 ? route.abort() : route.fallback()));
    await say(page, `third ${id}`);
    await visible(page.getByText("Not sent"));
    await visible(page.getByText(`You said: third ${id}`));
    assert.equal(await page.getByText("Not sent").count(), 0);
  },

  async "keys: search, shortcuts, slash menu, side bar, new chat"(t) {
    const { open, model, id, url, shot } = t;
    const { page } = await open();
    await model.rules({ when: { user: `向量 ${id}` }, reply: { text: "Here is a first draft." } });
    await ask(t, page, `向量 ${id}`, { title: `调研三种向量数据库 ${id}` });
    await visible(page.getByText("Here is a first draft."));
    await finished(page);
    await page.goto(url);
    await visible(page.locator("textarea"));
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Search" }).fill("三种向量");
    await page.getByRole("option", { name: new RegExp(`调研三种向量数据库 ${id}`) }).click();
    await visible(page.getByText("Here is a first draft"));
    await page.locator("textarea").fill("/fi");
    await visible(page.getByRole("option", { name: /Show files/ }));
    await shot(page, "slash-menu");
    await page.keyboard.press("Enter");
    await visible(page.getByText("Choose a project"));
    await page.keyboard.press("Control+b");
    await page.getByRole("navigation", { name: "Sidebar" }).waitFor({ state: "hidden" });
    await page.keyboard.press("Escape");
    await page.keyboard.press("?");
    await visible(page.getByRole("dialog", { name: "Keyboard shortcuts" }));
    await page.keyboard.press("Escape");
    await page.keyboard.press("Control+Shift+O");
    await visible(page.getByRole("heading", { name: "What are we working on?" }));
  },

  // What "/" offers is on the page wherever the message box stands: on a project's page there is no room above it.
  async "the menu of commands is within the page"({ open, model, shot, later }) {
    const server = await startServer({ model });
    later(() => server.close());
    const { api, url } = server;
    const project = await api.project("Low ceiling");
    for (let n = 0; n < 12; n++) await api.post("/prompts", { name: `Prompt ${n}`, text: "Text" });
    const { page } = await open({ url });
    await page.setViewportSize({ width: 1024, height: 700 });
    for (const path of ["/", `/p/${project.id}`]) {
      await page.goto(url + path);
      await page.locator("textarea").first().fill("/");
      const menu = page.getByRole("listbox");
      await visible(menu);
      const box = await menu.boundingBox();
      assert.ok(box.y >= 0 && box.y + box.height <= 700 && box.height > 100, `${path}: ${JSON.stringify(box)}`);
      await shot(page, `slash-menu-${path === "/" ? "home" : "project"}`);
      await page.locator("textarea").first().fill("");
    }
  },

  // The panel of a menu is loaded when the first menu is wanted: the focus must go the way it always went.
  async "a menu is opened, used and left by the keyboard, and by the pointer"({ open, api, url, id }) {
    const { page } = await open();
    const { id: conversation } = await api.conversation({ title: `Menu ${id}` });
    await page.goto(`${url}/c/${conversation}`);
    const more = page.getByRole("button", { name: "More", exact: true });
    const first = page.getByRole("menuitem", { name: "Rename" });
    await more.focus();
    await page.keyboard.press("Enter");
    await until(() => first.evaluate((e) => e === document.activeElement), "the first item has the focus");
    assert.equal(await more.getAttribute("aria-expanded"), "true");
    await page.keyboard.press("ArrowDown");
    await until(
      () => page.getByRole("menuitem", { name: "Regenerate title" }).evaluate((e) => e === document.activeElement),
      "the second item has the focus",
    );
    await page.keyboard.press("Escape");
    await gone(page.getByRole("menu"));
    await until(() => more.evaluate((e) => e === document.activeElement), "the button has the focus again");
    await page.keyboard.press("ArrowDown");
    await until(() => first.evaluate((e) => e === document.activeElement), "an arrow opens it too");
    await page.keyboard.press("Enter");
    const name = page.getByRole("textbox", { name: "Rename chat" });
    await name.fill(`Renamed ${id}`);
    await page.keyboard.press("Enter");
    await visible(page.getByRole("heading", { name: `Renamed ${id}` }));
    await more.click();
    await visible(first);
    await more.click();
    await gone(page.getByRole("menu"));
    await more.click();
    await visible(first);
    await page.locator("textarea").click();
    await gone(page.getByRole("menu"));
    await until(
      () => page.locator("textarea").evaluate((e) => e === document.activeElement),
      "what was pressed has the focus",
    );
  },

  // CH7: an export of one server is taken by another.
  async "a conversation is exported and imported"(t) {
    const { open, model, id, api, url } = t;
    const { page } = await open();
    await model.rules(echo(id));
    const { id: conversation } = await api.conversation({ title: `To be moved ${id}` });
    await api.ask(conversation, `carry this ${id}`);
    const document = await (await fetch(`${url}/api/v1/conversations/${conversation}/export?format=json`)).text();
    await api.delete(`/conversations/${conversation}`);
    await page.goto(url);
    await page.goto(`${t.url}/settings/appearance`);
    await page.getByRole("button", { name: "Choose a file…" }).waitFor();
    const chooser = page.waitForEvent("filechooser");
    await page.getByRole("button", { name: "Choose a file…" }).click();
    await (await chooser).setFiles({ name: "chat.json", mimeType: "application/json", buffer: Buffer.from(document) });
    await page.waitForURL(/\/c\//);
    await visible(page.getByText(`You said: carry this ${id}`));
    await visible(page.getByRole("heading", { name: `To be moved ${id}` }));
  },

  // F13: the conversations of another chat's export come over, the branch in view among them.
  async "an export of ChatGPT is imported"({ open, url, id }) {
    const { page } = await open();
    const message = (role, text) => ({ author: { role }, content: { parts: [text] } });
    const mapping = {
      root: { parent: null, message: null },
      q: { parent: "root", message: message("user", `Which tea ${id}?`) },
      old: { parent: "q", message: message("assistant", "Black tea.") },
      new: { parent: "q", message: message("assistant", "Green tea.") },
    };
    const file = [1, 2].map((n) => ({ title: `Tea ${n} ${id}`, current_node: "new", mapping }));
    await page.goto(`${url}/settings/appearance`);
    const chooser = page.waitForEvent("filechooser");
    await page.getByRole("button", { name: "Choose a file…" }).click();
    const buffer = Buffer.from(JSON.stringify(file));
    await (await chooser).setFiles({ name: "conversations.json", mimeType: "application/json", buffer });
    await page.waitForURL(/\/c\//);
    await visible(page.getByText("2 chats were imported"));
    await visible(page.getByText("Green tea."));
    assert.equal(await page.getByText("Black tea.").count(), 0, "the branch in view is the active one");
    await visible(page.getByRole("navigation").getByText(`Tea 1 ${id}`));
  },
};
