/** What a run's browser showed last, for a person who looks on. */
import type { ToolCall } from "@/api/types";
import type { LiveCall } from "@/events/state";
import { outcomeOf } from "./call-text";

export interface BrowsedPage {
  url: string;
  title: string;
}

export interface Browsed {
  /** Where the browser is. */
  page: BrowsedPage;
  /** Its newest screenshot; null while there is none. */
  picture: NonNullable<ToolCall["images"]>[number] | null;
  /** The page in the picture, where the browser is elsewhere by now. */
  pictured: BrowsedPage | null;
}

/** The last page and the last screenshot of calls of browser_use; null where none succeeded. */
export function browsedBy(calls: LiveCall[]): Browsed | null {
  const done = calls
    .filter((c) => c.call.function.name === "browser_use" && c.finished && outcomeOf(c.call)?.success)
    .sort((a, b) => (a.finishedAt < b.finishedAt ? -1 : Number(a.finishedAt > b.finishedAt)))
    .map(({ call }) => ({ page: pageOf(call), picture: call.images?.at(-1) ?? null }))
    .filter((c) => c.page.url);
  const last = done.at(-1);
  if (!last) return null;
  const shot = done.findLast((c) => c.picture);
  const elsewhere = shot && shot.page.url !== last.page.url;
  return { page: last.page, picture: shot?.picture ?? null, pictured: elsewhere ? shot.page : null };
}

function pageOf(call: ToolCall): BrowsedPage {
  const data = outcomeOf(call)?.data as { url?: unknown; title?: unknown } | null | undefined;
  return { url: String(data?.url ?? ""), title: String(data?.title ?? "") };
}
