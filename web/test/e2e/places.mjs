// Every screen and every state in both themes, both languages and both sizes: a picture, nothing that is wider than the
// page, no violation that axe-core can see, and no English in Chinese. All eight combinations run with AXE=all
// (npm run test:axe); otherwise a pair that covers each of the six choices, another one each day.
import { accessible } from "./axe.mjs";
import { inChinese } from "./chinese.mjs";
import { data, fixture } from "./places/fixture.mjs";
import { screens } from "./places/screens.mjs";
import { states } from "./places/states.mjs";

const only = new RegExp(process.env.SCREEN ?? "");

const test = (theme, locale, size) => async (t) => {
  const f = await fixture(t);
  const { page } = await t.open({ url: f.url, theme, locale, size });
  const failures = [];
  for (const [name, show] of Object.entries({ ...screens, ...states })) {
    if (!only.test(name)) continue;
    const picture = () => t.shot(page, `${name}-${theme}-${locale}-${size}`);
    try {
      const leave = await show(page, { url: f.url, f, t, size });
      await picture();
      await accessible(page);
      if (locale === "zh") await inChinese(page, [...data, f.id]);
      await leave?.();
    } catch (error) {
      await picture();
      failures.push(`${name}: ${String(error.message ?? error).slice(0, 1800)}`);
    }
    await page
      .evaluate(() =>
        localStorage.setItem(
          "nanoclaw.prefs",
          JSON.stringify({ ...JSON.parse(localStorage.getItem("nanoclaw.prefs") ?? "{}"), panel: "" }),
        ),
      )
      .catch(() => undefined);
  }
  if (failures.length) throw new Error(failures.join("\n\n"));
};

const pairs = [
  [
    ["light", "en", "desktop"],
    ["dark", "zh", "phone"],
  ],
  [
    ["dark", "zh", "desktop"],
    ["light", "en", "phone"],
  ],
  [
    ["dark", "en", "desktop"],
    ["light", "zh", "phone"],
  ],
  [
    ["light", "zh", "desktop"],
    ["dark", "en", "phone"],
  ],
];
const today = Math.floor(Date.now() / 86_400_000) % pairs.length;
export const chosen = process.env.AXE === "all" ? pairs.flat() : pairs[today];

export const tests = Object.fromEntries(chosen.map((c) => [`every screen is accessible: ${c.join(", ")}`, test(...c)]));
