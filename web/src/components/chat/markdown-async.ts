/**
 * The markdown renderer, fetched beside the conversation's data instead of before
 * the first paint.
 */
import { defineAsyncComponent } from "vue";

const loading = import("./Markdown.vue");

export const Markdown = defineAsyncComponent({ loader: () => loading, suspensible: false });
