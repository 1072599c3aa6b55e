import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { blocksOf, grouped, noBlocks, type Block } from "./blocks";
import { isHarmless, sanitize } from "./sanitize";

const sample = `# Title

Some *text* with \`code\` and $a^2$.

- one

- two
  more

| a | b |
|---|--:|
| 1 | 2 |

\`\`\`go
func main() {}

\`\`\`

> quote

$$
x = 1
$$

The end.`;

describe("blocks of markdown", () => {
  it("are the same whether the text came at once or in pieces", () => {
    const whole = blocksOf(sample, noBlocks, false).list;
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 15 }), { minLength: 60, maxLength: 60 }), (sizes) => {
        let blocks = noBlocks;
        let at = 0;
        for (const size of sizes) {
          at = Math.min(sample.length, at + size);
          blocks = blocksOf(sample.slice(0, at), blocks, true);
        }
        blocks = blocksOf(sample, blocks, false);
        expect(blocks.list).toEqual(whole);
      }),
      { numRuns: 100 },
    );
  });

  it("stay the same objects once another block follows", () => {
    const first = blocksOf("One.\n\nTwo", noBlocks, true);
    const second = blocksOf("One.\n\nTwo and more.\n\nThree", first, true);
    const third = blocksOf("One.\n\nTwo and more.\n\nThree!", second, true);
    expect(second.list[0]).toBe(first.list[0]);
    expect(third.list[1]).toBe(second.list[1]);
    expect(third.list[2]).not.toBe(second.list[2]);
  });

  it("close what the stream has left open", async () => {
    // The first open piece fetches what closes it.
    blocksOf("**", noBlocks, true);
    await vi.dynamicImportSettled();
    const html = (text: string) => {
      const block = blocksOf(text, noBlocks, true).list.at(-1);
      return block?.kind === "html" ? block.html : "";
    };
    expect(html("this is **bo")).toContain("<strong>bo</strong>");
    for (const text of ["![dot](data:image/png;base64,iVBORw0K", "![dot", "![dot](plots/a"])
      expect(html(text), text).toContain("<em>dot…</em>");
  });

  it("know a fence that is still open", () => {
    const open = blocksOf("```js\nlet a", noBlocks, true).list[0];
    expect(open).toMatchObject({ kind: "code", language: "js", code: "let a", open: true });
    const closed = blocksOf("```js\nlet a\n```\n", noBlocks, true).list[0];
    expect(closed).toMatchObject({ kind: "code", open: false });
  });
});

describe("untrusted markdown", () => {
  const render = async (text: string) => {
    const blocks = blocksOf(text, noBlocks, false).list;
    return (await Promise.all(blocks.map((b) => (b.kind === "html" ? sanitize(b.html) : "")))).join("");
  };

  it.each([
    ["raw html", "<img src=x onerror=alert(1)>"],
    ["a script", "<script>alert(1)</script>"],
    ["a javascript link", "[x](javascript:alert(1))"],
    ["an entity-coded link", "[x](java&#115;cript:alert(1))"],
    ["a data link", "[x](data:text/html,<script>alert(1)</script>)"],
  ])("keeps %s from becoming live", async (_name, text) => {
    const host = document.createElement("div");
    host.innerHTML = await render(text);
    expect(host.querySelector("script, [onerror], iframe, img")).toBeNull();
    for (const link of host.querySelectorAll("a"))
      expect(link.getAttribute("href")).not.toMatch(/^(javascript|data):/i);
  });

  it("turns remote pictures into links, so that no other host is asked", async () => {
    expect(await render("![cat](https://example.com/cat.png)")).not.toContain("<img");
    expect(await render("![cat](https://example.com/cat.png)")).toContain('href="https://example.com/cat.png"');
  });

  it("takes prices for prices, and formulas for formulas", async () => {
    expect(await render("costs $5 and $6")).not.toContain("math");
    expect(await render("so $a_1$ holds")).toContain('class="math"');
    expect(await render("so \\(a_1\\) holds")).toContain('class="math"');
  });

  it("goes past the cleaner where it is text and tables alone", () => {
    const html = (text: string) =>
      blocksOf(text, noBlocks, false)
        .list.map((b) => (b.kind === "html" ? b.html : ""))
        .join("");
    for (const text of [
      "**bold** & `a < b > c`",
      "| a | b |\n|---|--:|\n| 1 | 2 |",
      "- one\n- two",
      "> quote",
      "[a](https://example.com/?b=1&c=2)",
    ])
      expect(isHarmless(html(text))).toBe(true);
  });

  it.each([
    '<p onclick="x()">',
    "<p title='>'>",
    "<svg><p></svg>",
    "<p",
    "<p\n>",
    "<P>",
    "< p>",
    "<img src=x onerror=x()>",
    "<a href='#'>b</a>",
    '<a href="javascript:x()" target="_blank" rel="noopener noreferrer">',
    '<a href="https://a" onclick="x()" target="_blank" rel="noopener noreferrer">',
    "<math><mi><p>",
    "<!-- <p> -->",
    "<p/onclick=x()>",
    "<<p>>",
    "<p <br>",
    '<td style="color:red">',
  ])("goes through the cleaner where markup is anything else: %s", (html) =>
    expect(isHarmless(`<p>text</p>${html}`)).toBe(false),
  );
});

it("keeps the groups of blocks in which nothing changed", () => {
  let blocks = noBlocks;
  let groups: Block[][] = [];
  const text = Array.from({ length: 40 }, (_, i) => `Paragraph ${i}.`).join("\n\n");
  blocks = blocksOf(text, blocks, true);
  groups = grouped(blocks.list, groups);
  expect(groups.flat()).toEqual(blocks.list);
  const more = blocksOf(`${text} And on.`, blocks, true);
  const after = grouped(more.list, groups);
  expect(after.map((group, i) => group === groups[i])).toEqual([true, true, false]);
  expect(after.flat()).toEqual(more.list);
});
