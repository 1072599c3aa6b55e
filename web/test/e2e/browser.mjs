// Chromium for the browser tests: one browser, a fresh context per test.
import { chromium } from "playwright-core";
import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";

export const shots = fileURLToPath(new URL("../../../build/screenshots/", import.meta.url));
mkdirSync(shots, { recursive: true });

/** Milliseconds that a test waits for something. PATIENCE is how many times longer, on a busy machine. */
export const patience = 20_000 * Number(process.env.PATIENCE ?? 1);

export const chromiumPath = process.env.CHROMIUM ?? "/usr/bin/chromium";
const flags = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

export function launch() {
  return chromium.launch({ executablePath: chromiumPath, headless: true, args: flags });
}

export const sizes = { desktop: { width: 1360, height: 860 }, phone: { width: 390, height: 844 } };

/** A page that fails the test for an error of a script, a refused resource or a request to another host. */
export async function openPage(
  browser,
  { url, locale = "en", theme = "light", size = "desktop", prefs = {}, permissions = [] } = {},
) {
  const context = await browser.newContext({
    viewport: sizes[size],
    locale: locale === "zh" ? "zh-CN" : "en-GB",
    colorScheme: theme,
    hasTouch: size === "phone",
    isMobile: size === "phone",
    reducedMotion: "reduce",
    permissions: ["clipboard-read", "clipboard-write", ...permissions],
  });
  await context.addInitScript(
    (p) => {
      if (location.protocol.startsWith("http") && !localStorage.getItem("nanoclaw.prefs"))
        localStorage.setItem("nanoclaw.prefs", JSON.stringify(p));
    },
    { theme, locale, ...prefs },
  );
  context.setDefaultTimeout(patience);
  const problems = [];
  watch(context, url, problems);
  const page = await context.newPage();
  return { page, context, problems };
}

function watch(context, url, problems) {
  const { origin } = new URL(url);
  context.on("weberror", (error) => problems.push(`script error: ${error.error().stack ?? error.error()}`));
  context.on("console", (message) => {
    if (
      message.type() === "error" &&
      !/status of (400|404|409|412|413|422|429|50\d)|ERR_CONNECTION|ERR_ACCESS_DENIED|ERR_FAILED|ERR_INCOMPLETE|ERR_EMPTY/.test(
        message.text(),
      )
    )
      problems.push(`console: ${message.text()}`);
  });
  context.on("request", (request) => {
    const asked = new URL(request.url());
    if (asked.protocol.startsWith("http") && asked.origin !== origin)
      problems.push(`another host was asked: ${request.url()}`);
  });
}
