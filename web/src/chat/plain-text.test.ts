import { expect, it } from "vitest";
import { plainLine } from "./plain-text";

it("a preview has no marks, but keeps what stands in code", () => {
  expect(plainLine("## Result\n\n**So** `2**5` = 32\n- one\n* two", 90)).toBe("Result So 2**5 = 32 one two");
  expect(plainLine("```py\nx = a**b\n```", 90)).toBe("py x = a**b");
  expect(plainLine("abcdef", 3)).toBe("abc");
});
