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
const noteKey = (event: KeyboardEvent) => event.key !== "Enter" && (lastKey = performance.now());
addEventListener("keydown", noteKey, { capture: true, passive: true });

/** Says whether a person is in the middle of a text: there is one in the field, or a key was just pressed. */
export function isTyping(): boolean {
  const field = document.activeElement?.closest<HTMLInputElement>("input, textarea, select, [contenteditable=true]");
  return Boolean(field && (field.value !== "" || performance.now() - lastKey < 1500));
}

let lastMove = -1000;
const noteMove = () => (lastMove = performance.now());
for (const move of ["wheel", "touchmove"]) addEventListener(move, noteMove, { capture: true, passive: true });

/** As painted, and nobody types or scrolls: for what would hold up a key or a frame. */
export async function unhurried(): Promise<void> {
  do await painted();
  while (performance.now() - Math.max(lastKey, lastMove) < 500);
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
