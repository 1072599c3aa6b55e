// Measures what a first visit loads: the scripts that index.html names, what
// theme.js fetches ahead for a conversation in one language, and all that those
// import statically. Fails above the budget.
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { fileURLToPath } from "node:url";
import path from "node:path";

const budget = 200 * 1024;
const dist = fileURLToPath(new URL("../dist", import.meta.url));
const page = readFileSync(path.join(dist, "index.html"), "utf8");
const named = [...page.matchAll(/(?:src|href)="\/([^"]+\.js)"/g)].map((m) => m[1]);
const ahead = [...page.matchAll(/data-(?:en|chat)="([^"]*)"/g)].flatMap((m) =>
  m[1]
    .split(" ")
    .filter(Boolean)
    .map((f) => f.slice(1)),
);
if (!ahead.some((f) => f.includes("Markdown"))) throw new Error("index.html does not name what a conversation needs");
const queue = [...named, ...ahead];
const seen = new Map();

while (queue.length > 0) {
  const file = queue.pop();
  if (seen.has(file)) continue;
  const code = readFileSync(path.join(dist, file), "utf8");
  seen.set(file, gzipSync(code).length);
  for (const m of code.matchAll(/(?:^|[;\s}])(?:import|export)\s*(?:[^"'`;()]*?from\s*)?["'](\.\/[^"']+\.js)["']/g)) {
    queue.push(path.posix.join(path.posix.dirname(file), m[1]));
  }
}

let total = 0;
for (const [file, size] of [...seen].sort((a, b) => b[1] - a[1])) {
  total += size;
  console.log(`${(size / 1024).toFixed(1).padStart(8)} KB  ${file}`);
}
console.log(`${(total / 1024).toFixed(1).padStart(8)} KB  initial JavaScript, gzip (budget ${budget / 1024} KB)`);
if (total > budget) process.exit(1);
