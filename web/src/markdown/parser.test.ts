import { beforeAll, describe, expect, it } from "vitest";
import { setLocale } from "@/i18n";
import { markdown } from "./parser";
import { isHarmless, loadPurifier, sanitize } from "./sanitize";

beforeAll(async () => {
  await setLocale("en");
  await loadPurifier();
});

/** As it enters the page. */
const shown = (text: string) => String(sanitize(markdown.render(text))).replace(/\n/g, "");

describe("Markdown that models write", () => {
  it("breaks lines in table cells", () => {
    expect(shown("| a |\n|---|\n| one<br>two<br/>three |")).toContain("<td>one<br>two<br>three</td>");
  });

  it("has small letters, keys and marks, with Markdown inside", () => {
    expect(shown("H<sub>2</sub>O, x<sup>**2**</sup>, <kbd>Ctrl</kbd>+<kbd>K</kbd>")).toBe(
      "<p>H<sub>2</sub>O, x<sup><strong>2</strong></sup>, <kbd>Ctrl</kbd>+<kbd>K</kbd></p>",
    );
  });

  it("draws a picture that is in the text, and hides comments", () => {
    const data = "data:image/png;base64,iVBORw0KGgo=";
    expect(shown(`See <img width="9" src="${data}" alt="a dot"> here`)).toContain(
      `<img src="${data}" alt="a dot" loading="lazy">`,
    );
    expect(shown(`<img src="${data}" onerror="alert(1)">`)).not.toContain("onerror");
    expect(shown('<img src="https://example.org/x.png"> <img src="data:text/html,x">')).not.toContain("<img");
    expect(shown("Seen.<!-- a note --> Also seen.")).toBe("<p>Seen. Also seen.</p>");
    expect(shown("`<!-- code -->`")).toContain("&lt;!-- code --&gt;");
  });

  it("takes no other HTML: it stays text", () => {
    for (const text of ["<img src=x onerror=alert(1)>", "<script>alert(1)</script>", "<sub onclick=x>a</sub>", "<sub>"])
      expect(shown(text)).not.toMatch(/<(img|script|sub)/);
    expect(shown("`<br>` and <b>bold</b>")).toBe("<p><code>&lt;br&gt;</code> and <b>bold</b></p>");
  });

  it("folds details, whose text is Markdown, also while their end has not come", () => {
    const text = "<details>\n<summary>More **here**</summary>\n\n- one\n- two\n\n</details>\n\nAfter.";
    expect(shown(text)).toBe(
      "<details><summary>More <strong>here</strong></summary><ul><li>one</li><li>two</li></ul></details><p>After.</p>",
    );
    expect(shown("<details open><summary>A</summary>\ntext")).toBe(
      "<details><summary>A</summary><p>text</p></details>",
    );
    expect(shown("<details>\nno title\n</details>")).toContain("<p>no title</p>");
  });

  it("has task lists, alerts and footnotes", () => {
    expect(shown("- [ ] open\n- [x] done\n- plain")).toBe(
      '<ul><li class="task-item"><span class="task">☐</span> open</li>' +
        '<li class="task-item"><span class="task">☑</span> done</li><li>plain</li></ul>',
    );
    expect(shown("> [!WARNING]\n> Mind **this**.")).toBe(
      '<blockquote class="alert alert-warning"><p><strong>Warning</strong><br>Mind <strong>this</strong>.</p></blockquote>',
    );
    expect(shown("> [!NOTHING]\n> text")).toContain("[!NOTHING]");
    expect(shown("So it is.[^1]\n\n[^1]: From [here](https://a.example).")).toMatch(
      /^<p>So it is\.<sup>1<\/sup><\/p><p class="footnote"><sup>1<\/sup> From <a href/,
    );
  });

  it("shows pictures that stand in the text, and no other data", () => {
    expect(shown("![dot](data:image/png;base64,iVBORw0KGgo=)")).toContain(
      '<img src="data:image/png;base64,iVBORw0KGgo="',
    );
    expect(shown("[x](data:text/html;base64,AAAA)")).not.toContain("<a");
  });

  it("shows the words of a picture whose data has not come to its end", () => {
    for (const text of [
      "![a <dot>](data:image/png;base64,iVBORw0K",
      "![a <dot>](data:image/png",
      "![a <dot>](<data:image/",
      "![a <dot>](data:",
    ])
      expect(shown(`See ${text}`), text).toBe("<p>See <em>a &lt;dot&gt;…</em></p>");
    expect(shown("- ![](data:image/png;base64,iVBO")).toBe("<ul><li><em>…</em></li></ul>");
    expect(shown("`![dot](data:image/png;base64,iVBO`")).toContain("<code>![dot](data:image/png;base64,iVBO</code>");
    expect(shown("![dot](data:image/png;base64,iVBO and on")).toContain("iVBO and on");
  });

  it("needs the purifier for none of its own tags but pictures and formulas", () => {
    for (const text of [
      "- [x] a",
      "> [!TIP]\n> a",
      "a[^1]\n\n[^1]: b",
      "<details><summary>a</summary>\nb\n</details>",
      "1. a\n   ```js\n   b\n   ```",
    ])
      expect(isHarmless(markdown.render(text)), text).toBe(true);
  });
});
