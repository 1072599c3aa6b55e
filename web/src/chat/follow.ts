/**
 * Follows the end of a growing list, until a person moves away from it. Only a person lets go and takes hold again: by
 * the wheel, a key, a finger or the scroll bar. What changes its height does neither. Away from the end the browser's
 * scroll anchoring keeps what is read in its place.
 */
import { onMounted, onUnmounted, ref, type Ref } from "vue";

/** Pixels from the end that count as the end. */
const near = 4;

const up = new Set(["ArrowUp", "PageUp", "Home"]);
const down = new Set(["ArrowDown", "PageDown", "End"]);

export function useFollow(scroller: Ref<HTMLElement | undefined>, content: Ref<HTMLElement | undefined>) {
  const following = ref(true);
  /** All of it is in view: there is no way to the end. */
  const short = ref(true);
  /** Where the person's last move went; the scroll bar goes both ways. */
  let heading: "up" | "down" | "both" | "" = "";
  /** It let go for something that a person has to see, and holds again when that is done. */
  let paused = false;
  let lastTop = 0;
  let finger = 0;
  let observer: ResizeObserver | undefined;

  function toEnd(): void {
    following.value = true;
    heading = "";
    paused = false;
    const element = scroller.value;
    if (!element) return;
    element.scrollTop = element.scrollHeight;
    lastTop = element.scrollTop;
  }

  function release(): void {
    following.value = false;
  }

  function pause(): void {
    paused ||= following.value;
    release();
  }

  /** Holds again, unless a person moved meanwhile. */
  function resume(): void {
    if (paused) toEnd();
  }

  /** A person moved away from the end, and has not come back. */
  const left = () => !following.value && (heading === "up" || heading === "both");

  function head(where: typeof heading): void {
    heading = where;
    paused = false;
    const element = scroller.value!;
    if (where === "up" && element.scrollHeight > element.clientHeight) release();
    // At the end nothing scrolls any more, and no scroll event comes.
    else if (where === "down" && gap() <= near) following.value = true;
  }

  const gap = () => {
    const element = scroller.value!;
    return element.scrollHeight - element.scrollTop - element.clientHeight;
  };

  function onScroll(): void {
    const { scrollTop } = scroller.value!;
    const moved = scrollTop - lastTop;
    lastTop = scrollTop;
    // What became shorter ends at the end; a person who moves up does not.
    if (moved < -1 && gap() > near && heading !== "down") release();
    else if (moved > 0 && gap() <= near && (heading === "down" || heading === "both")) following.value = true;
  }

  function onWheel(event: WheelEvent): void {
    if (event.ctrlKey || event.deltaY === 0 || scrollsWithin(event)) return;
    head(event.deltaY < 0 ? "up" : "down");
  }

  function onKey(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey || isField(event.target)) return;
    const back = up.has(event.key) || (event.key === " " && event.shiftKey);
    const on = down.has(event.key) || event.key === " ";
    if (back) head("up");
    else if (on && !(event.target as HTMLElement).closest("button, a, summary")) head("down");
  }

  function onTouchStart(event: TouchEvent): void {
    finger = event.touches[0]!.clientY;
  }

  function onTouchMove(event: TouchEvent): void {
    const at = event.touches[0]!.clientY;
    if (at === finger || scrollsWithin(event, at > finger)) return;
    head(at > finger ? "up" : "down");
    finger = at;
  }

  function onPointer(event: PointerEvent): void {
    const element = scroller.value!;
    const bar = event.target === element && event.clientX > element.getBoundingClientRect().left + element.clientWidth;
    if (bar) head("both");
  }

  /** Says whether something inside scrolls instead. */
  function scrollsWithin(event: Event, back = event instanceof WheelEvent && event.deltaY < 0): boolean {
    for (let e = event.target as HTMLElement | null; e && e !== scroller.value; e = e.parentElement) {
      const room = back ? e.scrollTop : e.scrollHeight - e.clientHeight - e.scrollTop;
      if (room > 1 && /auto|scroll/.test(getComputedStyle(e).overflowY)) return true;
    }
    return false;
  }

  const listeners: [string, (event: never) => void][] = [
    ["scroll", onScroll],
    ["wheel", onWheel],
    ["keydown", onKey],
    ["touchstart", onTouchStart],
    ["touchmove", onTouchMove],
    ["pointerdown", onPointer],
  ];

  onMounted(() => {
    for (const [name, hear] of listeners)
      scroller.value!.addEventListener(name, hear as EventListener, { passive: true });
    observer = new ResizeObserver(() => {
      // What needs no scrolling any more is at its end.
      short.value = scroller.value!.scrollHeight <= scroller.value!.clientHeight;
      if (following.value || (short.value && !paused)) toEnd();
    });
    observer.observe(content.value!);
    observer.observe(scroller.value!);
    toEnd();
  });
  onUnmounted(() => observer?.disconnect());

  return { following, short, toEnd, release, pause, resume, left };
}

function isField(target: EventTarget | null): boolean {
  return (target as HTMLElement).closest("input, textarea, select, [contenteditable=true]") !== null;
}
