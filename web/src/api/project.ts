/** The project that a page is about. */
import { useQuery } from "@tanstack/vue-query";
import { computed, onUnmounted, watch, type Ref } from "vue";
import { useLive } from "@/stores/live";
import { isMissing } from "./client";
import { getProject } from "./projects";
import { renewConversations, renewProjects } from "./queries";

/** Of how many milliseconds a page about a project may be behind: no event tells that one is deleted. */
const every = 10_000;

/** `gone` once a project that was there is deleted, or is not shared with the person any more. */
export function useProject(id: Ref<string>) {
  const query = useQuery({
    queryKey: computed(() => ["project", id.value]),
    queryFn: () => getProject(id.value),
    refetchOnWindowFocus: "always",
    refetchInterval: ({ state }) => (isMissing(state.error) ? false : every),
  });
  const gone = computed(() => !!query.data.value && isMissing(query.error.value));
  // Perhaps its chats went with it.
  onUnmounted(useLive().listen(({ type }) => void (type === "conversation.deleted" && query.refetch())));
  watch(gone, (now) => void (now && Promise.all([renewProjects(), renewConversations()])));
  return { ...query, gone };
}
