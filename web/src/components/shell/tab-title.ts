/** The tab's title and icon: what the page is about, and how many chats need a person. */
import { computed, watch, watchEffect } from "vue";
import { useRoute } from "vue-router";
import { useLive } from "@/stores/live";
import { useUi } from "@/stores/ui";

export function useTabTitle(): void {
  const ui = useUi();
  const live = useLive();
  const route = useRoute();
  const waiting = computed(() => Object.values(live.activity).filter((what) => what === "waiting").length);

  watch(
    () => route.name,
    (name) => {
      if (name === "home" || name === "missing" || name === "login") ui.title = "";
    },
    { immediate: true },
  );
  watchEffect(() => {
    const name = ui.title ? `${ui.title} · NanoClaw` : "NanoClaw";
    document.title = waiting.value ? `(${waiting.value}) ${name}` : name;
  });
  watch(
    () => waiting.value > 0,
    (asks) => showIcon(asks ? "/icon-waiting.svg" : "/icon.svg"),
  );
}

/** Set again to what it is, the browser would load it again. */
function showIcon(address: string): void {
  const link = document.querySelector('link[rel="icon"]');
  if (link?.getAttribute("href") !== address) link?.setAttribute("href", address);
}
