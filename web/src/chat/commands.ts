/** The commands of the slash menu in a conversation. */
import { Brain, Check, Cpu, FileDown, Files, Keyboard, Plus, Search, Square, Wrench, X } from "@lucide/vue";
import { computed } from "vue";
import { useI18n } from "vue-i18n";
import { useRouter } from "vue-router";
import { exportUrl } from "@/api/conversations";
import type { Decision } from "@/api/types";
import { useConversationActions } from "@/components/shell/conversation-actions";
import { send } from "@/components/shell/shortcuts";
import { usePrefs } from "@/stores/prefs";
import { useToasts } from "@/stores/toasts";
import { useUi } from "@/stores/ui";
import type { Session } from "./session";
import type { SlashCommand } from "./slash";

export function useChatCommands(session: Session, openModels: () => void, stop: () => Promise<void>) {
  const { t } = useI18n();
  const router = useRouter();
  const prefs = usePrefs();
  const ui = useUi();
  const toasts = useToasts();
  const actions = useConversationActions();

  /** Decides on the call that waits; where there are several, a person has to choose. */
  function one(decision: Decision): void {
    const [approval, another] = session.approvals.value;
    if (approval && !another) void session.settle(approval, decision);
    else send("approvals");
  }

  return computed<SlashCommand[]>(() => {
    const id = session.id.value;
    const conversation = session.state.value.conversation;
    const list: SlashCommand[] = [
      { name: "new", label: t("slash.new"), icon: Plus, run: () => void router.push("/") },
      { name: "model", label: t("slash.model"), icon: Cpu, run: openModels },
      {
        name: "think",
        label: t("slash.think"),
        icon: Brain,
        run: () => {
          const thinking = conversation?.thinking === "on" ? "off" : "on";
          void actions.patch(id, { thinking });
          toasts.info(t(thinking === "on" ? "slash.thinkOn" : "slash.thinkOff"));
        },
      },
      {
        name: "tools",
        label: t("slash.tools"),
        icon: Wrench,
        run: () => {
          const tools_enabled = conversation?.tools_enabled === false;
          void actions.patch(id, { tools_enabled });
          toasts.info(t(tools_enabled ? "slash.toolsOn" : "slash.toolsOff"));
        },
      },
      { name: "files", label: t("slash.files"), icon: Files, run: () => (prefs.panel = "files") },
      { name: "find", label: t("slash.find"), icon: Search, run: () => (ui.find = true) },
      { name: "export", label: t("slash.export"), icon: FileDown, run: () => location.assign(exportUrl(id, "md")) },
      { name: "help", label: t("slash.help"), icon: Keyboard, run: () => (ui.shortcuts = true) },
    ];
    if (session.active.value) list.push({ name: "stop", label: t("slash.stop"), icon: Square, run: () => void stop() });
    if (session.approvals.value.length) {
      list.push({
        name: "approve",
        label: t("slash.approve"),
        icon: Check,
        run: () => one({ decision: "approve", scope: "once" }),
      });
      list.push({ name: "deny", label: t("slash.deny"), icon: X, run: () => one({ decision: "deny" }) });
    }
    return list;
  });
}
