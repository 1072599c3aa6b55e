/** Browser notifications for what ends or waits while the page is in the background. */
import { onMounted, onUnmounted } from "vue";
import { useI18n } from "vue-i18n";
import { useRoute, useRouter } from "vue-router";
import { shortLineOf } from "@/chat/visible";
import { queryClient, renewConversations, renewProjects, renewTasks } from "@/api/queries";
import type { Conversation, Page } from "@/api/types";
import type { ServerEvent } from "@/events/types";
import { useLive } from "@/stores/live";
import { usePrefs } from "@/stores/prefs";
import { useToasts } from "@/stores/toasts";

const known = "Notification" in globalThis;

/** Says whether the browser would still ask the person. */
export function mayAsk(): boolean {
  return known && Notification.permission === "default";
}

export function isBlocked(): boolean {
  return known && Notification.permission === "denied";
}

/** Turns notifications on. Called by a click alone: then the browser asks the person the first time. */
export async function askToNotify(prefs: { notify: boolean }): Promise<void> {
  if (mayAsk()) await Notification.requestPermission();
  prefs.notify = known && Notification.permission === "granted";
}

export function useNotifications(): void {
  const live = useLive();
  const prefs = usePrefs();
  const router = useRouter();
  const route = useRoute();
  const toasts = useToasts();
  const { t } = useI18n();
  let stop: (() => void) | undefined;

  function titleOf(id: string): string {
    const lists = queryClient.getQueriesData<{ pages: Page<Conversation>[] }>({ queryKey: ["conversations"] });
    for (const [, data] of lists) {
      const found = data?.pages.flatMap((p) => p.items).find((c) => c.id === id);
      if (found?.title) return found.title;
    }
    return t("side.untitled");
  }

  /** In view, a chat that is not the open one is told at the edge of the page. */
  function tellHere(text: string, conversation: string): void {
    if (document.visibilityState !== "visible" || route.params.id === conversation) return;
    const open = () => void router.push({ name: "chat", params: { id: conversation } });
    toasts.info(shortLineOf(text, 200), { label: t("app.open"), run: open });
  }

  function tell(text: string, tag: string, conversation: string): void {
    if (!prefs.notify || document.visibilityState === "visible") return;
    if (!("Notification" in globalThis) || Notification.permission !== "granted") return;
    // One tag for all tabs: the browser shows it once.
    const note = new Notification(shortLineOf(text, 200), { tag, icon: "/icon.svg" });
    note.onclick = () => {
      focus();
      void router.push({ name: "chat", params: { id: conversation } });
    };
  }

  function hear(event: ServerEvent, conversation: string): void {
    if (event.type === "approval.requested") {
      const text = t("notify.waiting", { title: titleOf(conversation) });
      tell(text, event.approval.id, conversation);
      tellHere(text, conversation);
    } else if (event.type === "run.finished" && event.run_id === event.root_run_id) {
      const title = event.run.task_name || event.title || titleOf(conversation);
      if (event.run.status === "completed") tell(t("notify.done", { title }), event.run_id, conversation);
      if (event.run.status === "failed") tell(t("notify.failed", { title }), event.run_id, conversation);
      if (event.run.task_of) void renewTasks();
      void renewConversations();
    } else if (event.type === "task.updated") {
      void renewTasks();
    } else if (["conversation.updated", "conversation.deleted", "run.queued"].includes(event.type)) {
      void renewConversations();
      // Perhaps its project went with it.
      if (event.type === "conversation.deleted") void renewProjects();
    }
  }

  onMounted(() => (stop = live.listen(hear)));
  onUnmounted(() => stop?.());
}
