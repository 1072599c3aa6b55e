// What axe-core can see of a page.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { noSideways } from "./steps.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const rules = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/** Fails where the page has a violation of axe-core's rules, or is wider than its window. */
export async function accessible(page) {
  await page.evaluate(() => Promise.all(document.getAnimations().map((a) => a.finished.catch(() => undefined))));
  // Through the debugger: the page's own policy lets no foreign script in.
  await page.evaluate(axe);
  const violations = await page.evaluate(async (runOnly) => {
    const result = await window.axe.run(document, { runOnly, resultTypes: ["violations"] });
    return result.violations.map(
      (v) =>
        `${v.id}: ${v.help}\n    ${v.nodes
          .slice(0, 3)
          .map((n) => `${n.html.slice(0, 160)} ${n.any?.[0]?.message ?? n.all?.[0]?.message ?? ""}`)
          .join("\n    ")}`,
    );
  }, rules);
  if (violations.length) throw new Error(violations.join("\n"));
  await noSideways(page);
}
