/** Parts of the app that are loaded when they are first shown, from a server that may be away or newer. */
import { defineAsyncComponent, h, watch, type Component } from "vue";
import Spinner from "@/components/ui/Spinner.vue";
import { i18n } from "@/i18n";
import { useLive } from "@/stores/live";
import { useToasts } from "@/stores/toasts";

const loading = () => h("div", { class: "flex justify-center py-12" }, h(Spinner, { size: 20 }));

/** Waits for a server that is away, and loads again. An updated server has the part under another name: `updated`. */
const waiting =
  (updated: () => void) => async (_error: Error, retry: () => void, fail: () => void, attempts: number) => {
    if (!(await serverAnswers())) await serverBack();
    else if (attempts > 1) {
      updated();
      return fail();
    }
    retry();
  };

/** A component that is all there is to see: of an updated server the page is loaded anew, unless it has just been. */
export function lazy(loader: () => Promise<{ default: Component }>): Component {
  const onError = waiting(() => performance.now() > 10_000 && location.reload());
  return defineAsyncComponent({ loader, loadingComponent: loading, onError });
}

/** A part of a page that may hold what somebody writes: of an updated server it tells. */
export function part<T extends Component>(loader: () => Promise<{ default: T }>): T {
  const onError = waiting(() => {
    const { t } = i18n.global;
    useToasts().warn(t("net.updated"), { label: t("net.reload"), run: () => location.reload() });
  });
  return defineAsyncComponent({ loader, onError }) as T;
}

export async function serverAnswers(): Promise<boolean> {
  try {
    return (await fetch("/readyz", { cache: "no-store", signal: AbortSignal.timeout(5000) })).ok;
  } catch {
    // No answer at all.
    return false;
  }
}

/** Milliseconds until the next look: where the events go on, nothing tells that requests do, too. */
const nextLook = 5_000;

/** Resolves when the stream of events opens again, or after a while. */
function serverBack(): Promise<void> {
  const live = useLive();
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      stop();
      resolve();
    };
    const timer = setTimeout(done, nextLook);
    const stop = watch(
      () => live.connection,
      (state) => state === "open" && done(),
    );
  });
}
