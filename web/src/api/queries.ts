/** Cached reads that several views share, and how they are renewed. */
import { QueryClient, useInfiniteQuery, useQuery } from "@tanstack/vue-query";
import { computed, type Ref } from "vue";
import { Problem } from "./client";
import { listConversations, listTags } from "./conversations";
import { listProjects } from "./projects";
import { listTasks } from "./runs";
import { say } from "@/i18n/said";
import { listAgents, listModels } from "./system";

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 30_000,
      refetchOnWindowFocus: false,
      retry: (count, error) => count < 2 && !(error instanceof Problem && error.status >= 400 && error.status < 500),
    },
  },
});

/** Conversations of all projects and of none, of one project, with a tag, or those that are archived. */
export function useConversations(project?: Ref<string>, archived = false, tag?: Ref<string>) {
  const query = useInfiniteQuery({
    queryKey: computed(() => ["conversations", archived ? "archived" : (project?.value ?? ""), tag?.value ?? ""]),
    queryFn: ({ pageParam }) =>
      listConversations({
        project_id: project?.value,
        archived: archived || undefined,
        tag: tag?.value || undefined,
        cursor: pageParam || undefined,
        limit: 60,
      }),
    initialPageParam: "",
    getNextPageParam: (last) => last.next_cursor || undefined,
  });
  return { ...query, list: computed(() => query.data.value?.pages.flatMap((p) => p.items) ?? []) };
}

/** Tags change with the conversations, and are renewed with their lists. */
export function useTags() {
  const query = useQuery({ queryKey: ["tags"], queryFn: listTags });
  return { ...query, list: computed(() => query.data.value?.items ?? []) };
}

export function useProjects() {
  // Another tab may have changed them: no event tells of projects.
  const query = useQuery({ queryKey: ["projects"], queryFn: listProjects, refetchOnWindowFocus: "always" });
  return { ...query, list: computed(() => query.data.value?.items ?? []) };
}

export function useTasks() {
  const query = useQuery({ queryKey: ["tasks"], queryFn: listTasks });
  return { ...query, list: computed(() => query.data.value?.items ?? []) };
}

/** Reads the list of background tasks again: after one was submitted, stopped, or ended. */
export function renewTasks(): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: ["tasks"] });
}

export function useModels() {
  const query = useQuery({ queryKey: ["models"], queryFn: listModels, staleTime: 60_000 });
  return { ...query, list: computed(() => (query.data.value?.items ?? []).map((m) => ({ ...m, name: say(m.name) }))) };
}

export function useAgents() {
  const query = useQuery({ queryKey: ["agents"], queryFn: listAgents, staleTime: 60_000 });
  const list = computed(() => (query.data.value?.items ?? []).map((a) => ({ ...a, description: say(a.description) })));
  return { ...query, list };
}

/** Reads the lists of conversations again: after one was made, renamed, deleted. */
export async function renewConversations(): Promise<void> {
  await Promise.all([["conversations"], ["tags"]].map((queryKey) => queryClient.invalidateQueries({ queryKey })));
}

export function renewProjects(): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: ["projects"] });
}
