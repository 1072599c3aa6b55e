import { readFileSync, statSync } from "node:fs";
import { startServer } from "./server.mjs";
import { assert, finished, gone, noSideways, say, until, visible } from "./steps.mjs";

/** Clicks each suggestion of the first page and sends it; gives what was answered. */
async function trySuggestions(t, locale) {
  const server = await startServer({ model: t.model });
  t.later(() => server.close());
  const { page } = await t.open({ url: server.url, locale });
  const cards = page.getByRole("main").getByRole("list").getByRole("button");
  await page.goto(server.url);
  await visible(cards);
  await t.shot(page, `first-cards-${locale}`);
  const answers = [];
  for (let i = 0; i < 4; i++) {
    await page.goto(server.url);
    await visible(cards);
    const text = await cards.nth(i).innerText();
    await cards.nth(i).click();
    // A suggestion about files is in the playground.
    if (/txt/.test(text)) await visible(page.getByRole("main").getByRole("button", { name: /Playground|演练场/ }));
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/c\//);
    const id = page.url().split("/").at(-1);
    const last = async () => (await server.api.get(`/conversations/${id}/messages`)).items.at(-1);
    await until(async () => (await last())?.role === "assistant", `an answer to ${text}`);
    answers.push(await last());
  }
  const [project] = (await server.api.get("/projects")).items;
  assert.equal(await server.api.file(project.id, "result.txt"), "84");
  for (const { text, tool_calls } of answers) {
    assert.ok(tool_calls.length > 0, `a tool was used: ${text}`);
    assert.ok(
      tool_calls.every((call) => !call.error_code),
      `every call succeeded: ${JSON.stringify(tool_calls).slice(0, 600)}`,
    );
    assert.doesNotMatch(text, /did not understand|could not|没有理解|没能/);
  }
}

