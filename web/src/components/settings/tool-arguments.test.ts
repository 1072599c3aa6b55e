import { expect, test } from "vitest";
import { argumentsOf } from "./tool-arguments";

// CH8: arguments are told in a list, whatever shape a tool of an MCP server gives its schema.
test("the arguments of a schema are listed with type, need and description", () => {
  const schema = {
    type: "object",
    properties: {
      path: { type: "string", description: "the file" },
      lines: { type: ["integer", "null"] },
      mode: { enum: ["fast", "slow"] },
      tags: { type: "array", items: { type: "string" } },
      values: { type: "array", items: { anyOf: [{ type: "string" }, { type: "number" }] } },
      any: {},
      odd: true,
    },
    required: ["path"],
  };
  expect(argumentsOf(schema)).toEqual([
    { name: "path", type: "string", required: true, about: "the file" },
    { name: "lines", type: "integer | null", required: false, about: "" },
    { name: "mode", type: '"fast" | "slow"', required: false, about: "" },
    { name: "tags", type: "string[]", required: false, about: "" },
    { name: "values", type: "(string | number)[]", required: false, about: "" },
    { name: "any", type: "", required: false, about: "" },
    { name: "odd", type: "", required: false, about: "" },
  ]);
});

test("what is no object schema has no arguments", () => {
  for (const schema of [undefined, null, "text", [], {}, { properties: [] }, { properties: null }])
    expect(argumentsOf(schema)).toEqual([]);
});
