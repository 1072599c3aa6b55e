// Figures of the web app in headless Chromium, against the real binary on loopback:
//   node bench/web.mjs [repetitions] [part of a name]
// Each is the median of five, as it is and, where a name says so, with the CPU slowed four times. Beside each stands
// the load of the machine: with other work on it, times are upper bounds.
import { loadavg } from "node:os";
import { launch, openPage } from "../web/test/e2e/browser.mjs";
import { startModel, startServer } from "../web/test/e2e/server.mjs";
import { fixture } from "./web/fixture.mjs";
import { figures as opening } from "./web/opening.mjs";
import { figures as scrolling } from "./web/scrolling.mjs";
import { figures as streaming } from "./web/streaming.mjs";
import { figures as memory } from "./web/memory.mjs";

const repetitions = Number(process.argv[2] ?? 5);
const only = process.argv[3] ?? "";
const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];
const [browser, model] = await Promise.all([launch(), startModel()]);
const server = await startServer({ model });
const made = await fixture(server, model);

async function many(slower, measure) {
  const found = [];
  for (let i = 0; i < repetitions; i++) {
    const { page, context } = await openPage(browser, { url: server.url });
    // The browser's own window loads pages of its own for a second or so; a person's is open already.
    await page.waitForTimeout(2000);
    const cdp = await context.newCDPSession(page);
    if (slower > 1) await cdp.send("Emulation.setCPUThrottlingRate", { rate: slower });
    found.push(await measure({ page, context, cdp, server, made }));
    await context.close();
  }
  return found;
}

for (const slower of [1, 4]) {
  console.log(`web app, ${slower === 1 ? "" : `CPU slowed ${slower} times, `}median (all) of ${repetitions}`);
  for (const { name, goal, measure, once } of [...opening, ...scrolling, ...streaming, ...memory]) {
    if (!name.includes(only) || (once && slower > 1)) continue;
    const found = await many(slower, measure);
    const value = String(Math.round(median(found) * 10) / 10).padStart(7);
    const all = found.map((v) => Math.round(v)).join(" ");
    console.log(`${value}  ${name} (goal ${goal})  [${all}; load ${loadavg()[0].toFixed(1)}]`);
  }
}
await Promise.all([browser.close(), server.close(), model.stop()]);
process.exit();
