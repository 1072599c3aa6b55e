import { describe, expect, it } from "vitest";
import { parse, type TemplateChildNode } from "@vue/compiler-dom";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

/** Attributes that people read or hear. */
const spoken = new Set(["aria-label", "title", "placeholder", "label", "alt", "hint"]);
/** The same in every language: names of files, of protocols, examples of what is typed. */
const sameEverywhere =
  /^(config\.yml|POST|PDF|NanoClaw|npx|github|UTC|release-notes|[\w-]+=\$\{\w+\}|[\w-]+: Bearer \$\{\w+\}|https?:\S+|sk-…|notes\/todo\.md|file_\*|km\/h|[\d\s*,/-]+)$/;
const words = /\p{L}{2,}/u;

const folder = path.resolve(__dirname, "..");
const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((f) => f.endsWith(".vue"));

function hardCoded(nodes: TemplateChildNode[], found: string[]): string[] {
  for (const node of nodes) {
    // Comments are 3, texts 2, elements 1.
    if (node.type === 2) found.push(node.content);
    if (node.type !== 1) continue;
    for (const one of node.props)
      if (one.type === 6 && one.value && spoken.has(one.name)) found.push(one.value.content);
    hardCoded(node.children, found);
  }
  return found.map((text) => text.trim()).filter((text) => words.test(text) && !sameEverywhere.test(text));
}

describe("templates", () => {
  it("CH8: hold no text of their own: every word is in a language file", () => {
    const found = files.flatMap((file) => {
      const [root] = parse(readFileSync(path.join(folder, file), "utf8")).children.filter(
        (node) => node.type === 1 && node.tag === "template",
      );
      return root?.type === 1 ? hardCoded(root.children, []).map((text) => `${file}: ${text}`) : [];
    });
    expect(files.length).toBeGreaterThan(90);
    expect(found).toEqual([]);
  });

  it("are searched: a text and an attribute of a template are found", () => {
    const { children } = parse('<p title="Close this">{{ t("a.b") }} Hello <input :placeholder="x" /></p>');
    expect(hardCoded(children, [])).toEqual(["Close this", "Hello"]);
  });
});
