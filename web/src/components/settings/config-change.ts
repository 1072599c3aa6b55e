/** A change of config.yml that a page proposes: its difference is shown before it is written. */
import { ref } from "vue";
import { useI18n } from "vue-i18n";
import { queryClient } from "@/api/queries";
import { changeConfig, getConfig } from "@/api/system";
import type { Configuration } from "@/api/types";
import { textOf } from "@/i18n/problem";
import { useToasts } from "@/stores/toasts";

/** Keys with their new values, out of the values in force. */
type Change = (values: Configuration["values"]) => Record<string, unknown>;

export function useConfigChange(done: () => void = () => undefined) {
  const { t } = useI18n();
  const toasts = useToasts();
  const reviewing = ref(false);
  const busy = ref(false);
  const diff = ref("");
  const wrong = ref("");
  let etag = "";
  let changes: Record<string, unknown> = {};

  async function attempt(act: () => Promise<void>): Promise<void> {
    busy.value = true;
    wrong.value = "";
    try {
      await act();
    } catch (error) {
      wrong.value = textOf(error);
      if (!reviewing.value) toasts.fail(error);
    } finally {
      busy.value = false;
    }
  }

  /** Shows what would be written. */
  const propose = (change: Change) =>
    attempt(async () => {
      const config = await getConfig();
      etag = config.etag;
      changes = change(config.body.values);
      diff.value = (await changeConfig(changes, etag, true)).diff;
      reviewing.value = true;
    });

  const save = () =>
    attempt(async () => {
      const answer = await changeConfig(changes, etag);
      if (answer.error) {
        wrong.value = answer.error;
        return;
      }
      reviewing.value = false;
      toasts.info(answer.pending_restart.length ? t("config.savedRestart") : t("config.saved"));
      for (const key of ["config", "models", "agents", "mcp", "tools"])
        void queryClient.invalidateQueries({ queryKey: [key] });
      done();
    });

  return { reviewing, busy, diff, wrong, propose, save };
}

/** A list of config.yml, whatever it is made of. */
export function listOf(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? (value as Record<string, unknown>[]) : [];
}
