/** Code → coloured lines. A worker does it, so that no long code holds up the page. */
import { unhurried } from "@/chat/painted";
import { languageOf } from "./grammars";
import type { Coloured, Job } from "./highlight-worker";

export { languageOf };

/** Above this many characters code stays plain: its elements would be too many. */
const limit = 100_000;
/** As many results are kept: what comes into view again has its colours at once. */
const kept = 300;

const known = new Map<string, string>();
const waiting = new Map<number, (html: string) => void>();
let worker: Promise<Worker> | null = null;
let last = 0;

async function start(): Promise<Worker> {
  // The text itself is shown first.
  await unhurried();
  const made = new Worker(new URL("./highlight-worker.ts", import.meta.url), { type: "module" });
  made.addEventListener("message", ({ data }: MessageEvent<Coloured>) => {
    waiting.get(data.id)?.(data.html);
    waiting.delete(data.id);
  });
  made.addEventListener("error", () => {
    for (const settle of waiting.values()) settle("");
    waiting.clear();
  });
  return made;
}

/** The HTML of code that was coloured before; else undefined. */
export function coloured(code: string, language: string): string | undefined {
  return known.get(`${languageOf(language)} ${code}`);
}

/** The HTML of coloured code, or "" where there is no grammar for it. */
export async function highlight(code: string, language: string): Promise<string> {
  const id = languageOf(language);
  if (!id || code.length > limit) return "";
  const key = `${id} ${code}`;
  const before = known.get(key);
  if (before !== undefined) return before;
  const job: Job = { id: ++last, code, language: id };
  const colours = await (worker ??= start());
  const html = await new Promise<string>((resolve) => {
    waiting.set(job.id, resolve);
    colours.postMessage(job);
  });
  if (html) remember(key, html);
  return html;
}

function remember(key: string, html: string): void {
  known.set(key, html);
  const [oldest] = known.keys();
  if (known.size > kept && oldest !== undefined) known.delete(oldest);
}
