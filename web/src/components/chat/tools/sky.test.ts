import { describe, expect, it } from "vitest";
import { readFileSync } from "node:fs";
import path from "node:path";
import { skyOf } from "./sky";

const source = readFileSync(
  path.resolve(__dirname, "../../../../../internal/tools/builtin/weather_condition.go"),
  "utf8",
);

describe("the weather", () => {
  it("is of one kind in both languages, for every condition that the tool tells", () => {
    const pairs = [...source.matchAll(/\d+:\s*\{"([^"]+)",\s*"([^"]+)"\}/g)];
    expect(pairs.length).toBeGreaterThan(25);
    for (const [, english, chinese] of pairs) {
      expect(skyOf(english!), english).not.toBeNull();
      expect(skyOf(chinese!), chinese).toBe(skyOf(english!));
    }
  });
});
