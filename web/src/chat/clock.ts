/** The time now, ticking once a second as long as somebody needs it. */
import { onUnmounted, ref, watch, type Ref } from "vue";

export function useClock(needed: () => boolean): Ref<string> {
  const now = ref(new Date().toISOString());
  let timer: ReturnType<typeof setInterval> | undefined;
  watch(
    needed,
    (need) => {
      clearInterval(timer);
      if (!need) return;
      // It stood still while nobody needed it.
      now.value = new Date().toISOString();
      timer = setInterval(() => (now.value = new Date().toISOString()), 1000);
    },
    { immediate: true },
  );
  onUnmounted(() => clearInterval(timer));
  return now;
}
