/** What can be done with a conversation, wherever it is shown. */
import {
  Archive,
  ArchiveRestore,
  Dot,
  FileDown,
  FileJson,
  ListChecks,
  Pencil,
  Pin,
  PinOff,
  Printer,
  Sparkles,
  Tag,
  Trash2,
} from "@lucide/vue";
import { useI18n } from "vue-i18n";
import { useRoute, useRouter } from "vue-router";
import { deleteConversation, exportUrl, patchConversation, retitleConversation } from "@/api/conversations";
import { renewConversations } from "@/api/queries";
import { useAccess } from "@/api/sharing";
import type { Conversation, ConversationPatch } from "@/api/types";
import type { MenuItem } from "@/components/ui/Menu.vue";
import { useConfirm } from "@/stores/confirm";
import { useLive } from "@/stores/live";
import { useUi } from "@/stores/ui";
import { useToasts } from "@/stores/toasts";

export function useConversationActions() {
  const { t } = useI18n();
  const live = useLive();
  const confirm = useConfirm();
  const toasts = useToasts();
  const ui = useUi();
  const route = useRoute();
  const router = useRouter();
  const { readOnlyIn } = useAccess();

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
      if (["title", "pinned", "project_id", "archived", "unread"].some((key) => key in change))
        await renewConversations();
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

  /** Puts a chat away, or back; away it can be taken back at once. */
  async function archive({ id }: Conversation, archived: boolean): Promise<void> {
    await patch(id, { archived });
    if (!archived) return;
    if (route.params.id === id) await router.push("/");
    toasts.info(t("side.archivedOne"), { label: t("side.undo"), run: () => void patch(id, { archived: false }) });
  }

  async function retitle({ id }: Conversation): Promise<void> {
    try {
      const { title } = await retitleConversation(id);
      live.update(id, (s) => (s.conversation ? { ...s, conversation: { ...s.conversation, title } } : s));
      await renewConversations();
    } catch (error) {
      toasts.fail(error);
    }
  }

  /** After the menu has closed, so that it is not on the paper. */
  function printPage(): void {
    setTimeout(() => print(), 200);
  }

  /** `select` begins to choose several, where that can be done. */
  function itemsFor(conversation: Conversation, rename: () => void, select?: () => void): MenuItem[] {
    const { id, pinned, archived } = conversation;
    const open = route.params.id === id;
    const reading: MenuItem[] = [
      { label: t("chat.exportMd"), icon: FileDown, href: exportUrl(id, "md"), separated: true },
      { label: t("chat.exportJson"), icon: FileJson, href: exportUrl(id, "json") },
      ...(open ? [{ label: t("chat.print"), icon: Printer, run: printPage }] : []),
    ];
    if (readOnlyIn(conversation.project_id)) return reading;
    return [
      { label: t("app.rename"), icon: Pencil, run: rename },
      // An empty chat has nothing that it could be named after.
      ...(conversation.title
        ? [{ label: t("chat.retitle"), icon: Sparkles, run: () => void retitle(conversation) }]
        : []),
      {
        label: pinned ? t("side.unpin") : t("side.pin"),
        icon: pinned ? PinOff : Pin,
        run: () => void patch(id, { pinned: !pinned }),
      },
      { label: t("tag.edit"), icon: Tag, run: () => (ui.tagging = [conversation]) },
      {
        label: archived ? t("side.unarchive") : t("side.archive"),
        icon: archived ? ArchiveRestore : Archive,
        run: () => void archive(conversation, !archived),
      },
      ...(open || conversation.unread
        ? []
        : [{ label: t("side.markUnread"), icon: Dot, run: () => void patch(id, { unread: true }) }]),
      ...(select ? [{ label: t("side.select"), icon: ListChecks, run: select }] : []),
      ...reading,
      { label: t("app.delete"), icon: Trash2, danger: true, separated: true, run: () => void remove(conversation) },
    ];
  }

  return { patch, remove, itemsFor };
}
