import { startServer } from "./server.mjs";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { fileURLToPath } from "node:url";
import { assert, gone, say, until, visible } from "./steps.mjs";

const own = async (t, more = "") => {
  const server = await startServer({ model: t.model, more });
  t.later(() => server.close());
  return server;
};

export const tests = {
  // CH5: nobody has to wait for a server that says nothing.
  async "the test of a model that says nothing is cancelled, in the page and at the provider"(t) {
    let asked = 0;
    let left = 0;
    const silent = createServer((request) => {
      asked++;
      request.socket.on("close", () => left++);
    });
    await new Promise((resolve) => silent.listen(0, "127.0.0.1", resolve));
    t.later(() => new Promise((resolve) => (silent.closeAllConnections(), silent.close(resolve))));
    const address = `http://127.0.0.1:${silent.address().port}/v1`;
    const server = await startServer({
      models: `default_model: demo\nmodels: [{ id: silent, name: Silent, base_url: "${address}", api_key: x }]\n`,
    });
    t.later(() => server.close());
    const { page } = await t.open({ url: server.url });
    await page.goto(`${server.url}/settings/models`);
    await page.getByRole("button", { name: "Actions for Silent" }).click();
    await page.getByRole("menuitem", { name: "Test" }).click();
    await until(() => asked > 0, "the provider is asked");
    await t.shot(page, "settings-models-testing");
    const cancel = page.getByRole("button", { name: "Cancel the test of Silent" });
    await cancel.click();
    await gone(cancel);
    await until(() => left > 0, "the server has hung up, too");
    assert.equal(await page.getByRole("status").filter({ hasText: /./ }).count(), 0, "nothing is said of it");
  },

  // CH8: an error in config.yml is told wherever an administrator is.
  async "a config.yml that was broken by hand is marked in the sidebar and in the settings, until it is mended"(t) {
    const server = await own(t);
    const { page } = await t.open({ url: server.url });
    const good = readFileSync(server.config, "utf8");
    await page.goto(server.url);
    const note = page.getByRole("link", { name: "config.yml has an error", exact: true });
    await page.waitForResponse("**/api/v1/config");
    assert.equal(await note.count(), 0);
    writeFileSync(server.config, `${good}no_such_key: 1\n`);
    await until(async () => (await server.api.get("/config")).error, "the server has seen it");
    const comeBack = () => page.evaluate(() => dispatchEvent(new Event("visibilitychange")));
    await comeBack();
    await visible(note);
    await t.shot(page, "config-broken-sidebar");
    await page.goto(`${server.url}/settings/tools`);
    const sections = page.getByRole("navigation", { name: "Settings sections" });
    await visible(sections.getByRole("link", { name: /Configuration.*config\.yml has an error/ }));
    await visible(note);
    await t.shot(page, "config-broken-settings");
    await note.click();
    await visible(page.getByRole("alert").getByText("no_such_key"));
    writeFileSync(server.config, good);
    await until(async () => !(await server.api.get("/config")).error, "the server has seen it");
    await comeBack();
    await gone(note);
    await gone(page.getByRole("alert"));
  },

  // CH8: what the server says of itself is in the page's language: every key, every tool.
  async "in Chinese every configuration key and every tool is described in Chinese"({ open, url }) {
    const { page } = await open({ locale: "zh" });
    const english = (selector) =>
      page
        .locator(selector)
        .evaluateAll((all) => all.map((e) => e.textContent.trim()).filter((s) => !/\p{Script=Han}/u.test(s)));
    for (const [section, selector] of [
      ["config", "p[id^=config-][id$=-doc]"],
      ["tools", "main summary > span:nth-of-type(2)"],
      ["tools", "main section h3"],
    ]) {
      await page.goto(`${url}/settings/${section}`);
      await page.locator(selector).first().waitFor({ state: "attached" });
      await until(async () => (await english(selector)).length === 0, `${section}: ${selector}`).catch(
        async (error) => {
          throw new Error(`${error.message}: ${(await english(selector)).join(" | ")}`);
        },
      );
      assert.ok((await page.locator(selector).count()) > 5, `${section} has rows`);
    }
  },

  // CF4: edited with a diff; what is wrong is told at its key; somebody else's change is not overwritten.
  async "the configuration is edited, checked, and never overwrites another change"(t) {
    const server = await own(t);
    const { page } = await t.open({ url: server.url });
    await page.goto(`${server.url}/settings/config`);
    const field = page.getByRole("textbox", { name: "sub_agent.max_tasks" });
    await page.getByRole("searchbox", { name: "Search" }).fill("sub_agent");
    await visible(field);
    const origin = (key, text) =>
      page
        .locator("p")
        .filter({ has: page.getByText(key, { exact: true }) })
        .getByText(text, { exact: true });
    await visible(origin("sub_agent.max_tasks", "default"));
    await field.fill("0");
    await page.getByRole("button", { name: "Review and save" }).click();
    const wrong = page.getByRole("alert").getByText("out of range");
    await visible(wrong);
    assert.equal(await field.getAttribute("aria-invalid"), "true");
    assert.ok(
      (await field.getAttribute("aria-describedby")).split(" ").includes(await wrong.getAttribute("id")),
      "at its field",
    );
    await t.shot(page, "config-error");
    await field.fill("4");
    const kept = readFileSync(server.config, "utf8");
    await page.getByRole("button", { name: "Review and save" }).click();
    const review = page.getByRole("dialog");
    await visible(review.getByText("max_tasks: 4"));
    const { diff } = await server.api.put("/config", { changes: { "sub_agent.max_tasks": 4 }, preview: true });
    const lines = diff.split("\n").filter((line) => line && !/^(---|\+\+\+) /.test(line));
    assert.deepEqual(
      (await review.getByRole("group").innerText())
        .split("\n")
        .map((line) => line.trimEnd())
        .filter(Boolean),
      lines.map((line) => line.trimEnd()).filter(Boolean),
      "what the server says",
    );
    assert.equal(readFileSync(server.config, "utf8"), kept, "a review writes nothing");
    await t.shot(page, "config-review");
    await page.evaluate(() => (document.documentElement.dataset.theme = "dark"));
    await t.shot(page, "config-review-dark");
    await server.api.put("/config", { changes: { "cache.ttl": "6m" } });
    await page.getByRole("button", { name: "Write config.yml" }).click();
    await visible(page.getByText("config.yml changed meanwhile"));
    await visible(review.getByText("ttl: 6m"));
    await page.getByRole("button", { name: "Write config.yml" }).click();
    await gone(page.getByRole("dialog"));
    const { values, sources } = await server.api.get("/config");
    assert.deepEqual([values.sub_agent.max_tasks, values.cache.ttl, sources["sub_agent.max_tasks"]], [4, "6m", "file"]);
    assert.match(readFileSync(server.config, "utf8"), /# The server of the browser tests/, "comments stay");
    assert.notEqual(readFileSync(server.config, "utf8"), kept);
    await visible(page.getByText("Saved and applied"));
    await visible(origin("sub_agent.max_tasks", "config.yml"));
  },

  // A7: an edit of the models list writes the key that was changed, and leaves the text of all others alone.
  async "an edit of the models list writes its one key, and no default or variable beside it"(t) {
    const server = await own(t);
    const { page } = await t.open({ url: server.url });
    const before = readFileSync(server.config, "utf8");
    await page.goto(`${server.url}/settings/config`);
    await page.getByRole("searchbox", { name: "Search" }).fill("models");
    const field = page.getByRole("textbox", { name: "models", exact: true });
    const models = JSON.parse(await field.inputValue());
    models.find((m) => m.id === "scripted").name = "Renamed";
    models.push({ id: "added", base_url: "http://127.0.0.1:9/v1" });
    await field.fill(JSON.stringify(models, null, 2));
    await page.getByRole("button", { name: "Review and save" }).click();
    const review = page.getByRole("dialog");
    await visible(review.getByText("- id: added"));
    const shown = (await review.getByRole("group").innerText())
      .split("\n")
      .filter((line) => /^[+-]/.test(line))
      .map((line) => line.replace(/^([+-]) */, "$1"));
    assert.deepEqual(
      shown,
      ["-name: Scripted model", "+name: Renamed", "+base_url: http://127.0.0.1:9/v1", "+- id: added"],
      "nothing else is written",
    );
    await t.shot(page, "config-review-models");
    await page.getByRole("button", { name: "Write config.yml" }).click();
    await gone(review);
    const after = readFileSync(server.config, "utf8");
    assert.equal(
      after.replace("name: Renamed", "name: Scripted model").replace(/ *- id: added\n *base_url: .*\n/, ""),
      before,
      "every other byte is as it was",
    );
    assert.match(after, /\$\{NANOCLAW_NO_SUCH_KEY\}/);
  },

  async "models, tools with their place, MCP servers and usage are shown"(t) {
    const server = await own(t, "mcp_servers: { nowhere: { command: /no/such/program } }\n");
    const { page } = await t.open({ url: server.url });
    await server.api.ask((await server.api.conversation({ model: "demo" })).id, "Compute 12*(3+4)");
    await page.goto(`${server.url}/settings/models`);
    await visible(page.getByText("A model without its key"));
    await visible(page.getByText(/NANOCLAW_NO_SUCH_KEY/));
    await page.getByRole("link", { name: "Tools" }).click();
    await visible(page.getByText("runs on this machine without isolation."));
    await t.shot(page, "settings-tools-host");
    const tool = page.getByRole("listitem").filter({ hasText: "shell_execute" });
    await tool.getByText("Run a command", { exact: true }).click();
    await visible(tool.getByRole("term").getByText("command", { exact: true }));
    const schema = tool.getByText('"properties"');
    assert.equal(await schema.isVisible(), false, "the schema is one click away");
    await tool.getByText("JSON Schema").click();
    await visible(schema);
    await t.shot(page, "settings-tool-open");
    await page.getByRole("link", { name: "MCP servers" }).click();
    await visible(page.getByText("unreachable, retrying"));
    await page.getByRole("link", { name: "Usage" }).click();
    await visible(page.getByRole("cell", { name: "demo" }));
    await page.getByText("By project").click();
    await visible(page.getByRole("cell", { name: "No project" }));
  },

  // F2: a model is edited with its price, tried as a favourite, hidden and shown again.
  async "a model is edited, priced, hidden, found and made a favourite"(t) {
    const server = await own(t);
    await t.model.rules({
      when: { user: `price ${t.id}` },
      reply: { text: "Cheap.", usage: { prompt: 1000, completion: 500 } },
    });
    const { page } = await t.open({ url: server.url });
    const act = async (name, item) => {
      await page.getByRole("button", { name: `Actions for ${name}`, exact: true }).click();
      await page.getByRole("menuitem", { name: item }).click();
    };
    const write = async () => {
      await page.getByRole("button", { name: "Write config.yml" }).click();
      await gone(page.getByRole("dialog"));
    };
    await page.goto(`${server.url}/settings/models`);
    await act("Scripted model", "Edit");
    await page.getByLabel("Name", { exact: true }).fill("Workhorse");
    await page.getByLabel("Input", { exact: true }).fill("2");
    await page.getByLabel("Output", { exact: true }).fill("10");
    await t.shot(page, "model-form");
    await page.getByRole("button", { name: "Review and save" }).click();
    await visible(page.getByRole("dialog").getByText("Workhorse"));
    await write();
    await visible(page.getByText("2.00 in / 10.00 out per 1M"));
    assert.match(readFileSync(server.config, "utf8"), /api_key: not-a-real-key/, "the key stays");
    await act("Second model", "Hide from lists");
    await write();
    await visible(page.getByText("hidden", { exact: true }));

    const picker = page.getByRole("dialog", { name: "Choose a model" });
    const names = () => picker.locator("[data-model]").evaluateAll((all) => all.map((e) => e.innerText.split("\n")[0]));
    const { id } = await server.api.conversation();
    await page.goto(`${server.url}/c/${id}`);
    await page.getByRole("button", { name: "Model: Workhorse" }).click();
    await visible(picker.getByRole("heading", { name: "Built in" }));
    assert.ok(!(await names()).includes("Second model"), "a hidden model is left out");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await picker.getByRole("button", { name: "Favourite: Demo (offline)" }).click();
    await t.shot(page, "model-picker");
    await page.keyboard.press("Escape");
    await gone(picker);
    await page.getByRole("button", { name: "Model: Workhorse" }).click();
    await visible(picker.getByRole("heading", { name: "Favourites" }));
    assert.equal((await names())[0], "Demo (offline)");
    await page.keyboard.type("second");
    await until(async () => (await names()).join() === "Second model", "what is looked for is found, hidden or not");
    await page.keyboard.press("Enter");
    await visible(page.getByRole("button", { name: "Model: Second model" }));
    await page.getByRole("button", { name: "Model: Second model" }).click();
    await picker
      .getByRole("button", { name: /Workhorse/ })
      .first()
      .click();
    await say(page, `price ${t.id}`);
    await visible(page.getByText("Cheap."));
    await until(
      async () => /cost 0\.007/.test((await page.getByRole("meter").getAttribute("aria-valuetext")) ?? ""),
      "the cost of the chat",
    );
  },

  // F18: a server is edited, restarted and looked into, and one of its tools is switched off.
  async "an MCP server is edited and restarted, its log read, a tool of it switched off"(t) {
    const program = fileURLToPath(new URL("mcp-server.mjs", import.meta.url));
    const server = await own(
      t,
      `mcp_servers:\n  sales: { command: ${process.execPath}, args: ["${program}"], env: { TOKEN: very-secret-1 } }\n`,
    );
    const { page } = await t.open({ url: server.url });
    const act = async (item) => {
      await page.getByRole("button", { name: "Actions for sales" }).click();
      await page.getByRole("menuitem", { name: item }).click();
    };
    const write = async () => {
      await page.getByRole("button", { name: "Write config.yml" }).click();
      await gone(page.getByRole("dialog"));
    };
    const status = async () => (await server.api.get("/mcp")).items[0];
    await page.goto(`${server.url}/settings/mcp`);
    await visible(page.getByText("ready", { exact: true }));
    const { since } = await status();
    await act("Restart");
    await until(async () => (await status()).state === "ready" && (await status()).since > since, "it is back");
    await act("Log");
    const log = page.getByRole("log", { name: "Log" });
    await visible(log.getByText("restarted by a person"));
    await until(async () => (await log.getByText(/ready with 1 tools?/).count()) === 2, "both starts are logged");
    await t.shot(page, "mcp-log");
    await page.keyboard.press("Escape");
    await gone(log);

    await act("Edit");
    assert.equal(await page.getByLabel("Name", { exact: true }).isDisabled(), true);
    assert.doesNotMatch(await page.getByLabel("Environment").inputValue(), /very-secret/);
    await page.getByLabel("Arguments").fill(`${program}\n--verbose`);
    await t.shot(page, "mcp-form");
    await page.getByRole("button", { name: "Review and save" }).click();
    await visible(page.getByRole("dialog").getByText("--verbose").first());
    await write();
    assert.match(readFileSync(server.config, "utf8"), /very-secret-1/, "what was not changed stays");

    await page.getByText("1 tool", { exact: true }).click();
    const tool = page.getByRole("switch", { name: /sales report/i });
    await tool.click();
    await page.getByRole("button", { name: "Cancel" }).click();
    await until(() => tool.isChecked(), "nothing was changed");
    await tool.click();
    await write();
    const listed = async () => (await server.api.get("/tools")).items.find((one) => /sales_report/.test(one.name));
    await until(async () => (await listed())?.disabled, "the tool is switched off");
    await until(async () => !(await tool.isChecked()), "the page shows it");
    await t.shot(page, "mcp-tools");
    await tool.click();
    await write();
    await until(async () => (await listed())?.disabled === false, "the tool is switched on again");
  },

  // B9: agents and MCP servers are managed in the page, each change with its difference.
  async "an agent and an MCP server are added, and removed again"(t) {
    const server = await own(t);
    const { page } = await t.open({ url: server.url });
    const write = async () => {
      await visible(page.getByRole("button", { name: "Write config.yml" }));
      await page.getByRole("button", { name: "Write config.yml" }).click();
      await gone(page.getByRole("dialog"));
    };
    await page.goto(`${server.url}/settings/agents`);
    await page.getByRole("button", { name: "New agent" }).click();
    await page.getByLabel("ID", { exact: true }).fill("reviewer");
    await page.getByLabel("Description", { exact: false }).fill("Reads code");
    await page.getByLabel("Tools", { exact: false }).fill("file_read\nfile_grep");
    await t.shot(page, "agent-form");
    await page.getByRole("button", { name: "Review and save" }).click();
    await visible(page.getByRole("dialog").getByText("id: reviewer"));
    await write();
    await visible(page.getByText("file_grep"));
    const agents = (await server.api.get("/agents")).items;
    assert.deepEqual(agents.find((a) => a.id === "reviewer")?.tools, ["file_read", "file_grep"]);
    await page.getByRole("button", { name: "Actions for reviewer" }).click();
    await page.getByRole("menuitem", { name: "Duplicate" }).click();
    await page.getByLabel("ID", { exact: true }).fill("second-reviewer");
    await page.getByRole("button", { name: "Review and save" }).click();
    await write();
    const listed = (await server.api.get("/agents")).items.find((a) => a.id === "second-reviewer");
    assert.deepEqual([listed?.description, listed?.tools], ["Reads code", ["file_read", "file_grep"]]);
    await page.getByRole("button", { name: "Actions for second-reviewer" }).click();
    await page.getByRole("menuitem", { name: "Try in a chat" }).click();
    await page.waitForURL(/\/c\//);
    await visible(page.getByRole("button", { name: "Chat settings: second-reviewer" }));
    await page.goto(`${server.url}/settings/agents`);
    for (const name of ["second-reviewer", "reviewer"]) {
      await page.getByRole("button", { name: `Actions for ${name}`, exact: true }).click();
      await page.getByRole("menuitem", { name: "Remove from config.yml" }).click();
      await write();
    }
    await gone(page.getByText("file_grep"));
    await page.goto(`${server.url}/settings/mcp`);
    await page.getByRole("button", { name: "Add a server" }).click();
    await page.getByLabel("Name", { exact: true }).fill("nowhere");
    await page.getByLabel("Command", { exact: true }).fill("/no/such/program");
    await page.getByRole("button", { name: "Review and save" }).click();
    await visible(page.getByRole("dialog").getByText("command: /no/such/program"));
    await write();
    await visible(page.getByText("nowhere", { exact: true }));
    await page.getByRole("button", { name: "Actions for nowhere" }).click();
    await page.getByRole("menuitem", { name: "Remove from config.yml" }).click();
    await write();
    await gone(page.getByText("nowhere", { exact: true }));
    assert.match(readFileSync(server.config, "utf8"), /# The server of the browser tests/, "comments stay");
  },

  // SH9: the audit, filtered, and as a file.
  async "the audit is filtered and downloaded"(t) {
    const server = await own(t);
    const { page } = await t.open({ url: server.url });
    const { id } = await server.api.conversation({ model: "demo" });
    await server.api.ask(id, "Compute 12*(3+4)");
    await server.api.ask(id, "What time is it?");
    await page.goto(`${server.url}/settings/audit`);
    await visible(page.getByRole("button", { name: /Get the time/ }));
    await visible(page.getByRole("button", { name: /Calculate.*12\*\(3\+4\).*succeeded/ }));
    await page.getByRole("combobox", { name: "Tool" }).selectOption("calculator");
    await gone(page.getByRole("button", { name: /Get the time/ }));
    await page.getByRole("button", { name: /Calculate/ }).click();
    await visible(page.getByText("Open the chat"));
    await t.shot(page, "audit");
    for (const [item, test] of [
      ["Export as CSV", /^id,time.*\n.*calculator/],
      ["Export as JSONL", /^\{.*"tool":"calculator"/],
    ]) {
      const download = page.waitForEvent("download");
      await page.getByRole("button", { name: "Download" }).click();
      await page.getByRole("menuitem", { name: item }).click();
      const text = readFileSync(await (await download).path(), "utf8");
      assert.match(text, test);
      assert.doesNotMatch(text, /get_current_time/);
    }
  },

  // CH13: asked by a click alone, and told only when the page is not in view.
  async "a run that ends in the background is told, after permission was given by a click"(t) {
    const { page, context } = await t.open({ permissions: ["notifications"] });
    await context.addInitScript(() => {
      window.told = [];
      window.asked = 0;
      window.Notification = class {
        static permission = "default";
        static async requestPermission() {
          window.asked++;
          return (this.permission = "granted");
        }
        constructor(title) {
          window.told.push(title);
        }
      };
    });
    await t.model.rules({ when: { user: `tell ${t.id}` }, reply: { text: "Done.", gate: t.id } });
    await page.goto(`${t.url}/settings`);
    await visible(page.getByRole("switch", { name: /Notifications/ }));
    assert.equal(await page.evaluate(() => window.asked), 0, "nothing is asked on load");
    await page.getByRole("switch", { name: /Notifications/ }).click();
    await until(() => page.evaluate(() => window.asked === 1), "the browser asks the person");
    const { id } = await t.api.conversation({ title: `Background ${t.id}` });
    await page.goto(`${t.url}/c/${id}`);
    await page.evaluate(() => (Notification.permission = "granted"));
    await say(page, `tell ${t.id}`);
    await t.model.reached(t.id);
    await page.evaluate(() =>
      Object.defineProperty(document, "visibilityState", { value: "hidden", configurable: true }),
    );
    await t.model.open(t.id);
    await until(
      () => page.evaluate((title) => window.told.includes(title), `Finished: Background ${t.id}`),
      "the end is told",
    );
  },

  async "dark and light, Chinese and English are switched at once"(t) {
    const { page } = await t.open();
    await page.goto(`${t.url}/settings`);
    await page.getByText("Dark", { exact: true }).click();
    await until(() => page.evaluate(() => document.documentElement.dataset.theme === "dark"), "dark");
    await page.getByText("中文", { exact: true }).click();
    await visible(page.getByRole("heading", { name: "设置" }));
    await page.reload();
    await visible(page.getByRole("heading", { name: "设置" }));
    assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "dark");
  },

  // What is typed and not saved is left only after a question, whatever leads away from it.
  async "text that is not saved is not lost without a question"(t) {
    const server = await own(t);
    const { page } = await t.open({ url: server.url });
    const asked = page.getByRole("dialog", { name: "Discard your changes?" });
    const stay = async () => {
      await visible(asked);
      await asked.getByRole("button", { name: "Cancel" }).click();
      await gone(asked);
    };
    await page.goto(`${server.url}/settings/models`);
    await page.getByRole("link", { name: "Agents" }).click();
    await page.getByRole("button", { name: "New agent" }).click();
    const form = page.getByRole("dialog", { name: "New agent" });
    const prompt = form.getByLabel("System prompt");
    await form.getByLabel("ID", { exact: true }).fill("writer");
    await prompt.fill("A long prompt.");
    await page.keyboard.press("Escape");
    await stay();
    await page.goBack();
    await stay();
    await page.mouse.click(5, 5);
    await t.shot(page, "unsaved-form");
    await stay();
    assert.equal(await prompt.inputValue(), "A long prompt.");
    await form.getByRole("button", { name: "Review and save" }).click();
    const review = page.getByRole("dialog", { name: "Changes to config.yml" });
    await visible(review.getByText("A long prompt."));
    await review.getByRole("button", { name: "Cancel" }).click();
    await gone(review);
    assert.equal(await prompt.inputValue(), "A long prompt.", "what was entered is there after the review");
    await form.getByRole("button", { name: "Review and save" }).click();
    await review.getByRole("button", { name: "Write config.yml" }).click();
    await gone(page.getByRole("dialog"));
    await visible(page.getByText("writer", { exact: true }));

    await page.getByRole("link", { name: "Configuration" }).click();
    await page.getByRole("searchbox", { name: "Search" }).fill("sub_agent.max_tasks");
    const field = page.getByRole("textbox", { name: "sub_agent.max_tasks" });
    await field.fill("4");
    await page.getByRole("link", { name: "Models" }).click();
    await stay();
    assert.equal(await field.inputValue(), "4");
    await page.getByRole("link", { name: "Models" }).click();
    await asked.getByRole("button", { name: "Discard" }).click();
    await page.waitForURL("**/settings/models");

    await page.getByRole("button", { name: "New project" }).click();
    const project = page.getByRole("dialog", { name: "New project" });
    await project.getByLabel("Name", { exact: true }).fill("Field notes");
    await page.keyboard.press("Escape");
    await stay();
    await project.getByRole("button", { name: "Create" }).click();
    await page.waitForURL("**/p/*");
  },
};
