import { describe, expect, it } from "vitest";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import en from "./en";
import zh from "./zh";

function leaves(node: object, prefix = ""): Record<string, string> {
  const out: Record<string, string> = {};
  for (const [key, value] of Object.entries(node)) {
    if (typeof value === "string") out[prefix + key] = value;
    else Object.assign(out, leaves(value as object, `${prefix}${key}.`));
  }
  return out;
}

function sources(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((f) => /\.(vue|ts)$/.test(f) && !/(^|[/])(en|zh)\.ts$/.test(f) && !f.endsWith(".test.ts"))
    .map((f) => readFileSync(path.join(folder, f), "utf8"));
}

const english = leaves(en);
const chinese = leaves(zh);

describe("the languages", () => {
  it("have the same keys", () => {
    expect(Object.keys(chinese).sort()).toEqual(Object.keys(english).sort());
  });

  it("have the same placeholders, and no empty text", () => {
    // A plural has its placeholders in both forms.
    const names = (s: string) => [...new Set([...s.matchAll(/\{(\w+)\}/g)].map((m) => m[1]))].sort();
    for (const [key, text] of Object.entries(english)) {
      expect(names(chinese[key] ?? ""), key).toEqual(names(text));
      expect(chinese[key]?.trim(), key).not.toBe("");
    }
  });

  it("know every key that the app asks for, and hold none that it does not", () => {
    const all = sources(path.resolve(__dirname, "..")).join("\n");
    const asked = [...all.matchAll(/\bt\(\s*["'`]([\w.]+)["'`]/g)].map((m) => m[1]!);
    expect(asked.filter((key) => !(key in english))).toEqual([]);
    const computed = [...all.matchAll(/(?:\bt\(\s*|keypath=")`([\w.]+)\.\$\{/g)].map((m) => m[1]! + ".");
    const named = new Set([...all.matchAll(/["'`]([a-z]+\.\w+)["'`]/g)].map((m) => m[1]!));
    const unused = Object.keys(english).filter((k) => !named.has(k) && !computed.some((c) => k.startsWith(c)));
    expect(unused).toEqual([]);
  });
});
