import { startServer } from "./server.mjs";
import { assert, ask, finished, gone, noSideways, paragraphs, say, until, visible } from "./steps.mjs";

/** A turn whose tool always asks (guard.guarded_tools of the test's server), and the answer after it. */
const asks = (id, args, answers = [{ text: "It went through." }]) => ({
  when: { user: `do it ${id}` },
  steps: [{ text: "I will do it now.", calls: [{ name: "text_process", arguments: args }] }, ...answers],
});
const upper = (id) => ({ text: `shout ${id}`, operation: "upper" });

async function waiting(page) {
  const card = page.getByRole("region", { name: "“Process text” needs your approval" });
  await visible(card);
  return card;
}

export const tests = {
  // TG4, TG5: decided with the keyboard alone.
  async "a call is approved by keyboard alone"(t) {
    const { page } = await t.open();
    await t.model.rules(asks(t.id, upper(t.id)));
    const conversation = await ask(t, page, `do it ${t.id}`);
    await waiting(page);
    await t.shot(page, "approval");
    await page.keyboard.press("Control+g");
    await visible(page.getByText("Ctrl+Enter approve once"));
    await t.shot(page, "approval-focused");
    await page.keyboard.press("Control+Enter");
    await visible(page.getByText("It went through."));
    await finished(page);
    await gone(page.getByRole("region", { name: "“Process text” needs your approval" }));
    const [approval] = (await t.api.get(`/approvals?conversation_id=${conversation}`)).items;
    assert.deepEqual([approval.status, approval.scope], ["approved", "once"]);
  },

  async "a call is denied by keyboard, with a reason that the model reads"(t) {
    const { page } = await t.open({ theme: "dark" });
    await t.model.rules(asks(t.id, upper(t.id), [{ text: "The tool said: {{last}}" }]));
    await ask(t, page, `do it ${t.id}`);
    await waiting(page);
    await page.keyboard.press("Control+g");
    await page.keyboard.press("Control+Backspace");
    await page.keyboard.type("keep the voice down");
    await t.shot(page, "approval-deny");
    await page.keyboard.press("Enter");
    await visible(page.getByText(/The tool said: .*keep the voice down/));
    await visible(page.getByText("denied", { exact: true }));
  },

  async "arguments are edited before the call is approved, and checked against the tool"(t) {
    const { page } = await t.open();
    await t.model.rules(asks(t.id, upper(t.id), [{ text: "The tool said: {{last}}" }]));
    await ask(t, page, `do it ${t.id}`);
    await waiting(page);
    await page.locator("[data-approval]").getByRole("button", { name: "Edit", exact: true }).click();
    const box = page.getByLabel("Arguments (JSON)");
    await box.fill('{"text": ');
    await page.getByRole("button", { name: "Approve with these arguments" }).click();
    await visible(page.getByRole("alert").getByText("Invalid JSON"));
    await box.fill('{"text": "quiet", "operation": "no such thing"}');
    await page.getByRole("button", { name: "Approve with these arguments" }).click();
    await visible(page.getByRole("alert").getByText(/operation/));
    await box.fill(JSON.stringify({ text: `whisper ${t.id}`, operation: "upper" }));
    await page.keyboard.press("Control+Enter");
    await visible(page.getByText(new RegExp(`WHISPER ${t.id.toUpperCase()}`)));
  },

  // A1: no plain letter decides anything; what is typed outside of a field is the next message.
  async "letters that are typed anywhere go into the message, and decide nothing"(t) {
    const { page } = await t.open({ prefs: { panel: "files" } });
    await t.model.rules(asks(t.id, upper(t.id)));
    const project = await t.api.project(`Letters ${t.id}`);
    await t.api.write(project.id, "a.txt", "one");
    const conversation = await ask(t, page, `do it ${t.id}`, { project_id: project.id });
    const card = await waiting(page);
    const box = page.getByRole("textbox", { name: "Message NanoClaw" });
    const places = {
      nothing: () => page.evaluate(() => document.activeElement.blur()),
      "the transcript": () => page.getByRole("log").click({ position: { x: 5, y: 5 } }),
      "the card's text": () => card.getByRole("heading").click(),
      "the card": () => card.focus(),
      "a button of the card": () => card.getByRole("button", { name: "Approve once" }).focus(),
      "a choice of the card": () => card.getByRole("radio").first().focus(),
      "a link": () => page.getByRole("link", { name: "Settings", exact: true }).focus(),
      "the side panel": () => page.getByRole("tab", { name: "Files" }).focus(),
      "a file": () => page.getByRole("treeitem").first().focus(),
      "the width of the panel": () => page.getByRole("separator").last().focus(),
    };
    for (const [place, go] of Object.entries(places)) {
      await go();
      await box.evaluate((element) => (element.value = ""));
      await page.keyboard.type("sad eaDES");
      assert.equal(await box.inputValue(), "sad eaDES", `typed with the focus in ${place}`);
    }
    // In a menu and in a dialog letters are theirs, and decide as little.
    await page.getByRole("button", { name: "More", exact: true }).first().click();
    await visible(page.getByRole("menuitem"));
    await page.keyboard.type("sade");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Control+k");
    await page.keyboard.type("sade");
    await page.keyboard.press("Escape");
    assert.equal((await t.api.get(`/approvals?conversation_id=${conversation}&status=pending`)).items.length, 1);
    assert.equal(await page.getByLabel("Arguments (JSON)").count(), 0);
    assert.equal(await page.getByLabel("Reason (the agent will see it)").count(), 0);
  },

  // A1: Esc means what was just called, also before it is there; it does not stop the run.
  async "Esc calls off a palette that is still on its way, and not the run"(t) {
    const { page } = await t.open();
    await t.model.rules(asks(t.id, upper(t.id)));
    let release;
    const held = new Promise((resolve) => (release = resolve));
    await page.route(/Palette-.*\.js/, async (route) => (await held, route.continue()));
    const conversation = await ask(t, page, `do it ${t.id}`);
    await waiting(page);
    await page.keyboard.press("Control+k");
    await page.keyboard.press("Escape");
    const there = page.waitForResponse(/Palette-.*\.js/);
    release();
    await there;
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
    assert.equal(await page.getByRole("dialog").count(), 0);
    assert.equal((await t.api.get(`/approvals?conversation_id=${conversation}&status=pending`)).items.length, 1);
  },

  // A2: a key acts on the card that has the focus, which is in view, and on no other.
  async "of several calls that wait only the one in focus answers to keys, and it is in view"(t) {
    const { page } = await t.open();
    const calls = [1, 2, 3, 4, 5].map((n) => ({
      name: "text_process",
      arguments: { text: `${n} ${t.id}\n${"line\n".repeat(12)}`, operation: "upper" },
    }));
    await t.model.rules({
      when: { user: `five ${t.id}` },
      steps: [{ text: "Five at once.", calls }, { text: "All went through." }],
    });
    const conversation = await ask(t, page, `five ${t.id}`);
    const cards = page.getByRole("region", { name: "“Process text” needs your approval" });
    await visible(cards.nth(4));
    const pending = async () =>
      (await t.api.get(`/approvals?conversation_id=${conversation}&status=pending`)).items
        .map((a) => JSON.parse(a.tool_call.function.arguments).text[0])
        .sort()
        .join("");
    const focused = page.locator("[data-approval]:focus");
    // Nobody types: the one that came first has the focus by itself, and is in view, also when others came behind it.
    await visible(focused);
    const inView = async () => {
      const box = await focused.boundingBox();
      assert.ok(box.y >= 0 && box.y + box.height <= 860, `it is in view: ${JSON.stringify(box)}`);
    };
    await inView();
    while ((await focused.getByText(`3 ${t.id}`).count()) === 0) await page.keyboard.press("Control+g");
    await inView();
    assert.equal(await page.getByText("Ctrl+Enter approve once").count(), 1, "the hint is on the card that answers");
    assert.equal(await pending(), "12345", "nothing was decided so far");
    await t.shot(page, "approval-five");
    await page.keyboard.press("Control+Enter");
    await until(async () => (await pending()) === "1245", "the third one is approved");
    // The next one has the focus, so that one key after the other decides all that is seen.
    await visible(page.locator("[data-approval]:focus"));
  },

  // A2: the first card of a page is still loading when the call waits already.
  async "a card that is slow to load has the focus, too"(t) {
    const { page } = await t.open();
    await t.model.rules({
      when: { user: `slow card ${t.id}` },
      steps: [
        { calls: [{ name: "text_process", arguments: { text: "a", operation: "upper" } }] },
        { text: "It went through." },
      ],
    });
    let release;
    const held = new Promise((resolve) => (release = resolve));
    await page.route(/ApprovalCard.*\.js/, async (route) => (await held, await route.continue()));
    await ask(t, page, `slow card ${t.id}`);
    await until(async () => (await page.title()).startsWith("("), "the call waits");
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    assert.equal(await page.locator("[data-approval]").count(), 0);
    release();
    await visible(page.locator("[data-approval]:focus"));
    await page.keyboard.press("Control+Enter");
    await visible(page.getByText("It went through."));
  },

  // A2: a card takes the focus of nobody who is typing; all of them are decided at once.
  async "a card that comes while a person types leaves them alone, and several are approved together"(t) {
    const { page } = await t.open();
    const calls = [1, 2, 3].map((n) => ({
      name: "text_process",
      arguments: { text: `${n} ${t.id}`, operation: "upper" },
    }));
    await t.model.rules({
      when: { user: `three ${t.id}` },
      steps: [{ text: "Three at once.", calls, gate: t.id, gate_chunk: 0 }, { text: "All went through." }],
    });
    const conversation = await ask(t, page, `three ${t.id}`);
    await t.model.reached(t.id);
    const box = page
      .getByRole("textbox", { name: "Message NanoClaw" })
      .or(page.getByPlaceholder("Write the next message"));
    await box.fill("a sentence that is not done");
    await t.model.open(t.id);
    await visible(page.getByText("3 calls are waiting for your approval"));
    await t.shot(page, "approval-all");
    await page.keyboard.type(" yet");
    assert.equal(await box.inputValue(), "a sentence that is not done yet");
    assert.equal((await t.api.get(`/approvals?conversation_id=${conversation}&status=pending`)).items.length, 3);
    await page.getByRole("button", { name: "Approve all 3" }).click();
    await visible(page.getByText("All went through."));
  },

  // A4: whoever reads above is not carried away by a card; at the end the list goes on following once all is decided.
  async "a card moves nobody who reads above, and after a decision the answer is followed again"(t) {
    const { page } = await t.open();
    const call = { name: "text_process", arguments: upper(t.id) };
    await t.model.rules({
      when: { user: `read ${t.id}` },
      steps: [
        { text: paragraphs(40) },
        { text: "Now it asks.", calls: [call], gate: t.id, gate_chunk: 0 },
        { text: paragraphs(40) },
      ].map((step, i) => (i ? step : { ...step, calls: [{ name: "calculator", arguments: { expression: "1+1" } }] })),
    });
    await ask(t, page, `read ${t.id}`);
    await t.model.reached(t.id);
    const log = page.getByRole("log");
    await log.hover();
    await page.mouse.wheel(0, -600);
    await visible(page.getByRole("button", { name: "Jump to latest" }));
    await page.evaluate(() => document.activeElement.blur());
    const top = () => log.evaluate((e) => e.scrollTop);
    const before = await top();
    await t.model.open(t.id);
    await visible(page.locator("[data-approval]"));
    // When the page is painted and idle a card would have taken the view along.
    await page.evaluate(
      () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => requestIdleCallback(done)))),
    );
    assert.equal(await top(), before, "the view stays");
    await page.keyboard.press("Control+g");
    await visible(page.locator("[data-approval]:focus"));
    await page.getByRole("button", { name: "Jump to latest" }).click();
    await page.keyboard.press("Control+g");
    await page.keyboard.press("Control+Enter");
    await finished(page);
    await until(() => log.evaluate((e) => e.scrollHeight - e.scrollTop - e.clientHeight < 5), "the end is in view");
  },

  // A19: the way back to the end covers nothing that decides.
  async "the buttons of a card that is in focus are all free, also on a phone"(t) {
    for (const size of ["desktop", "phone"]) {
      const { page } = await t.open({ size });
      const id = `${t.id}-${size}`;
      const calls = [1, 2].map((n) => ({
        name: "text_process",
        arguments: { text: `${n} ${id}`, operation: "upper" },
      }));
      await t.model.rules({
        when: { user: `free ${id}` },
        steps: [{ text: paragraphs(20), calls }, { text: "Done." }],
      });
      await ask(t, page, `free ${id}`);
      const cards = page.locator("[data-approval]");
      await visible(cards.nth(1));
      await page.keyboard.press("Control+g");
      const card = page.locator("[data-approval]:focus");
      await visible(card);
      const covered = await card.evaluate((e) =>
        [...e.querySelectorAll("button")]
          .filter((button) => {
            const { x, y, width, height } = button.getBoundingClientRect();
            return !button.contains(document.elementFromPoint(x + width / 2, y + height / 2));
          })
          .map((button) => button.textContent.trim()),
      );
      assert.deepEqual(covered, [], size);
    }
  },

  // B5: a command is changed as a command, not as JSON.
  async "a command is edited as it is, before it is approved"(t) {
    const server = await startServer({ model: t.model, more: "guard: { guarded_tools: [shell_execute] }\n" });
    t.later(() => server.close());
    const { page } = await t.open({ url: server.url });
    await t.model.rules({
      when: { user: `command ${t.id}` },
      steps: [
        { calls: [{ name: "shell_execute", arguments: { command: 'echo "first"', timeout: 9 } }] },
        { text: "The tool said: {{last}}" },
      ],
    });
    await ask({ api: server.api, url: server.url }, page, `command ${t.id}`);
    const card = page.locator("[data-approval]");
    await card.getByRole("button", { name: "Edit", exact: true }).click();
    const box = page.getByLabel("Command", { exact: true });
    assert.equal(await box.inputValue(), 'echo "first"');
    await t.shot(page, "approval-edit-command");
    await box.fill('echo "second"\necho third');
    await page.getByRole("button", { name: "Edit all arguments" }).click();
    const all = page.getByLabel("Arguments (JSON)");
    assert.deepEqual(JSON.parse(await all.inputValue()), { command: 'echo "second"\necho third', timeout: 9 });
    await page.getByRole("button", { name: "Approve with these arguments" }).click();
    await visible(page.getByText(/The tool said: .*second/s));
  },

  // Point 4: a command that hides behind blanks, reordering or characters without a shape.
  async "nothing of a call goes unseen: blanks are counted, characters without a shape are marked, cuts are told"(t) {
    const server = await startServer({
      model: t.model,
      more: "guard: { guarded_tools: [shell_execute, file_delete] }\n",
    });
    t.later(() => server.close());
    const project = await server.api.project("Hidden");
    await server.api.write(project.id, "cod.\u202egpj", "not a picture"); // a call that cannot succeed is not asked about
    const blanks = { command: `rm old.txt${" ".repeat(3000)}; rm -rf precious`, timeout: 7 };
    const breaks = { command: `echo ok${"\n".repeat(500)}rm -rf precious` };
    const bidi = { command: "echo \u202eok\u2066 \u200b\u00ad# fine" };
    const long = { command: `echo ${"x".repeat(9000)}; rm -rf hidden-in-the-middle; echo ${"y".repeat(3000)} the end` };
    const steps = [blanks, breaks, bidi, long].map((args) => ({ calls: [{ name: "shell_execute", arguments: args }] }));
    await t.model.rules({
      when: { user: `hide ${t.id}` },
      steps: [
        ...steps,
        { calls: [{ name: "file_delete", arguments: { path: "cod.\u202egpj" } }] },
        { text: "That is all." },
      ],
    });
    for (const [theme, locale, size] of [
      ["light", "en", "desktop"],
      ["dark", "zh", "phone"],
    ]) {
      const { page } = await t.open({ url: server.url, theme, locale, size });
      await ask({ api: server.api, url: server.url }, page, `hide ${t.id}`, { project_id: project.id });
      const card = page.locator("[data-approval]");
      const is = async (...texts) => {
        for (const text of texts) await visible(card.getByText(text));
        await card.scrollIntoViewIfNeeded();
        const wide = await card.evaluate((e) =>
          [...e.querySelectorAll("*")].some(
            (c) => getComputedStyle(c).overflowX === "auto" && c.scrollWidth > c.clientWidth,
          ),
        );
        assert.equal(wide, false, "everything wraps");
        await noSideways(page);
      };
      const deny = async (shot, word) => {
        await t.shot(page, `exact-${shot}-${theme}-${size}`);
        const button = card.getByRole("button", { name: locale === "en" ? "Deny" : "拒绝", exact: true });
        await button.click();
        await button.last().click();
        await gone(page.locator("[data-approval]").filter({ hasText: word }));
      };
      const en = locale === "en";
      await is(
        en ? "3,000 spaces" : "3,000 个空格",
        "; rm -rf precious",
        en ? "3,027 characters" : "3,027 个字符",
        "timeout",
      );
      await deny("blanks", en ? "3,000 spaces" : "3,000 个空格");
      await is(en ? "500 line breaks" : "500 个换行", "rm -rf precious");
      await deny("breaks", en ? "500 line breaks" : "500 个换行");
      await is("U+202E", "U+2066", "U+200B", "U+00AD");
      await deny("bidi", "U+2066");
      await is(en ? /characters are not shown/ : /个字符未显示/, "the end");
      assert.equal(await card.getByRole("group").getByText("hidden-in-the-middle").count(), 0);
      await card.getByRole("button", { name: en ? "Show all" : "全部显示" }).click();
      await is("hidden-in-the-middle");
      await deny("long", "hidden-in-the-middle");
      await is("U+202E", "gpj");
      await deny("path", "gpj");
      await visible(page.getByText("That is all."));
    }
  },

  // TG4: an approval waits through a reload; every tab sees the decision; the standing rule can be revoked.
  async "an approval survives a reload, another tab decides it for good, and the rule is revoked"(t) {
    const { page, context } = await t.open();
    await t.model.rules(asks(t.id, upper(t.id)));
    await ask(t, page, `do it ${t.id}`);
    await waiting(page);
    await page.reload();
    await waiting(page);
    const other = await context.newPage();
    await other.goto(`${t.url}/settings/approvals`);
    await visible(other.getByRole("link", { name: /Process text/ }));
    await other.goto(page.url());
    await (await waiting(other)).getByRole("button", { name: "Always" }).click();
    await visible(other.getByText("It went through."));
    await visible(page.getByText("It went through."));
    await other.goto(`${t.url}/settings/approvals`);
    const rule = other.getByRole("listitem").filter({ hasText: `shout ${t.id}` });
    await visible(rule);
    await t.shot(other, "approval-rules");
    await rule.getByRole("button", { name: /Revoke/ }).click();
    await gone(rule);
    await until(
      async () => !(await t.api.get("/approvals/rules")).items.some((r) => r.arguments.includes(t.id)),
      "revoked",
    );
  },

  // TG4: what an approval covers is said in words before it is given; settings list it so and remove it.
  async "an approval covers a command prefix, in words, and is removed in the settings"(t) {
    const server = await startServer({ model: t.model, more: "guard: { guarded_tools: [shell_execute] }\n" });
    t.later(() => server.close());
    const runs = (command) => ({ calls: [{ name: "shell_execute", arguments: { command } }] });
    await t.model.rules({
      when: { user: `build ${t.id}` },
      steps: [
        runs("npm run build"),
        runs("npm run lint | tail -3"),
        runs("npm run build; rm -r src"),
        { text: "All is built." },
      ],
    });
    for (const [theme, locale, size] of [
      ["light", "en", "desktop"],
      ["dark", "zh", "phone"],
    ]) {
      const en = locale === "en";
      const { page } = await t.open({ url: server.url, theme, locale, size });
      await ask({ api: server.api, url: server.url }, page, `build ${t.id}`);
      const card = page.locator("[data-approval]");
      const choices = card.getByRole("radio");
      await visible(card.getByRole("group", { name: en ? /“Always” cover/ : /“始终批准”的范围/ }));
      await page.getByRole("radio", { name: en ? "all npm run * commands" : "所有 npm run * 命令" }).waitFor();
      assert.equal(await choices.count(), 3);
      assert.equal(await choices.first().isChecked(), true, "the call alone is the default");
      await card.scrollIntoViewIfNeeded();
      await t.shot(page, `covers-${theme}-${size}`);
      await noSideways(page);
      await choices.first().focus();
      await page.keyboard.type("pat"); // no plain letter decides, or chooses
      assert.equal(await choices.first().isChecked(), true);
      await choices.first().focus();
      await page.keyboard.press("ArrowDown");
      assert.equal(await choices.nth(1).isChecked(), true);
      await card.getByRole("button", { name: en ? "Always" : "始终批准" }).click();
      // The next one passes; what does something else beside it asks.
      await visible(card.getByText("npm run build; rm -r src").first());
      assert.equal(await page.getByRole("radio", { name: /npm run \*/ }).count(), 0);
      await card.getByRole("button", { name: en ? "Deny" : "拒绝", exact: true }).click();
      await card
        .getByRole("button", { name: en ? "Deny" : "拒绝", exact: true })
        .last()
        .click();
      await visible(page.getByText("All is built."));
      await page.goto(`${server.url}/settings/approvals`);
      const rule = page.getByRole("listitem").filter({ hasText: "npm run *" });
      await visible(rule);
      await t.shot(page, `covers-rules-${theme}-${size}`);
      await rule.getByRole("button", { name: en ? /Revoke/ : /撤销/ }).click();
      await gone(rule);
    }
    assert.deepEqual((await server.api.get("/approvals/rules")).items, []);
  },

  // TG6: what a sub-agent asks names it, and is decided in the same place.
  async "a sub-agent's call asks with its name"(t) {
    const { page } = await t.open();
    await t.model.rules(
      {
        when: { user: `careful ${t.id}` },
        steps: [{ calls: [{ name: "text_process", arguments: upper(t.id) }] }, { text: "The child is done." }],
      },
      {
        when: { user: `send one ${t.id}` },
        steps: [
          {
            calls: [
              { name: "multi_agent", arguments: { tasks: [{ name: "Careful", instruction: `careful ${t.id}` }] } },
            ],
          },
          { text: "All is done." },
        ],
      },
    );
    await ask(t, page, `send one ${t.id}`);
    const card = await waiting(page);
    await visible(card.getByText("Careful"));
    await visible(page.getByRole("button", { name: "Show what Careful did" }).getByText("Waiting for approval"));
    await t.shot(page, "approval-agent");
    await card.getByRole("button", { name: "For this chat" }).click();
    await visible(page.getByText("All is done."));
  },

  async "a write is shown as a diff against what is there, a command as a command"(t) {
    const server = await startServer({
      model: t.model,
      more: "guard: { guarded_tools: [file_write, shell_execute] }\n",
    });
    t.later(() => server.close());
    const { page } = await t.open({ url: server.url });
    const project = await server.api.project("Guarded");
    await server.api.write(project.id, "README.md", "# Demo\n\nA small project.\n");
    await t.model.rules({
      when: { user: `write it ${t.id}` },
      steps: [
        {
          calls: [
            {
              name: "file_write",
              arguments: { path: "README.md", content: "# Demo\n\nA small, well-kept project.\n" },
            },
          ],
        },
        { calls: [{ name: "shell_execute", arguments: { command: "ls -la | sort > list.txt" } }] },
        { text: "Both are done." },
      ],
    });
    await ask({ api: server.api, url: server.url }, page, `write it ${t.id}`, { project_id: project.id });
    const diff = page.getByRole("group", { name: "diff" });
    await visible(diff.getByText("A small project."));
    await visible(diff.getByText("A small, well-kept project."));
    await t.shot(page, "approval-diff");
    await page.getByRole("button", { name: "Approve once" }).click();
    await visible(page.getByRole("region", { name: "“Run a command” needs your approval" }).getByText("Command"));
    await t.shot(page, "approval-command");
    await page.getByRole("button", { name: "Deny" }).click();
    await page.getByRole("button", { name: "Deny" }).last().click();
    await visible(page.getByText("Both are done."));
    assert.match(await server.api.file(project.id, "README.md"), /well-kept/);
  },

  // TG5: what is typed in the chat is a command to the run that waits, not a new turn.
  async "a waiting call is decided by a command in the chat"(t) {
    const { page } = await t.open();
    await t.model.rules(asks(t.id, upper(t.id)));
    const conversation = await ask(t, page, `do it ${t.id}`);
    await waiting(page);
    await say(page, "/approve");
    await visible(page.getByText("It went through."));
    assert.equal((await t.api.get(`/conversations/${conversation}/messages`)).items.length, 2);
  },
};
