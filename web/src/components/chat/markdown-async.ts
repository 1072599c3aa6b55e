/**
 * The markdown renderer, fetched beside the conversation's data instead of before
 * the first paint.
 */
import { defineAsyncComponent, ref } from "vue";

/** Says whether it is there, or cannot be had. */
export const markdownSettled = ref(false);

export async function loadMarkdown() {
  try {
    return await import("./Markdown.vue");
  } finally {
    markdownSettled.value = true;
  }
}

export const Markdown = defineAsyncComponent({ loader: loadMarkdown, suspensible: false });
