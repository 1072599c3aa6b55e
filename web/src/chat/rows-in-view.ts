/** Keeps the rows near the view in the page, with the heights that they turned out to have. */
import { computed, onMounted, onUnmounted, ref, shallowRef, type ObjectDirective, type Ref } from "vue";
import { offsetOf, slotsFor } from "./row-window";

/** Pixels above and below the view that are kept ready. */
const margin = 800;
/** The height of a row that was never shown, until others tell better. */
const guess = 240;

export function useRowsInView(scroller: Ref<HTMLElement | undefined>, keys: () => string[], following: Ref<boolean>) {
  const heights = new Map<string, number>();
  /** Counts changes of the heights: a Map of a thousand entries need not be reactive. */
  const measured = ref(0);
  const view = shallowRef({ top: 0, height: globalThis.innerHeight || 800 });
  const pinned = ref("");
  /** The first paint shows what is in view; what is near follows. */
  const near = ref(0);
  let known = 0;

  const list = computed(() => {
    void measured.value;
    const usual = heights.size ? known / heights.size : guess;
    return keys().map((key) => heights.get(key) ?? usual);
  });
  const slots = computed(() => {
    const all = list.value;
    const total = offsetOf(all, all.length);
    // At the end the view is measured from there: where it stands follows the heights, not the other way round.
    const top = following.value ? Math.max(0, total - view.value.height) : view.value.top;
    const around = { top: top - near.value, bottom: top + view.value.height + near.value };
    return slotsFor(all, { ...around, pinned: pinned.value ? keys().indexOf(pinned.value) : -1 });
  });

  const observer = new ResizeObserver((entries) => {
    let changed = false;
    for (const { target, borderBoxSize } of entries) {
      const key = (target as HTMLElement).dataset.row!;
      const height = borderBoxSize[0]!.blockSize;
      const old = heights.get(key);
      if (old === height || !target.isConnected) continue;
      known += height - (old ?? 0);
      heights.set(key, height);
      changed = true;
    }
    if (changed) measured.value++;
  });

  const vMeasure: ObjectDirective<HTMLElement> = {
    mounted: (element) => observer.observe(element),
    unmounted: (element) => observer.unobserve(element),
  };

  function look(): void {
    const element = scroller.value;
    if (element) view.value = { top: element.scrollTop, height: element.clientHeight };
  }

  /** The row whose content has the focus stays in the page. */
  function pin(event: FocusEvent): void {
    const inside = event.type === "focusin" ? event.target : event.relatedTarget;
    pinned.value = (inside as HTMLElement | null)?.closest<HTMLElement>("[data-row]")?.dataset.row ?? "";
  }

  /** Brings a row into the page, at about where it belongs. */
  function approach(index: number): void {
    const element = scroller.value!;
    element.scrollTop = offsetOf(list.value, index) - element.clientHeight / 3;
    look();
  }

  onMounted(() => {
    look();
    const element = scroller.value!;
    element.addEventListener("scroll", look, { passive: true });
    element.addEventListener("focusin", pin);
    element.addEventListener("focusout", pin);
    addEventListener("resize", look);
  });
  onUnmounted(() => {
    observer.disconnect();
    removeEventListener("resize", look);
  });

  return { slots, vMeasure, approach, widen: () => (near.value = margin) };
}
