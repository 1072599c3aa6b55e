// End-to-end tests: real Chromium, the real binary, the scripted model server.
//   node test/e2e/run.mjs [part of a name]
// Tests that can share a server run a few at a time, each in a browser context of its
// own; what needs a server of its own starts one. Screenshots go to build/screenshots.
import { existsSync } from "node:fs";
import { chromiumPath, launch, openPage, shots } from "./browser.mjs";
import { startModel, startServer } from "./server.mjs";

const suites = [
  "first",
  "shell",
  "chat",
  "drafts",
  "agents",
  "stream",
  "restart",
  "files",
  "edits",
  "approvals",
  "settings",
  "long",
  "places",
  "scroll",
  "tools",
  "tasks",
  "browse",
  "triggers",
  "organise",
  "people",
];
const wanted = process.argv[2] ?? "";
const abreast = 3;

if (!existsSync(chromiumPath)) {
  console.error(
    `There is no Chromium at ${chromiumPath}: install it (Debian: apt-get install chromium), or name one in CHROMIUM.`,
  );
  process.exit(1);
}

const begun = performance.now();
const [browser, model] = await Promise.all([launch(), startModel()]);
const server = await startServer({ model, more: "guard: { guarded_tools: [text_process] }\n" });
let failed = 0;
let passed = 0;
let begunTests = 0;

async function attempt(suite, name, test, again = false) {
  const opened = [];
  const closers = [];
  const open = async (options = {}) => {
    const one = await openPage(browser, { url: options.url ?? server.url, ...options });
    opened.push(one);
    return one;
  };
  /** A picture of a page, kept as build output. */
  const shot = (page, as) => page.screenshot({ path: `${shots}${as}.png`, animations: "disabled" });
  const started = performance.now();
  try {
    await test({
      open,
      shot,
      server,
      model,
      api: server.api,
      url: server.url,
      later: (close) => closers.push(close),
      id: `${suite}-${++begunTests}-${Math.round(started)}`,
    });
    const problems = opened.flatMap((o) => o.problems);
    if (problems.length) throw new Error(problems.slice(0, 4).join("\n"));
    passed++;
    console.log(`ok   ${suite}: ${name} (${Math.round(performance.now() - started)} ms)`);
  } catch (error) {
    // Tests share a browser and a busy machine. What fails once and then passes by itself is named, not hidden.
    if (!again) retries.push([suite, name, test]);
    else failed++;
    console.log(`${again ? "FAIL" : "RETRY"} ${suite}: ${name}\n${String(error.stack ?? error).slice(0, 20_000)}`);
    for (const [i, { page }] of opened.entries()) {
      await page
        .screenshot({ path: `${shots}failed-${suite}-${name.replace(/\W+/g, "-").slice(0, 60)}-${i}.png` })
        .catch(() => undefined);
    }
  } finally {
    for (const { context } of opened) await context.close().catch(() => undefined);
    for (const close of closers) await close();
  }
}

const retries = [];
const queue = [];
for (const suite of suites) {
  const { tests } = await import(`./${suite}.mjs`);
  for (const [name, test] of Object.entries(tests))
    if (`${suite}: ${name}`.includes(wanted)) queue.push([suite, name, test]);
}
await Promise.all(
  Array.from({ length: abreast }, async () => {
    for (let next = queue.shift(); next; next = queue.shift()) await attempt(...next);
  }),
);

for (const [suite, name, test] of retries) await attempt(suite, name, test, true);
if (retries.length)
  console.log(`${retries.length} tests were run twice: ${retries.map(([s, n]) => `${s}: ${n}`).join("; ")}`);

await Promise.all([browser.close(), server.close(), model.stop()]);
console.log(
  `${passed} of ${passed + failed} end-to-end tests passed in ${((performance.now() - begun) / 1000).toFixed(1)} s`,
);
process.exit(failed || passed === 0 ? 1 : 0);
