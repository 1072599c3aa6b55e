/** What is open right now; forgotten with the tab. */
import { defineStore } from "pinia";
import { ref } from "vue";

export const useUi = defineStore("ui", () => {
  /** The sidebar as an overlay on a small screen. */
  const drawer = ref(false);
  const shortcuts = ref(false);
  const palette = ref(false);
  const find = ref(false);
  const projectForm = ref(false);
  /** The file that the side panel shows, as project/path; "" for none. */
  const file = ref<{ project: string; path: string } | null>(null);
  /** The sub-agent that the side panel shows. */
  const run = ref("");
  /** Polite announcements for screen readers. */
  const announcement = ref("");

  /** What a person came for is in the page: there is time for what stands around it. */
  const begun = ref(false);

  return { begun, drawer, shortcuts, palette, find, projectForm, file, run, announcement };
});
