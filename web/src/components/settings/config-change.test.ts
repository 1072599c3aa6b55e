import { expect, test } from "vitest";
import { changesOf, keyText } from "./config-change";

test("a key is taken as it was typed, and a variable as one", () => {
  expect(["sk-1", "pa$$w", "${KEY}", "a${b"].map(keyText)).toEqual(["sk-1", "pa$$$$w", "${KEY}", "a$${b"]);
});

test("a form changes the keys that it changed, and no others", () => {
  const before = {
    id: "a",
    name: "Old",
    api_key: "***",
    supports: ["tools"],
    price: { input: 1, output: 2 },
    headers: { "X-A": "***" },
  };
  expect(changesOf("models[a]", before, { ...before })).toEqual({});
  const after = { id: "a", name: "New", supports: ["tools", "images"], price: { input: 3 }, headers: { "X-A": "b" } };
  expect(changesOf("models[a]", before, after)).toEqual({
    "models[a].name": "New",
    "models[a].api_key": null,
    "models[a].supports": ["tools", "images"],
    "models[a].price.input": 3,
    "models[a].price.output": null,
    'models[a].headers."X-A"': "b",
  });
});
