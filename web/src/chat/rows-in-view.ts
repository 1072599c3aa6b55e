/** Keeps the rows near the view in the page, with the heights that they turned out to have. */
import { computed, onMounted, onUnmounted, ref, shallowRef, watch, type ObjectDirective, type Ref } from "vue";
import { guessHeight, nextRange, offsetOf, slotsFor, type Range } from "./row-window";
import type { Row } from "./timeline";

/** Pixels above and below the view that are kept ready. */
const margin = 1200;

/**
 * Where the view is: so many pixels below the top edge of a row. Not pixels from the start of the list: those change with
 * the height of every row above, and the browser keeps what is read in its place meanwhile.
 */
interface Place {
  key: string;
  below: number;
}

export function useRowsInView(scroller: Ref<HTMLElement | undefined>, rows: Ref<Row[]>, following: Ref<boolean>) {
  const heights = new Map<string, number>();
  /** Counts changes of the heights: a Map of a thousand entries need not be reactive. */
  const measured = ref(0);
  const place = shallowRef<Place>({ key: "", below: 0 });
  const viewHeight = ref(globalThis.innerHeight || 800);
  const pinned = ref("");
  /** The first paint shows what is in view; what is near follows. */
  const near = ref(0);

  const list = computed(() => {
    void measured.value;
    return rows.value.map((row) => heights.get(row.key) ?? guessHeight(row));
  });
  const indexOf = (key: string) => (key ? rows.value.findIndex((row) => row.key === key) : -1);
  const view = computed(() => {
    const all = list.value;
    // At the end the view is measured from there: where it stands follows the heights, not the other way round.
    const top = following.value
      ? Math.max(0, offsetOf(all, all.length) - viewHeight.value)
      : offsetOf(all, Math.max(0, indexOf(place.value.key))) + place.value.below;
    return { top, bottom: top + viewHeight.value };
  });
  const range = shallowRef<Range>({ first: 0, end: 0 });
  const slots = computed(() => slotsFor(list.value, range.value, indexOf(pinned.value)));
  let frame = 0;

  /** One step towards the rows that belong into the page; the next one with the next frame. */
  function advance(): void {
    const { first, end } = range.value;
    const next = nextRange(list.value, view.value, near.value, range.value);
    if (next.first === first && next.end === end) return;
    range.value = next;
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(advance);
  }
  watch([view, list, near], advance, { immediate: true });

  const observer = new ResizeObserver((entries) => {
    let changed = false;
    for (const { target, borderBoxSize } of entries) {
      const key = (target as HTMLElement).dataset.row!;
      const height = borderBoxSize[0]!.blockSize;
      const old = heights.get(key);
      if (old === height || !target.isConnected) continue;
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
    if (!element) return;
    viewHeight.value = element.clientHeight;
    place.value = rowAt(element) ?? placeAt(element.scrollTop);
  }

  /** The first row in the page that reaches into the view. */
  function rowAt(element: HTMLElement): Place | undefined {
    const { top, bottom } = element.getBoundingClientRect();
    for (const row of element.querySelectorAll<HTMLElement>("[data-row]")) {
      const box = row.getBoundingClientRect();
      if (box.bottom > top && box.top < bottom) return { key: row.dataset.row!, below: top - box.top };
    }
  }

  /** As the heights say: for a view that has moved to where no row is in the page. */
  function placeAt(offset: number): Place {
    let above = 0;
    for (const [i, height] of list.value.entries()) {
      if (above + height > offset || i === list.value.length - 1)
        return { key: rows.value[i]!.key, below: offset - above };
      above += height;
    }
    return { key: "", below: 0 };
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
    place.value = placeAt(element.scrollTop);
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
    cancelAnimationFrame(frame);
    removeEventListener("resize", look);
  });

  return { slots, vMeasure, approach, widen: () => (near.value = margin) };
}
