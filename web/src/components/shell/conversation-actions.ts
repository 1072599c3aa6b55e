/** What can be done with a conversation, wherever it is shown. */
import { FileDown, FileJson, Pencil, Pin, PinOff, Printer, Trash2 } from "@lucide/vue";
import { useI18n } from "vue-i18n";
import { useRoute, useRouter } from "vue-router";
import { deleteConversation, exportUrl, patchConversation } from "@/api/conversations";
import { renewConversations } from "@/api/queries";
import type { Conversation, ConversationPatch } from "@/api/types";
import type { MenuItem } from "@/components/ui/Menu.vue";
import { useConfirm } from "@/stores/confirm";
import { useLive } from "@/stores/live";
import { useToasts } from "@/stores/toasts";

export function useConversationActions() {
  const { t } = useI18n();
  const live = useLive();
  const confirm = useConfirm();
  const toasts = useToasts();
  const route = useRoute();
  const router = useRouter();

  /** Changes settings; the page shows them at once and takes them back when the server refuses. */
  async function patch(id: string, change: ConversationPatch): Promise<void> {
    let before: Conversation | null = null;
    live.update(id, (s) => {
      before = s.conversation;
      return s.conversation ? { ...s, conversation: { ...s.conversation, ...change } } : s;
    });
    try {
      const conversation = await patchConversation(id, change);
      live.update(id, (s) => ({ ...s, conversation: { ...s.conversation, ...conversation } }));
      if ("title" in change || "pinned" in change || "project_id" in change) await renewConversations();
    } catch (error) {
      live.update(id, (s) => ({ ...s, conversation: before ?? s.conversation }));
      toasts.fail(error);
    }
  }

  async function remove(conversation: Conversation): Promise<void> {
    const title = conversation.title || t("side.untitled");
    const yes = await confirm.ask({
      title: t("side.deleteTitle"),
      hint: t("side.deleteHint", { title }),
      action: t("app.delete"),
    });
    if (!yes) return;
    try {
      await deleteConversation(conversation.id);
      live.forget(conversation.id);
      if (route.params.id === conversation.id) await router.push("/");
      await renewConversations();
    } catch (error) {
      toasts.fail(error);
    }
  }

  /** After the menu has closed, so that it is not on the paper. */
  function printPage(): void {
    setTimeout(() => print(), 200);
  }

  function itemsFor(conversation: Conversation, rename: () => void): MenuItem[] {
    const { id, pinned } = conversation;
    return [
      { label: t("app.rename"), icon: Pencil, run: rename },
      {
        label: pinned ? t("side.unpin") : t("side.pin"),
        icon: pinned ? PinOff : Pin,
        run: () => void patch(id, { pinned: !pinned }),
      },
      { label: t("chat.exportMd"), icon: FileDown, href: exportUrl(id, "md"), separated: true },
      { label: t("chat.exportJson"), icon: FileJson, href: exportUrl(id, "json") },
      ...(route.params.id === id ? [{ label: t("chat.print"), icon: Printer, run: printPage }] : []),
      { label: t("app.delete"), icon: Trash2, danger: true, separated: true, run: () => void remove(conversation) },
    ];
  }

  return { patch, remove, itemsFor };
}
