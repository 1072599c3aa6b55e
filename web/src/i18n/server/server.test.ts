import { describe, expect, it } from "vitest";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import en from "./en";
import { matchOf } from "../said";
import zh from "./zh";
import said from "./zh-said";

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

/** The Go sources by name, without tests and without what no page asks. */
function goSources(folder: string): Map<string, string> {
  const apart = /_test\.go$|^(archtest|chaos|doctor|fault|metrics)\/|test\/|^llm\/(demo|llmtest)\//;
  const names = readdirSync(path.join(root, folder), { recursive: true, encoding: "utf8" });
  const wanted = names.filter((name) => name.endsWith(".go") && !apart.test(name));
  return new Map(wanted.map((name) => [name, readFileSync(path.join(root, folder, name), "utf8")]));
}

const sources = goSources("internal");
const everything = [...sources.values()].join("\n");
const found = (text: string, ...patterns: RegExp[]) =>
  new Set(patterns.flatMap((pattern) => [...text.matchAll(pattern)].map((m) => m[1]!)));

/** The codes of errors: constants, and where an error is made. */
const codes = () =>
  found(
    everything,
    /\b[cC]ode\w*(?:\s+Code)?\s*(?:=|:)\s*"([a-z]+(?:_[a-z]+)*)"/g,
    /\bErrorf\("([a-z]+(?:_[a-z]+)*)",/g,
    /newProblem\([\w.]+, "([a-z_]+)"/g,
    /"([a-z_]+)": +http\.Status/g,
    /http\.Status\w+: +"([a-z_]+)"/g,
    /Error\{"([a-z_]+)"/g,
  );

/** Codes that no page shows: the start of the server is refused, or a worker gives up its run to another one. */
const unseen = ["foreign_database", "database_too_new", "fenced"];

/** What a format or a sum of strings looks like as a sentence with {} for what changes. */
const formOf = (go: string) =>
  go
    .replace(/"\s*\+\s*"/g, "")
    .replace(/"\s*\+\s*[\w.]+(\s*\+\s*")?/g, "{}")
    .replace(/%[a-z]/g, "{}")
    .replace(/"$/, "");

/** The sentences that calls say while they run, and that a run's changes are explained with. */
function sentences(): string[] {
  const progress = found(everything, /\.Progress\((?:fmt\.Sprintf\()?"((?:[^"\\]|"\s*\+\s*)+"?(?:[\w.]+(?=,))?)/g);
  const undo = [...sources].filter(([name]) => name.startsWith("undo/")).map(([, text]) => text.replace(/\/\/.*/g, ""));
  const literal = '"((?:[^"]|"\\s*\\+\\s*")*)"';
  const explained = found(
    undo.join("\n"),
    new RegExp(`(?:Reason|DiffOmitted)(?: =|:) (?:fmt\\.Sprintf\\(\\s*)?${literal}`, "g"),
    new RegExp(`remark\\(ctx,\\s*(?:fmt\\.Sprintf\\(\\s*)?${literal}`, "g"),
    new RegExp(`return (?:\\w+, )*${literal}$`, "gm"),
    new RegExp(`\\.end\\(\\w+, ${literal}\\)`, "g"),
  );
  return [...progress, ...explained].map(formOf).filter((text) => /\w+ \w+/.test(text) || text.includes("{}"));
}

describe("the server's words in Chinese", () => {
  it("CH8: say what every configuration key does", () => {
    const keys = configKeys();
    expect(keys.length).toBeGreaterThan(190);
    expect(keys.filter((key) => !/\p{Script=Han}/u.test(zh.config[key] ?? ""))).toEqual([]);
    expect(Object.keys(zh.config).filter((key) => !keys.includes(key))).toEqual([]);
    const sections = [...new Set(keys.filter((key) => key.includes(".")).map((key) => key.split(".")[0]!))];
    expect(Object.keys(zh.sections).sort()).toEqual(sections.sort());
  });

  it("CH8: name every action of the audit log", () => {
    const names = operations();
    expect(names.length).toBeGreaterThan(15);
    expect(names.filter((name) => !(name in zh.actions))).toEqual([]);
  });

  it("CH8: say what every error code means", () => {
    const all = [...codes()].filter((code) => !unseen.includes(code)).sort();
    expect(all.length).toBeGreaterThan(75);
    expect(all.filter((code) => !/\p{Script=Han}/u.test(said.codes[code] ?? ""))).toEqual([]);
    expect(Object.keys(said.codes).filter((code) => !all.includes(code))).toEqual([]);
  });

  it("CH8: say what every rule of the guard is about", () => {
    const data = ["code", "commands"].map((name) => read(`internal/guard/data/${name}.yaml`));
    const yaml = [read("internal/guard/rules.yaml"), ...data].join("\n");
    const own = /var ownIDs = \[\]string\{([^}]*)\}/.exec(everything)![1]!;
    const ids = [...found(yaml, /\bid: *"?([a-z_.]+)/g), ...found(own, /"([^"]+)"/g)];
    expect(ids.length).toBeGreaterThan(200);
    const families = Object.keys(said.findings).map((family) => `${family.replaceAll("_", ".")}.`);
    const family = (id: string) => families.find((one) => `${id.replaceAll("_", ".")}.`.startsWith(one));
    expect(ids.filter((id) => !family(id))).toEqual([]);
    expect(families.filter((one) => !ids.some((id) => family(id) === one))).toEqual([]);
  });

  it("CH8: say what calls are doing, and why a change has no difference or cannot be reverted", () => {
    const all = sentences();
    expect(all.length).toBeGreaterThan(20);
    const forms = Object.keys(said.sentences);
    expect(all.filter((text) => !forms.some((form) => matchOf(form).test(text)))).toEqual([]);
  });

  it("B4, CH8: name and describe every tool", () => {
    const names = [...found(everything, /\btools\.Define\w*\(\s*"([a-z_]+)"/g)];
    expect(names.length).toBeGreaterThan(35);
    expect(names.filter((name) => !/\p{Script=Han}/u.test(zh.tools[name] ?? ""))).toEqual([]);
    expect(Object.keys(zh.tools).filter((name) => !names.includes(name))).toEqual([]);
    expect(names.filter((name) => !(name in en.toolNames) || !(name in zh.toolNames))).toEqual([]);
    expect(Object.keys(zh.toolNames)).toEqual(Object.keys(en.toolNames));
  });

  it("have the groups and effects of the English page", () => {
    expect(Object.keys(zh.groups)).toEqual(Object.keys(en.groups));
    expect(Object.keys(zh.effects)).toEqual(Object.keys(en.effects));
  });
});
