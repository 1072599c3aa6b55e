/**
 * The markdown renderer, fetched beside the conversation's data instead of before
 * the first paint.
 */
import { h, ref, shallowRef, type Component, type FunctionalComponent } from "vue";

const renderer = shallowRef<Component>();

/** Says whether it is there, or cannot be had. */
export const markdownSettled = ref(false);

export async function loadMarkdown(): Promise<void> {
  try {
    renderer.value ??= (await import("./Markdown.vue")).default;
  } finally {
    markdownSettled.value = true;
  }
}

/** Text of a model; nothing until the renderer is there. Once it is, no row waits for it. */
export const Markdown: FunctionalComponent<{ text: string; open?: boolean }> = (props) => {
  // A copy: of the same object Vue would see no change.
  if (renderer.value) return h(renderer.value, { ...props });
  void loadMarkdown().catch(() => undefined);
  return null;
};
Markdown.props = { text: { type: String, required: true }, open: Boolean };
