/** When the page has shown something, and has time for more. */
import { watch } from "vue";
import { markdownSettled } from "@/components/chat/markdown-async";
import type { Entry } from "@/stores/live";

/** Resolves when what has just changed is painted, and nothing is more urgent. */
export function painted(): Promise<void> {
  const idle = globalThis.requestIdleCallback ?? ((run: () => void) => setTimeout(run, 100));
  const frame = globalThis.requestAnimationFrame;
  // A page that is not in view paints nothing: the second way is for it.
  return new Promise((resolve) => {
    frame(() => frame(() => idle(() => resolve(), { timeout: 1000 })));
    setTimeout(resolve, 2000);
  });
}

let lastKey = -1000;
addEventListener("keydown", () => (lastKey = performance.now()), { capture: true, passive: true });

/** As painted, and nobody is typing: for what would hold up a key. */
export async function unhurried(): Promise<void> {
  do await painted();
  while (performance.now() - lastKey < 500);
}

/** Milliseconds after which the rest of the page waits no longer for a conversation. */
const patience = 400;

/** Resolves when the rows of a conversation are in the page, or are long in coming. */
export function conversationShown(entry: Entry): Promise<void> {
  return new Promise((resolve) => {
    watch(
      () => markdownSettled.value && entry.status.value !== "loading",
      (there) => there && requestAnimationFrame(() => resolve()),
      { immediate: true, flush: "post" },
    );
    setTimeout(resolve, patience);
  });
}
