import { describe, expect, it } from "vitest";
import type { Configuration } from "@/api/types";
import { changesOf, fieldsOf, groupsOf, valueOf } from "./config-form";

type Key = Configuration["keys"][number];
const key = (path: string, type: Key["type"], more: Partial<Key> = {}): Key => ({
  path,
  type,
  items: "",
  enum: [],
  names: [],
  unit: "",
  zero: false,
  secret: false,
  restart: false,
  default: "",
  doc: "",
  ...more,
});
const config: Configuration = {
  values: {
    listen: "127.0.0.1:1",
    cache: { enabled: true, ttl: "5m" },
    allowed_hosts: ["a", "b"],
    models: [{ id: "demo" }],
    code: { timeouts: { strict: "5s" } },
  },
  sources: { listen: "flag", "cache.ttl": "file", "code.timeouts.strict": "file" },
  keys: [
    key("listen", "text", { restart: true }),
    key("cache", "section"),
    key("cache.enabled", "boolean"),
    key("cache.ttl", "duration", { unit: "s", minimum: 0, maximum: 86400 }),
    key("allowed_hosts", "list", { items: "text" }),
    key("models", "list", { items: "section" }),
    key("models[].id", "text"),
    key("tools.<name>.disabled", "boolean"),
    key("code.timeouts", "map", { items: "duration" }),
    key("level", "text", { enum: ["auto", "off"] }),
    key("api_key", "text", { secret: true }),
    key("max", "integer", { minimum: 1 }),
  ],
  text: "",
  error: "",
  warnings: [],
  pending_restart: [],
  editable: true,
};

describe("the configuration as a form", () => {
  const fields = fieldsOf(config);
  const field = (name: string) => fields.find((f) => f.key === name)!;

  it("has a field for every key that stands for itself, and none for parts of a list", () => {
    expect(fields.map((f) => f.key)).toEqual([
      "listen",
      "cache.enabled",
      "cache.ttl",
      "allowed_hosts",
      "models",
      "code.timeouts",
      "level",
      "api_key",
      "max",
    ]);
    expect(fields.map((f) => f.kind)).toEqual([
      "text",
      "switch",
      "text",
      "lines",
      "structure",
      "structure",
      "choice",
      "secret",
      "number",
    ]);
    expect(groupsOf(fields).map((g) => g.name)).toEqual(["", "cache", "code"]);
  });

  it("writes bounds as they would be typed", () => {
    expect([field("cache.ttl").minimum, field("cache.ttl").maximum]).toEqual(["0", "1d"]);
    expect([field("max").minimum, field("max").maximum]).toEqual(["1", ""]);
    const size = fieldsOf({
      ...config,
      keys: [key("max_body", "size", { unit: "B", minimum: 1536, maximum: 2 ** 30 })],
    })[0]!;
    expect([size.minimum, size.maximum]).toEqual(["1536B", "1GiB"]);
  });

  it("shows what is in force and where it comes from", () => {
    expect([field("listen").text, field("listen").source]).toEqual(["127.0.0.1:1", "flag"]);
    expect(field("allowed_hosts").text).toBe("a\nb");
    expect(field("code.timeouts").source).toBe("file");
    expect(field("level").source).toBe("default");
  });

  it("reads back what it shows", () => {
    expect(valueOf(field("cache.enabled"), "true")).toBe(true);
    expect(valueOf(field("allowed_hosts"), "a\n\n b \n")).toEqual(["a", "b"]);
    expect(valueOf(field("models"), field("models").text)).toEqual([{ id: "demo" }]);
    expect(valueOf(field("max"), "12")).toBe(12);
    // Left to the server, which says what is wrong with it.
    expect(valueOf(field("max"), "many")).toBe("many");
    expect(() => valueOf(field("models"), "[")).toThrow();
  });
});

describe("what an edit of a structure writes", () => {
  const models = [
    { id: "a", provider: "openai", api_key: "***", supports: ["tools"], price: { input: 1, output: 2 } },
    { id: "b.c", provider: "openai", api_key: "", context_window: 128000 },
    { id: "demo", provider: "demo" },
  ];
  const written = (after: unknown, before: unknown = models) =>
    changesOf("models", before, after).map((c) => [c.key, c.value]);
  const edited = (change: (copy: Record<string, unknown>[]) => void) => {
    const copy = structuredClone(models) as Record<string, unknown>[];
    change(copy);
    return written(copy);
  };

  it("is the leaf that was changed, and nothing beside it", () => {
    expect(edited(() => undefined)).toEqual([]);
    expect(edited(([, b]) => (b!.name = "Other"))).toEqual([["models[b.c].name", "Other"]]);
    expect(edited(([a]) => ((a!.price as Record<string, number>).input = 3))).toEqual([["models[a].price.input", 3]]);
    expect(edited(([a]) => (a!.supports = ["tools", "images"]))).toEqual([["models[a].supports", ["tools", "images"]]]);
    expect(edited(([, b]) => delete b!.context_window)).toEqual([["models[b.c].context_window", null]]);
  });

  it("is one entry that is added or removed", () => {
    expect(edited((copy) => copy.splice(1, 1))).toEqual([["models[b.c]", null]]);
    expect(edited((copy) => copy.push({ id: "new", base_url: "http://x" }))).toEqual([
      ["models[new]", { id: "new", base_url: "http://x" }],
    ]);
  });

  it("is the whole list where its entries cannot be named or change places", () => {
    expect(edited((copy) => copy.reverse())).toEqual([["models", [...models].reverse()]]);
    expect(written([{ type: "x" }], [{ type: "y" }])).toEqual([["models", [{ type: "x" }]]]);
    expect(written([{ id: "0", x: 1 }], [{ id: "0" }])).toEqual([["models", [{ id: "0", x: 1 }]]]);
  });

  it("quotes names that hold a dot", () => {
    expect(changesOf("tools", { "a.b": { timeout: "5s" } }, { "a.b": { timeout: "6s" } }).map((c) => c.key)).toEqual([
      'tools."a.b".timeout',
    ]);
  });
});
