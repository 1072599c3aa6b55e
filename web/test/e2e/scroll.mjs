import { ask, assert, gone, until, visible } from "./steps.mjs";

const long = "Some **words** that stream in one after the other, with `code`, to be read while they come. ";
const code = (i) =>
  `\`\`\`python\ndef f${i}(x):\n    """What ${i} does."""\n${`    x = x * ${i} + len(str(x))\n`.repeat(6)}    return x\n\`\`\``;
const diagram = (i) =>
  `\`\`\`mermaid\ngraph TD\n  A${i}[Start] --> B${i}{Choice}\n  B${i} --> C${i}[One]\n  B${i} --> D${i}[Two]\n\`\`\``;
const table = (i) => `| a | b |\n|---|---|\n| ${i} | 2 |\n| 3 | 4 |`;

/** An answer with all that changes its height late: coloured code, diagrams, tables. */
function answer(characters) {
  // Short ones first: while it is read the answer gets long enough for its blocks to be skipped out of view.
  const parts = Array.from({ length: 50 }, (_, i) => `Line ${i}.`);
  for (let i = 0, n = 0; n < characters; i++) {
    const more = [
      `More ${i}. ${long}`,
      code(i),
      `Then ${i}. ${long.repeat(2)}`,
      diagram(i),
      `And ${i}. ${long}`,
      table(i),
    ][i % 6];
    parts.push(`Paragraph ${i}. ${long}`, more);
    n += more.length + long.length;
  }
  return parts.join("\n\n");
}

const interruptions = 14;
const log = (page) => page.getByRole("log");
const length = (page) => log(page).evaluate((e) => e.textContent.length);

/** The line at the top of the view: its words, and where it stands when nothing moves any more. */
function topLine(page) {
  return log(page).evaluate(async (e) => {
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    for (let last = -1, still = 0; still < 4; still = e.scrollTop === last ? still + 1 : 0) {
      last = e.scrollTop;
      await frame();
    }
    const top = e.getBoundingClientRect().top;
    const block = [...e.querySelectorAll(".prose p:not(svg p)")].find((p) => p.getBoundingClientRect().top >= top);
    return { words: block.textContent.slice(0, 30), y: block.getBoundingClientRect().top };
  });
}

function whereIs(page, words) {
  return log(page).evaluate(
    (e, wanted) =>
      [...e.querySelectorAll(".prose p:not(svg p)")]
        .find((p) => p.textContent.startsWith(wanted))
        ?.getBoundingClientRect().top,
    words,
  );
}

/** What a person does to read what is above. */
const ways = {
  wheel: async (page) => {
    await log(page).hover({ position: { x: 300, y: 300 } });
    await page.mouse.wheel(0, -120);
  },
  keys: async (page, n) => {
    await log(page).focus();
    await page.keyboard.press(["ArrowUp", "PageUp", "Shift+Space"][n % 3]);
  },
  touch: async (page) => {
    page.cdp ??= await page.context().newCDPSession(page);
    const finger = (type, ...touchPoints) => page.cdp.send("Input.dispatchTouchEvent", { type, touchPoints });
    await finger("touchStart", { x: 180, y: 300 });
    for (let y = 310; y < 400; y += 15) await finger("touchMove", { x: 180, y });
    await finger("touchEnd");
  },
};

const rates = { 120: [6, "50ms"], 200: [10, "50ms"], 400: [20, "50ms"] };

function holds(way, rate) {
  return async (t) => {
    const { page } = await t.open({ size: way === "touch" ? "phone" : "desktop" });
    const [chunk_runes, between] = rates[rate];
    await t.model.rules({
      when: { user: `read ${t.id}` },
      reply: { text: answer(rate * 240), chunk_runes, between },
    });
    await ask(t, page, `read ${t.id}`);
    await until(
      () => log(page).evaluate((e) => e.scrollHeight > e.clientHeight * 1.6),
      "there is something to scroll",
      60_000,
    );
    const toEnd = page.getByRole("button", { name: "Jump to latest" });
    const moved = [];
    for (let n = 0; n < interruptions; n++) {
      await ways[way](page, n);
      await visible(toEnd);
      const line = await topLine(page);
      const known = await length(page);
      await until(async () => (await length(page)) > known + rate / 3, "the answer goes on", 30_000);
      // Whole pixels: the browser scrolls by those alone, and what is above has heights with a fraction.
      moved.push(Math.trunc((await whereIs(page, line.words)) - line.y) + 0);
      assert.equal(await toEnd.count(), 1, `interruption ${n}: pulled back`);
      await toEnd.click();
      await gone(toEnd);
      await until(
        () => log(page).evaluate((e) => e.scrollHeight - e.scrollTop - e.clientHeight < 2),
        "it follows the answer again",
      );
    }
    assert.deepEqual(moved, Array(interruptions).fill(0), "the line that is read does not move");
    await page.getByRole("button", { name: /^Stop$/ }).click();
  };
}

/** CH8, A3: blocks out of view are skipped from a certain length on. */
async function staysAsHigh(t) {
  const { page } = await t.open();
  const kinds = ["# Heading", "- one\n- two", "> quoted", "$$x^2$$", "---", "> [!NOTE]\n> noted", "1. one\n\n   two"];
  const text = Array.from({ length: 70 }, (_, i) => kinds[i % 12] ?? [`Text ${i}.`, code(i), table(i)][i % 3]);
  await t.model.rules({ when: { user: `long ${t.id}` }, reply: { text: text.join("\n\n") } });
  await ask(t, page, `long ${t.id}`);
  await visible(page.locator(".prose-long .shiki"));
  await visible(page.locator(".prose-long .katex"));
  const [skipping, plain] = await page.locator(".prose-long").evaluate((prose) => {
    const heights = () =>
      [...prose.querySelectorAll(":scope > *, :scope > * > *")].map((e) => e.getBoundingClientRect().height);
    for (const group of prose.children) group.style.contentVisibility = "visible";
    const plain = heights();
    // As a group that is skipped while it is out of view, but in view.
    for (const group of prose.children) group.style.contain = "layout style paint";
    return [heights(), plain];
  });
  assert.ok(plain.length > 70);
  assert.deepEqual(skipping, plain, "groups and blocks are as high as they were before the answer was long");
}

const streaming = Object.fromEntries(
  Object.keys(ways).flatMap((way) =>
    Object.keys(rates).map((rate) => [
      `scrolling up by ${way} while ${rate} characters a second come holds to the pixel`,
      holds(way, Number(rate)),
    ]),
  ),
);

export const tests = { "an answer that becomes long keeps the height of its blocks": staysAsHigh, ...streaming };
