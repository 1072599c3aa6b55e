import { describe, expect, it } from "vitest";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import en from "./en";
import zh from "./zh";

const root = path.resolve(__dirname, "../../../..");
const read = (name: string) => readFileSync(path.join(root, name), "utf8");

/** The keys that the settings page shows, of the generated reference: those of list entries are edited with their list. */
function configKeys(): string[] {
  const reference = read("docs/configuration.md");
  const rows = [
    ...reference.slice(reference.indexOf("## The top level")).matchAll(/^\| `([^`]+)` \| (?!section \|)/gm),
  ];
  const keys = rows.map((row) => row[1]!);
  // Of a list or a mapping of sections the reference has the entries' keys alone, below its own heading.
  const lists = keys.flatMap((key) => /^(\w+)(?:\[\]|\.<)/.exec(key)?.[1] ?? []);
  return [...new Set([...lists, ...keys.filter((key) => !/\[\]|</.test(key))])];
}

/** The operations that the API writes into the audit log. */
function operations(): string[] {
  const folder = path.join(root, "internal/api");
  const sources = readdirSync(folder).filter((f) => f.endsWith(".go") && !f.endsWith("_test.go"));
  return sources.flatMap((f) =>
    [...readFileSync(path.join(folder, f), "utf8").matchAll(/operation: *"([\w-]+)"(?! *\+)/g)].map((m) => m[1]!),
  );
}

describe("the server's words in Chinese", () => {
  it("CH8: say what every configuration key does", () => {
    const keys = configKeys();
    expect(keys.length).toBeGreaterThan(190);
    expect(keys.filter((key) => !/\p{Script=Han}/u.test(zh.config[key] ?? ""))).toEqual([]);
    expect(Object.keys(zh.config).filter((key) => !keys.includes(key))).toEqual([]);
  });

  it("CH8: name every action of the audit log", () => {
    const names = operations();
    expect(names.length).toBeGreaterThan(15);
    expect(names.filter((name) => !(name in zh.actions))).toEqual([]);
  });

  it("B4: name every tool that ships, in both languages", () => {
    const folder = path.join(root, "internal/tools/builtin");
    const named = readdirSync(folder)
      .filter((f) => f.endsWith(".go") && !f.endsWith("_test.go"))
      .flatMap((f) => [...readFileSync(path.join(folder, f), "utf8").matchAll(/tools\.Define\("([a-z_]+)"/g)])
      .map((m) => m[1]!);
    expect(named.length).toBeGreaterThan(30);
    expect(named.filter((name) => !(name in en.toolNames) || !(name in zh.toolNames))).toEqual([]);
    expect(Object.keys(zh.toolNames)).toEqual(Object.keys(en.toolNames));
  });

  it("have the groups and effects of the English page", () => {
    expect(Object.keys(zh.groups)).toEqual(Object.keys(en.groups));
    expect(Object.keys(zh.effects)).toEqual(Object.keys(en.effects));
  });
});
