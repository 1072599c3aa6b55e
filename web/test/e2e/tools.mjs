import { fileURLToPath } from "node:url";
import { startServer } from "./server.mjs";
import { ask, assert, finished, gone, noSideways, until, visible } from "./steps.mjs";

const picture =
  "iVBORw0KGgoAAAANSUhEUgAAAAoAAAAKCAYAAACNMs+9AAAAFUlEQVR42mP8z8BQz0AEYBxVSF+FABJADveWkH6oAAAAAElFTkSuQmCC";
/** The parts of matplotlib that matter for a figure. */
const plots = {
  "matplotlib/__init__.py": "",
  "matplotlib/figure.py": `import base64
class Figure:
    def savefig(self, fname, format=None):
        fname.write(base64.b64decode("${picture}"))
`,
  "matplotlib/pyplot.py": `from matplotlib.figure import Figure
_figures = {}
def figure(number=1): return _figures.setdefault(number, Figure())
def get_fignums(): return sorted(_figures)
`,
};

/** Waits until a picture is there, as pixels. */
const loaded = (image) => image.evaluate((e) => e.decode().then(() => e.naturalWidth));

const call = (name, args) => ({ name, arguments: args });

/** Opens a call's line and gives the line. */
async function opened(page, name) {
  const line = page.getByRole("button", { name });
  await visible(line);
  await line.first().click();
  return line.first();
}

