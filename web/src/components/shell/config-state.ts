/**
 * What an administrator has to know of the configuration wherever they are: how much the guard asks, and that
 * config.yml has an error. Read when the page is idle, and when somebody comes back to it.
 */
import { useQuery } from "@tanstack/vue-query";
import { computed, onMounted, ref } from "vue";
import { useRoute } from "vue-router";
import { useAccess } from "@/api/sharing";
import { getConfig } from "@/api/system";

export function useConfigState() {
  const route = useRoute();
  const idle = ref(false);
  const { me } = useAccess();
  const { data } = useQuery({
    queryKey: ["config"],
    queryFn: getConfig,
    // Only administrators read the configuration.
    enabled: computed(() => idle.value && me.value?.role === "admin"),
    retry: false,
    staleTime: 60_000,
    // The page of the configuration decides itself: it has edits.
    refetchOnWindowFocus: () => (route.params.section === "config" ? false : "always"),
  });
  onMounted(() =>
    setTimeout(() => (globalThis.requestIdleCallback ?? ((run: () => void) => run()))(() => (idle.value = true)), 3000),
  );
  return {
    guard: computed(() => String((data.value?.body.values.guard as { level?: unknown } | undefined)?.level ?? "")),
    broken: computed(() => !!data.value?.body.error),
  };
}
