import { expect, test } from "vitest";
import type { Model } from "@/api/types";
import { groupModels } from "./model-groups";

const model = (id: string, vendor: string, more: Partial<Model> = {}): Model =>
  ({ id, name: id.toUpperCase(), model: id, vendor, disabled: false, hidden: false, ...more }) as Model;
const list = [
  model("a", "OpenAI", { disabled: true }),
  model("b", "OpenAI"),
  model("c", "DeepSeek"),
  model("d", "DeepSeek", { hidden: true }),
  model("demo", ""),
];
const shape = (...args: Parameters<typeof groupModels>) =>
  groupModels(...args).map((g) => `${g.name}: ${g.models.map((m) => m.id).join(" ")}`);

test("models stand by who answers, those that cannot be used last, and hidden ones are left out", () => {
  expect(shape(list, [], "b")).toEqual(["OpenAI: b a", "DeepSeek: c", ": demo"]);
});

test("favourites stand first, once", () => {
  expect(shape(list, ["c", "gone"], "b")).toEqual(["favourites: c", "OpenAI: b a", ": demo"]);
});

test("a hidden model is there when it is in use or looked for", () => {
  expect(shape(list, [], "d")).toContain("DeepSeek: c d");
  expect(shape(list, [], "b", "d deep")).toEqual(["DeepSeek: c d"]);
});

test("all words are looked for, in names, ids and vendors", () => {
  expect(shape(list, [], "b", "open B")).toEqual(["OpenAI: b"]);
  expect(shape(list, [], "b", "nothing")).toEqual([]);
});
