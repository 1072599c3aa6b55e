import { describe, expect, it } from "vitest";
import { screenText, spansOf } from "./screen-text";

describe("the output of a command", () => {
  it("has no colour codes, and no title that a program gives the window", () => {
    expect(screenText("\u001b[1;31merror\u001b[0m: no\u001b]0;title\u0007\n")).toBe("error: no");
  });

  it("shows a progress line as it was last drawn", () => {
    expect(screenText("10 %\r50 %\r100 %\ndone\r\n")).toBe("100 %\ndone");
  });

  it("has what was struck over once, and nothing that draws nothing", () => {
    expect(screenText("b\bbo\bold \u0000\u0007end")).toBe("bold end");
  });

  it("keeps its colours as the page's", () => {
    expect(spansOf("\u001b[31mred\u001b[1m bold\u001b[0m plain \u001b[38;5;2mgreen\u001b[39m.")).toEqual([
      { text: "red", look: "text-danger" },
      { text: " bold", look: "text-danger font-bold" },
      { text: " plain ", look: "" },
      { text: "green", look: "text-good" },
      { text: ".", look: "" },
    ]);
  });

  it("skips colours that the page has no word for", () => {
    expect(spansOf("\u001b[38;2;10;20;30;1mdeep\u001b[22m\u001b[48;5;200m on\u001b[m")).toEqual([
      { text: "deep", look: "font-bold" },
      { text: " on", look: "" },
    ]);
  });
});
