/** Parts of the app that are loaded when they are first shown, from a server that may be away or newer. */
import { defineAsyncComponent, h, watch, type Component } from "vue";
import Spinner from "@/components/ui/Spinner.vue";
import { i18n } from "@/i18n";
import { useLive } from "@/stores/live";
import { useToasts } from "@/stores/toasts";

const loading = () => h("div", { class: "flex justify-center py-12" }, h(Spinner, { size: 20 }));

/**
 * A component that waits for a server that is away. An updated server has the part under another name: the page is
 * loaded anew, unless it has just been.
 */
export function lazy(loader: () => Promise<{ default: Component }>): Component {
  return defineAsyncComponent({
    loader,
    loadingComponent: loading,
    onError: async (_error, retry, fail, attempts) => {
      if (!(await serverAnswers())) await serverBack();
      else if (attempts > 1) return performance.now() > 10_000 ? location.reload() : fail();
      retry();
    },
  });
}

/**
 * A part of a page that is loaded when it is first shown. It waits for a server that is away; of an updated server, which
 * has the part under another name, it tells, as the page may hold what somebody writes.
 */
export function part<T extends Component>(loader: () => Promise<{ default: T }>): T {
  return defineAsyncComponent({
    loader,
    onError: async (_error, retry, fail, attempts) => {
      if (!(await serverAnswers())) await serverBack();
      else if (attempts > 1) {
        const { t } = i18n.global;
        useToasts().warn(t("net.updated"), { label: t("net.reload"), run: () => location.reload() });
        return fail();
      }
      retry();
    },
  }) as T;
}

export async function serverAnswers(): Promise<boolean> {
  try {
    return (await fetch("/readyz", { cache: "no-store", signal: AbortSignal.timeout(5000) })).ok;
  } catch {
    // No answer at all.
    return false;
  }
}

/** Resolves when the stream of events is open again. */
function serverBack(): Promise<void> {
  const live = useLive();
  return new Promise((resolve) => {
    const stop = watch(
      () => live.connection,
      (state) => {
        if (state !== "open") return;
        stop();
        resolve();
      },
    );
  });
}
