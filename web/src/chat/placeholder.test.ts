import { expect, test } from "vitest";
import { nextPlaceholder } from "./placeholder";

test("CH8: placeholders of a prompt are found in turn", () => {
  const text = "Review {{file}} for {{what}}.";
  expect(nextPlaceholder(text)).toEqual([7, 15]);
  expect(nextPlaceholder(text, 8)).toEqual([20, 28]);
  expect(nextPlaceholder(text, 28)).toEqual([7, 15]);
  for (const none of ["", "{{}}", "{{a\nb}}", "{a}", "{{{"]) expect(nextPlaceholder(none)).toBeNull();
});
