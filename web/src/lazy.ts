/** Parts of the app that are loaded when they are first shown, from a server that may be away or newer. */
import { defineAsyncComponent, h, watch, type Component } from "vue";
import Spinner from "@/components/ui/Spinner.vue";
import { i18n } from "@/i18n";
import { useLive } from "@/stores/live";
import { useToasts } from "@/stores/toasts";

const loading = () => h("div", { class: "flex justify-center py-12" }, h(Spinner, { size: 20 }));

/** A component that waits for a server that is away. */
export function lazy(loader: () => Promise<{ default: Component }>): Component {
  return defineAsyncComponent({
    loader,
    loadingComponent: loading,
    onError: async (_error, retry, fail, attempts) => {
      if (!(await serverAnswers())) await serverBack();
      else if (attempts > 1) return fail();
      retry();
    },
  });
}

/** An updated server has the parts of the app under other names: the page is loaded anew when one is missing. */
export function watchUpdates(): void {
  let waits = false;
  addEventListener("vite:preloadError", async () => {
    if (waits || (await renew())) return;
    waits = true;
    await serverBack();
    waits = false;
    void renew();
  });
}

let looks: Promise<boolean> | undefined;
let wanted = "";

/** Goes to an address, or loads the page anew where the server has a newer one. False: the server is away. */
export function renew(address = ""): Promise<boolean> {
  wanted ||= address;
  return (looks ??= look());
}

async function look(): Promise<boolean> {
  try {
    const newer = await isNewer();
    if (wanted) location.assign(wanted);
    else if (newer && mayLose()) {
      const { t } = i18n.global;
      useToasts().offer(t("net.updated"), { label: t("net.reload"), run: () => location.reload() });
    } else if (newer) location.reload();
    return true;
  } catch {
    return false;
  } finally {
    looks = undefined;
    wanted = "";
  }
}

/** The page names its first script, whose name changes with whatever it leads to. */
async function isNewer(): Promise<boolean> {
  const answer = await fetch("/", { cache: "no-store", signal: AbortSignal.timeout(5000) });
  const first = /<script type="module"[^>]* src="([^"]+)"/.exec(await answer.text())?.[1];
  if (!answer.ok || !first) throw new Error("no page");
  return !document.querySelector(`script[src="${first}"]`);
}

/** Something is typed or on its way that no draft keeps. */
function mayLose(): boolean {
  return (
    !dispatchEvent(new Event("beforeunload", { cancelable: true })) ||
    !!document.querySelector('[role="dialog"], dialog[open], [data-composer] .animate-spin') ||
    [...document.querySelectorAll("textarea")].some((field) => field.value && !field.closest("[data-composer]"))
  );
}

async function serverAnswers(): Promise<boolean> {
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
