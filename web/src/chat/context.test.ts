import { describe, expect, it } from "vitest";
import { emptyRun } from "@/events/state";
import { contextTokens } from "./context";
import type { Row } from "./timeline";

const row = (more: Partial<Row>): Row => ({
  key: "k",
  kind: "assistant",
  message: null,
  run: null,
  siblings: [],
  ...more,
});
const turn = (total_tokens: number, time: string) => ({ prompt_tokens: 0, completion_tokens: 0, total_tokens, time });
const answer = (context_tokens?: number) =>
  row({ message: { usage: { total_tokens: 9000, context_tokens } } as never });

describe("contextTokens", () => {
  it("is of the last request, not of the sum", () => {
    expect(contextTokens([])).toBe(0);
    expect(contextTokens([row({ kind: "user" }), answer(120), row({ kind: "user" })])).toBe(120);
    expect(contextTokens([answer(120), answer()])).toBe(120);
  });
  it("is of the run at work, whose tools' own calls of models do not count", () => {
    const turns = { a: turn(200, "1"), b: turn(300, "2"), "": turn(7000, "3") };
    expect(contextTokens([answer(120), row({ run: { ...emptyRun("r", "r"), turns } })])).toBe(300);
    expect(contextTokens([answer(120), row({ run: emptyRun("r", "r") })])).toBe(120);
  });
});
