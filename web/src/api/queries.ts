/** Cached reads that several views share, and how they are renewed. */
import { QueryClient, useInfiniteQuery, useQuery } from "@tanstack/vue-query";
import { computed, type Ref } from "vue";
import { Problem } from "./client";
import { listConversations } from "./conversations";
import { listProjects } from "./projects";
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

export function useConversations(project?: Ref<string>) {
  const query = useInfiniteQuery({
    queryKey: computed(() => ["conversations", project?.value ?? ""]),
    queryFn: ({ pageParam }) =>
      listConversations({ project_id: project?.value, cursor: pageParam || undefined, limit: 60 }),
    initialPageParam: "",
    getNextPageParam: (last) => last.next_cursor || undefined,
  });
  return { ...query, list: computed(() => query.data.value?.pages.flatMap((p) => p.items) ?? []) };
}

export function useProjects() {
  const query = useQuery({ queryKey: ["projects"], queryFn: listProjects });
  return { ...query, list: computed(() => query.data.value?.items ?? []) };
}

export function useModels() {
  const query = useQuery({ queryKey: ["models"], queryFn: listModels, staleTime: 60_000 });
  return { ...query, list: computed(() => query.data.value?.items ?? []) };
}

export function useAgents() {
  const query = useQuery({ queryKey: ["agents"], queryFn: listAgents, staleTime: 60_000 });
  return { ...query, list: computed(() => query.data.value?.items ?? []) };
}

/** Reads the lists of conversations again: after one was made, renamed, deleted. */
export function renewConversations(): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: ["conversations"] });
}

export function renewProjects(): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: ["projects"] });
}
