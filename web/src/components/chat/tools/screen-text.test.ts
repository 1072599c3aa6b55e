import { describe, expect, it } from "vitest";
import { screenText } from "./screen-text";

describe("the output of a command", () => {
  it("has no colour codes, and no title that a program gives the window", () => {
    expect(screenText("\u001b[1;31merror\u001b[0m: no\u001b]0;title\u0007\n")).toBe("error: no");
  });

  it("shows a progress line as it was last drawn", () => {
    expect(screenText("10 %\r50 %\r100 %\ndone\r\n")).toBe("100 %\ndone");
  });
});