export const tests = {
  // B8, B12: the cards are of one height, and nothing on a phone is for a keyboard.
  async "the first page is even, and a phone has no hints for keys"({ open, url }) {
    for (const size of ["desktop", "phone"]) {
      const { page } = await open({ size });
      await page.goto(url);
      await page.locator("main li button").first().waitFor();
      const heights = await page
        .locator("main li button")
        .evaluateAll((all) => all.map((e) => Math.round(e.offsetHeight)));
      assert.ok(heights.length >= 4 && new Set(heights).size === 1, `heights ${heights}`);
      if (size === "phone") {
        await page.getByRole("button", { name: "Show sidebar" }).click();
        await page.getByRole("navigation").first().waitFor();
        assert.equal(await page.locator("nav kbd:visible").count(), 0);
        assert.equal(await page.getByRole("button", { name: "Import", exact: false }).count(), 0);
      }
    }
  },

  // F15: the app can be installed, with an icon of each size that launchers ask for.
  async "the page can be installed as an app"({ open, url }) {
    const { page, context } = await open();
    await page.goto(url);
    await visible(page.locator("textarea"));
    const devtools = await context.newCDPSession(page);
    const { errors, data } = await devtools.send("Page.getAppManifest");
    assert.deepEqual(errors, []);
    const { installabilityErrors } = await devtools.send("Page.getInstallabilityErrors");
    // A context of a test is a private window, which is the one thing that is in the way.
    assert.deepEqual(
      installabilityErrors.map((e) => e.errorId).filter((id) => id !== "in-incognito"),
      [],
    );
    const { icons } = JSON.parse(data);
    for (const { src, sizes } of [...icons, { src: "/icon-apple.png", sizes: "180x180" }]) {
      const width = await page.evaluate(async (address) => {
        const image = new Image();
        image.src = address;
        await image.decode();
        return image.naturalWidth;
      }, src);
      if (sizes !== "any") assert.equal(`${width}x${width}`, sizes, src);
    }
  },

  // A9: the first minute of every user.
  async "every suggestion works with the demo model"(t) {
    await trySuggestions(t, "en");
  },

  async "every suggestion works with the demo model in Chinese"(t) {
    await trySuggestions(t, "zh");
  },

  // F1, US8: from nothing but the demo model to a model of one's own, whose key only the server can read.
  async "a model is connected: tested, made the default, written with its difference, and used"(t) {
    const server = await startServer({ model: null, more: "", models: "" });
    t.later(() => server.close());
    const { page } = await t.open({ url: server.url });
    await t.model.rules(
      { when: { user: "Answer with the word OK." }, reply: { text: "OK" } },
      { when: { user: `real ${t.id}` }, reply: { text: "From the connected model." } },
      {
        when: { user: `leak ${t.id}` },
        steps: [
          { calls: [{ name: "file_read", arguments: { path: "notes.txt" } }] },
          { text: "It says key = a-secret-key-123." },
        ],
      },
    );
    await page.goto(server.url);
    await page.getByRole("link", { name: /Connect a model/ }).click();
    await visible(page.getByRole("heading", { name: "Connect a model" }));
    await t.shot(page, "connect-model");
    await page.getByLabel("Model", { exact: true }).fill("my-model");
    await page.getByLabel("Base URL").fill("http://127.0.0.1:9/v1");
    await page.getByRole("button", { name: "Test", exact: true }).click();
    await visible(page.getByRole("status").getByText(/127\.0\.0\.1:9/));
    // A test of what was entered before is given up, and says nothing.
    let release;
    const held = new Promise((resolve) => (release = resolve));
    await page.route("**/models/test", async (route) => (await held, await route.continue().catch(() => undefined)));
    const givenUp = page.waitForEvent("requestfailed", (request) => request.url().endsWith("/models/test"));
    await page.getByRole("button", { name: "Test", exact: true }).click();
    await visible(page.getByRole("button", { name: "Testing…" }));
    await page.getByLabel("Base URL").fill(t.model.url);
    await visible(page.getByRole("button", { name: "Test", exact: true }));
    await givenUp;
    release();
    assert.equal(
      await page
        .getByRole("status")
        .getByText(/127\.0\.0\.1:9/)
        .count(),
      0,
    );
    await page.unroute("**/models/test");
    await page.getByLabel("API key").fill("a-secret-key-123");
    await page.getByRole("button", { name: "Test", exact: true }).click();
    await visible(page.getByText(/Works: answered in/));
    await t.shot(page, "connect-model-works");
    await page.getByRole("button", { name: "Review and save" }).click();
    const review = page.getByRole("dialog");
    await visible(review.getByText("id: my-model"));
    assert.doesNotMatch(await review.innerText(), /a-secret-key-123/, "the key is not shown");
    await visible(review.getByText("stored in config.secrets.yml, which only the server can read"));
    await t.shot(page, "connect-model-review");
    await page.getByRole("button", { name: "Write config.yml" }).click();
    await visible(page.getByRole("listitem").getByText("default", { exact: true }));
    const kept = server.config.replace(/yml$/, "secrets.yml");
    assert.doesNotMatch(readFileSync(server.config, "utf8"), /a-secret-key-123/);
    assert.match(readFileSync(kept, "utf8"), /a-secret-key-123/);
    assert.equal(statSync(kept).mode & 0o777, 0o600);
    assert.doesNotMatch(JSON.stringify(await server.api.get("/config")), /a-secret-key-123/);
    await page.goto(server.url);
    await visible(page.getByRole("button", { name: "Model: my-model" }));
    await say(page, `real ${t.id}`);
    await visible(page.getByText("From the connected model."));

    // It is redacted at once: in what a tool reads, which the model gets, and in what is stored.
    const project = await server.api.project("Notes");
    await server.api.write(project.id, "notes.txt", "key = a-secret-key-123\n");
    const chat = await server.api.conversation({ model: "my-model", project_id: project.id });
    await server.api.ask(chat.id, `leak ${t.id}`);
    const { items } = await server.api.get(`/conversations/${chat.id}/messages`);
    assert.doesNotMatch(JSON.stringify(items), /a-secret-key-123/);
    assert.match(JSON.stringify(items.at(-1).tool_calls), /REDACTED/);
    const sent = (await t.model.requests(`leak ${t.id}`)).at(-1).Messages;
    assert.doesNotMatch(JSON.stringify(sent), /a-secret-key-123/);

    // Another key takes the place of the first, of which nothing is left; what somebody else changes meanwhile stays.
    await page.goto(`${server.url}/settings/models`);
    await page.getByRole("button", { name: "Actions for my-model" }).click();
    await page.getByRole("menuitem", { name: "Edit" }).click();
    await page.getByLabel("API key").fill("another-key-456");
    await server.api.put("/config", { changes: { "models[my-model].temperature": 0.5 } });
    await page.getByRole("button", { name: "Review and save" }).click();
    await page.getByRole("button", { name: "Write config.yml" }).click();
    await gone(page.getByRole("dialog"));
    assert.match(readFileSync(server.config, "utf8"), /temperature: 0\.5/);
    assert.match(readFileSync(kept, "utf8"), /another-key-456/);
    assert.doesNotMatch(readFileSync(kept, "utf8") + readFileSync(server.config, "utf8"), /a-secret-key-123/);

    // A second model of a provider takes the key that the server has.
    const other = { id: "ds", base_url: "https://api.deepseek.com/v1", api_key: "deep-key-789" };
    await server.api.put("/config", { changes: { "models[ds]": other } });
    await page.reload();
    await page.getByRole("button", { name: "Connect a model" }).click();
    await page.getByLabel("Provider").selectOption("DeepSeek");
    await visible(page.getByText("The server already has this key."));
    assert.equal(await page.getByLabel("API key").inputValue(), "${MODELS_DS_API_KEY}");
    assert.equal(await page.getByLabel("Use for new chats").isChecked(), false);
    await t.shot(page, "connect-model-again");

    await server.kill();
    await server.restart();
    await server.api.ask(chat.id, `real ${t.id}`);
    assert.match(
      JSON.stringify(await server.api.get(`/conversations/${chat.id}/messages`)),
      /From the connected model/,
    );
  },

  // CH8: a fresh install, the demo model, a tool, an answer.
  async "a first visit ends in an answer with a tool"({ open, url, shot }) {
    const { page } = await open();
    await page.goto(url);
    await visible(page.getByRole("heading", { name: "What are we working on?" }));
    await shot(page, "first-home");
    await say(page, "Compute 12*(3+4)");
    await page.waitForURL(/\/c\//);
    await visible(page.getByRole("button", { name: /^(Calculat|已计算|正在计算)/ }));
    await visible(page.getByRole("article", { name: "Assistant" }).getByText("84"));
    await finished(page);
    await page.getByRole("button", { name: /^(Calculat|已计算|正在计算)/ }).click();
    await visible(page.getByText("expression", { exact: true }));
    assert.equal(
      await page.getByRole("button", { name: /^(Calculat|已计算|正在计算)/ }).getAttribute("aria-expanded"),
      "true",
    );
    await visible(page.getByRole("navigation", { name: "Sidebar" }).getByRole("link", { name: /Compute 12/ }));
    await shot(page, "first-answer");
  },

  async "the whole of a turn works in Chinese"({ open, url, shot }) {
    const { page } = await open({ locale: "zh", theme: "dark" });
    await page.goto(url);
    await say(page, "计算 12*(3+4)，然后告诉我现在几点");
    await page.waitForURL(/\/c\//);
    await visible(page.getByRole("button", { name: /^(Calculat|已计算|正在计算)/ }));
    await visible(page.getByRole("article", { name: "助手" }).getByText("84"));
    await finished(page);
    assert.equal(await page.evaluate(() => document.documentElement.lang), "zh-CN");
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").fill("现在几点");
    await visible(page.getByRole("option", { name: /计算/ }));
    await shot(page, "chinese-search");
    await page.keyboard.press("Enter");
    await shot(page, "chinese-answer");
  },

  async "a phone shows the same without scrolling sideways"({ open, url, shot }) {
    const { page } = await open({ size: "phone" });
    await page.goto(url);
    await visible(page.getByRole("heading", { name: "What are we working on?" }));
    await noSideways(page);
    await shot(page, "phone-home");
    await page.locator("textarea").fill("Compute 3*14");
    await page.getByRole("button", { name: "Send" }).click();
    await visible(page.getByRole("article", { name: "Assistant" }).getByText("42"));
    await finished(page);
    await noSideways(page);
    await shot(page, "phone-chat");
    await page.getByRole("button", { name: "Show sidebar" }).click();
    await visible(page.getByRole("navigation", { name: "Sidebar" }));
    await shot(page, "phone-sidebar");
    await page.getByRole("link", { name: "Settings" }).click();
    await visible(page.getByRole("heading", { name: "Settings" }));
    await noSideways(page);
    await shot(page, "phone-settings");
  },
};
