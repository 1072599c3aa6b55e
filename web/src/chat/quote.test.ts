import { expect, test } from "vitest";
import { quoted } from "./quote";

test("each line of a quotation is marked, and room is left behind it", () => {
  expect(quoted("\n one\n\n\n\ntwo ")).toBe("> one\n>\n> two\n\n");
});