export const tests = {
  // B1, B4, A12: calls are named as people say it; what failed is red; JSON is one click away.
  async "calls of tools are shown as what they do, not as JSON"(t) {
    const { page } = await t.open();
    const project = await t.api.project("Views");
    await t.api.write(project.id, "src/app.py", "def main():\n    print('hello')\n");
    const steps = [
      [call("file_list", { recursive: true })],
      [call("file_read", { path: "src/app.py" })],
      [call("file_edit", { path: "src/app.py", old_string: "'hello'", new_string: "'hello'\n    print('world')" })],
      [call("shell_execute", { command: "printf 'one\\ntwo\\n'; echo trouble >&2; exit 3" })],
      [call("file_grep", { pattern: "print" })],
      [call("calculator", { expression: "6*7" })],
      [call("get_weather", { city: "Shanghai" })],
      [call("file_read", { path: "no-such-file.txt" })],
    ];
    await t.model.rules({
      when: { user: `tools ${t.id}` },
      steps: [...steps.map((calls) => ({ calls })), { text: "All done." }],
    });
    await ask(t, page, `tools ${t.id}`, { project_id: project.id });
    await visible(page.getByText("All done."));
    await finished(page);
    await t.shot(page, "tools-lines");
    for (const name of [
      /^Read src\/app\.py/,
      /^Edited src\/app\.py.*\+2.*−1/,
      /^Calculated 6\*7.*= 42/,
      /^Searched for print.*2 matches/,
    ])
      await visible(page.getByRole("button", { name }));
    await opened(page, /^Listed/);
    await visible(page.getByRole("list", { name: /entr/ }).getByText("src/app.py"));
    await opened(page, /^Read src/);
    await visible(page.locator(".shiki").getByText("main"));
    const ran = await opened(page, /^Ran printf/);
    const red = await ran.getByText("exit 3", { exact: true }).evaluate((e) => getComputedStyle(e).color);
    assert.equal(
      red,
      await page.evaluate(() => {
        const probe = document.body.appendChild(document.createElement("i"));
        probe.className = "text-danger";
        return getComputedStyle(probe).color;
      }),
    );
    const terminal = page.getByRole("group", { name: "Terminal" });
    await visible(terminal.getByText("one\ntwo"));
    await visible(terminal.getByText("trouble"));
    assert.equal(await page.getByText('"stdout"').count(), 0);
    await page.getByRole("main").getByRole("button", { name: "Raw", exact: true }).nth(2).click();
    await visible(page.getByText('"exit_code"'));
    await page.getByRole("button", { name: "Formatted" }).click();
    await gone(page.getByText('"exit_code"'));
    await t.shot(page, "tools-open");
    await opened(page, /^Looked up the weather/);
    await opened(page, /^Searched for/);
    await visible(page.getByText("src/app.py", { exact: true }));
    await opened(page, /^Read no-such-file/);
    await page.getByText("not_found").first().scrollIntoViewIfNeeded();
    await t.shot(page, "tools-open-end");
    const { page: phone } = await t.open({ theme: "dark", locale: "zh", size: "phone" });
    await phone.goto(page.url());
    await visible(phone.getByRole("button", { name: /^已运行 printf/ }));
    for (const name of [/^已列出/, /^已读取 src/, /^已编辑/, /^已运行/, /^已查看天气/]) await opened(phone, name);
    await noSideways(phone);
    await phone.getByRole("button", { name: /^已运行/ }).scrollIntoViewIfNeeded();
    await t.shot(phone, "tools-phone");
    await phone.getByRole("button", { name: /^已查看天气/ }).scrollIntoViewIfNeeded();
    await t.shot(phone, "tools-phone-end");
  },

  // B2: what a command prints is there while it runs; what waits for its turn is told from what runs.
  async "a command's output is live, and a call that waits is told from one that runs"(t) {
    const server = await startServer({ model: t.model, more: "tool_max_workers: 1\n" });
    t.later(() => server.close());
    const { page } = await t.open({ url: server.url });
    const project = await server.api.project("Live");
    await t.model.rules({
      when: { user: `live ${t.id}` },
      steps: [
        {
          calls: [
            call("shell_execute", { command: "echo building; while [ ! -e go ]; do sleep 0.1; done; echo done" }),
            call("calculator", { expression: "1+1" }),
          ],
        },
        { text: "It is built." },
      ],
    });
    await ask({ api: server.api, url: server.url }, page, `live ${t.id}`, { project_id: project.id });
    await visible(page.getByRole("button", { name: /^Calculate 1\+1 queued/ }));
    await opened(page, /^Running echo building/);
    const terminal = page.getByRole("group", { name: "Terminal" });
    await visible(terminal.getByText("building", { exact: true }));
    await t.shot(page, "tools-live");
    await server.api.write(project.id, "go", "now");
    await visible(page.getByText("It is built."));
    await until(async () => /building\ndone/.test(await terminal.innerText()), "the whole output is there");
    await visible(page.getByText("exit 0"));
  },
  // BT10: what a command template does not lead to is red, with the reason.
  async "a command template that does not lead to its success is red, with the reason"(t) {
    const shell = `shell:
  policy: host
  templates:
    - name: check
      description: Check a text.
      command: echo {{text}}
      parameters: [{ name: text }]
      success: { not_output: FAIL }
`;
    const server = await startServer({ model: t.model, shell });
    t.later(() => server.close());
    const { page } = await t.open({ url: server.url });
    const project = await server.api.project("Checks");
    await t.model.rules({
      when: { user: `check ${t.id}` },
      steps: [
        { calls: [call("run_check", { text: "all well" }), call("run_check", { text: "one FAIL" })] },
        { text: "One of two." },
      ],
    });
    await ask({ api: server.api, url: server.url }, page, `check ${t.id}`, { project_id: project.id });
    await visible(page.getByText("One of two."));
    await finished(page);
    const line = page.getByRole("button", { name: /one FAIL.*failed/ });
    await visible(line);
    assert.equal(await page.getByRole("button", { name: /all well.*failed/ }).count(), 0);
    await line.click();
    const reason = page.getByText(/which must not occur/).first();
    await visible(reason);
    const [shown, danger] = await reason.evaluate((e) => {
      const probe = document.body.appendChild(document.createElement("i"));
      probe.className = "text-danger";
      return [getComputedStyle(e).color, getComputedStyle(probe).color];
    });
    assert.equal(shown, danger);
    await visible(page.getByText("unexpected_result").first());
    await t.shot(page, "tools-template-failed");
  },

  // F7: the pictures that a program draws are in the conversation, not behind a line of JSON.
  async "figures that Python draws are pictures in the chat"(t) {
    const server = await startServer({ model: t.model, more: "code_execution: { loosest_strictness: lenient }\n" });
    t.later(() => server.close());
    const project = await server.api.project("Plots");
    for (const [name, text] of Object.entries(plots)) await server.api.write(project.id, name, text);
    const code = "import sys; sys.path.insert(0, '.')\nimport matplotlib.pyplot as plt\nplt.figure(); 6*7";
    await t.model.rules({
      when: { user: `plot ${t.id}` },
      steps: [{ calls: [call("execute_python", { code, strictness: "lenient" })] }, { text: "Drawn." }],
    });
    const { page } = await t.open({ url: server.url });
    await ask({ api: server.api, url: server.url }, page, `plot ${t.id}`, { project_id: project.id });
    await visible(page.getByText("Drawn."));
    const figure = page.getByRole("button", { name: "Enlarge 1-figure-1.png" });
    await visible(figure);
    assert.equal(await loaded(figure.locator("img")), 10);
    await figure.click();
    assert.equal(await loaded(page.getByRole("dialog").locator("img")), 10);
    await page.keyboard.press("Escape");
    await opened(page, /^Ran Python/);
    await visible(page.getByRole("group", { name: "Output" }).getByText("42"));
    await t.shot(page, "tools-figure");
  },

  // B1: what a tool of an MCP server gives is text, links, a table and a picture.
  async "the answer of an MCP server's tool is shown by its parts"(t) {
    const program = fileURLToPath(new URL("mcp-server.mjs", import.meta.url));
    const server = await startServer({
      model: t.model,
      more: `mcp_servers: { shop: { command: ${process.execPath}, args: ["${program}"], effects: { sales_report: reads } } }\n`,
    });
    t.later(() => server.close());
    await until(
      async () => (await server.api.get("/tools")).items.some((tool) => tool.name === "mcp__shop__sales_report"),
      "the server's tool is offered",
    );
    await t.model.rules(
      { when: { user: `mcp ${t.id}` }, steps: [{ calls: [call("mcp__shop__sales_report", { month: "May" })] }] },
      { when: { user_contains: "of mcp__shop__sales_report" }, steps: [{ text: "Here it is." }] },
    );
    const { page } = await t.open({ url: server.url });
    await ask({ api: server.api, url: server.url }, page, `mcp ${t.id}`);
    await visible(page.getByText("Here it is."));
    assert.equal(await loaded(page.getByRole("button", { name: /^Enlarge/ }).locator("img")), 10);
    await opened(page, /^shop: sales report/);
    await visible(page.locator("strong").getByText("best"));
    await visible(page.getByRole("link", { name: "All sales" }));
    await visible(page.getByRole("columnheader", { name: "units sold" }));
    await visible(page.getByRole("cell", { name: "ink" }));
    await t.shot(page, "tools-mcp");
  },

  // B1, B4: a terminal has its colours, and what failed is not told as done.
  async "a terminal keeps its colours, and what failed is not told as done"(t) {
    const { page } = await t.open();
    const project = await t.api.project("Colours");
    await t.model.rules({
      when: { user: `colours ${t.id}` },
      steps: [
        {
          calls: [
            call("shell_execute", {
              command: "printf '\\033[32mgreen light\\033[0m\\n50 %%\\r100 %%\\n'; mkdir -p sub; cd sub",
            }),
            call("file_delete", { path: "never-there.txt" }),
            call("shell_execute", { restart: true }),
          ],
        },
        { text: "So it is." },
      ],
    });
    await ask(t, page, `colours ${t.id}`, { project_id: project.id });
    await visible(page.getByText("So it is."));
    await finished(page);
    await visible(page.getByRole("button", { name: /^Delete never-there.txt failed/ }));
    await visible(page.getByRole("button", { name: /^Restarted the shell/ }));
    await opened(page, /^Ran printf/);
    const terminal = page.getByRole("group", { name: "Terminal" });
    const green = terminal.getByText("green light", { exact: true });
    const [shown, good] = await green.evaluate((e) => {
      const probe = document.body.appendChild(document.createElement("i"));
      probe.className = "text-good";
      return [getComputedStyle(e).color, getComputedStyle(probe).color];
    });
    assert.equal(shown, good);
    assert.match(await terminal.innerText(), /\n100 %/);
    await visible(page.getByText("sub", { exact: true })); // where it ended, in the project
  },
};
