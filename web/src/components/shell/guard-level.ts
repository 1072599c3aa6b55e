/** How much the guard asks, so that the page can say when it asks nothing. Read when the page is idle. */
import { useQuery } from "@tanstack/vue-query";
import { computed, onMounted, ref, type ComputedRef } from "vue";
import { useAccess } from "@/api/sharing";
import { getConfig } from "@/api/system";

export function useGuardLevel(): ComputedRef<string> {
  const idle = ref(false);
  const { me } = useAccess();
  const { data } = useQuery({
    queryKey: ["config"],
    queryFn: getConfig,
    // Only administrators read the configuration.
    enabled: computed(() => idle.value && me.value?.role === "admin"),
    retry: false,
    staleTime: 60_000,
  });
  onMounted(() =>
    setTimeout(() => (globalThis.requestIdleCallback ?? ((run: () => void) => run()))(() => (idle.value = true)), 3000),
  );
  return computed(() => String((data.value?.body.values.guard as { level?: unknown } | undefined)?.level ?? ""));
}
