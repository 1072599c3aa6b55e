/** What is done with schedules and webhooks alike. */
import { Pause, Pencil, Play, Trash2 } from "@lucide/vue";
import { useI18n } from "vue-i18n";
import { queryClient } from "@/api/queries";
import { deleteTrigger, type TriggerKind } from "@/api/triggers";
import type { MenuItem } from "@/components/ui/Menu.vue";
import { useConfirm } from "@/stores/confirm";
import { useToasts } from "@/stores/toasts";

interface Trigger {
  id: string;
  name: string;
  enabled: boolean;
}

export function useTriggerActions(kind: TriggerKind) {
  const { t } = useI18n();
  const toasts = useToasts();
  const confirm = useConfirm();

  /** Does something and shows the lists as they are then. */
  async function attempt(act: () => Promise<unknown>, said = ""): Promise<void> {
    try {
      await act();
      if (said) toasts.info(said);
    } catch (error) {
      toasts.fail(error);
    }
    await queryClient.invalidateQueries({ queryKey: [kind] });
    await queryClient.invalidateQueries({ queryKey: ["firings", kind] });
  }

  async function remove({ id, name }: Trigger): Promise<void> {
    const yes = await confirm.ask({
      title: t("trigger.deleteTitle", { name }),
      hint: t("trigger.deleteHint"),
      action: t("app.delete"),
    });
    if (yes) await attempt(() => deleteTrigger(kind, id));
  }

  /** Changing, pausing and deleting it. */
  const itemsFor = (trigger: Trigger, edit: () => void, pause: () => Promise<unknown>): MenuItem[] => [
    { label: t("app.edit"), icon: Pencil, run: edit },
    {
      label: trigger.enabled ? t("trigger.pause") : t("trigger.resume"),
      icon: trigger.enabled ? Pause : Play,
      run: () => void attempt(pause),
    },
    { label: t("app.delete"), icon: Trash2, danger: true, separated: true, run: () => void remove(trigger) },
  ];

  return { attempt, itemsFor };
}
