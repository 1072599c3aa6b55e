/** What is open right now; forgotten with the tab. */
import { defineStore } from "pinia";
import { ref, shallowRef } from "vue";
import type { Conversation } from "@/api/types";

export const useUi = defineStore("ui", () => {
  /** The sidebar as an overlay on a small screen. */
  const drawer = ref(false);
  const shortcuts = ref(false);
  const palette = ref(false);
  const find = ref(false);
  /** What the find bar looks for when it opens, and the message where it was found. */
  const findFor = ref<{ text: string; message: string } | null>(null);
  const projectForm = ref(false);
  /** The tag whose chats the sidebar shows; "" for all. */
  const tag = ref("");
  /** The chats whose tags are edited. */
  const tagging = shallowRef<Conversation[]>([]);
  /** The file that the side panel shows, as project/path; "" for none. */
  const file = ref<{ project: string; path: string } | null>(null);
  /** The sub-agent that the side panel shows. */
  const run = ref("");
  /** Polite announcements for screen readers. */
  const announcement = ref("");

  /** What the page is about, for the title of the tab. */
  const title = ref("");
  /** Takes files that are dropped anywhere; null where nothing takes files. */
  const takeFiles = shallowRef<((files: FileList) => void) | null>(null);

  /** What a person came for is in the page: there is time for what stands around it. */
  const begun = ref(false);

  return {
    begun,
    title,
    takeFiles,
    drawer,
    shortcuts,
    palette,
    find,
    findFor,
    projectForm,
    tag,
    tagging,
    file,
    run,
    announcement,
  };
});
