import { expect, test } from "vitest";
import { findTextOf, pieces } from "./found";

test("the words of a query stand apart in a text, whatever their case", () => {
  expect(pieces("A red Fox, a redder fox.", "fox red")).toEqual([
    { text: "A ", hit: false },
    { text: "red", hit: true },
    { text: " ", hit: false },
    { text: "Fox", hit: true },
    { text: ", a ", hit: false },
    { text: "red", hit: true },
    { text: "der ", hit: false },
    { text: "fox", hit: true },
    { text: ".", hit: false },
  ]);
});

test("signs of patterns are plain text", () => {
  expect(pieces("f(x) [a]", "(x)")[1]).toEqual({ text: "(x)", hit: true });
  expect(pieces("text", "  ")).toEqual([{ text: "text", hit: false }]);
});

test("the whole query is looked for, else its longest word that is there", () => {
  expect(findTextOf("Red fox ", "a red fox ran")).toBe("Red fox");
  expect(findTextOf("a foxes red", "a red fox ran")).toBe("red");
  expect(findTextOf("wolf", "a red fox ran")).toBe("");
});
