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
  /** The file that keeps the secrets of the change; empty: it has none. */
  const secrets = ref("");
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
      const seen = await changeConfig(changes, etag, true);
      diff.value = seen.diff;
      secrets.value = seen.secrets_file;
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
      for (const key of ["config", "models", "model-providers", "agents", "mcp", "tools"])
        void queryClient.invalidateQueries({ queryKey: [key] });
      done();
    });

  return { reviewing, busy, diff, secrets, wrong, propose, save };
}

type Entry = Record<string, unknown>;

const isEntry = (value: unknown): value is Entry =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * What a form changed of an entry of config.yml that stands at `path`, key by key, so that what somebody else has changed
 * meanwhile stays.
 */
export function changesOf(path: string, before: Entry, after: Entry): Entry {
  const changes: Entry = {};
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [old, now] = [before[name], after[name]];
    const key = `${path}.${/^\w+$/.test(name) ? name : JSON.stringify(name)}`;
    if (isEntry(old) && isEntry(now)) Object.assign(changes, changesOf(key, old, now));
    else if (JSON.stringify(old) !== JSON.stringify(now)) changes[key] = now ?? null;
  }
  return changes;
}

/** A key as config.yml says it: ${NAME} is a variable, and any other dollar sign stands for itself. */
export const keyText = (typed: string) => (/^\$\{\w+\}$/.test(typed) ? typed : typed.replaceAll("$", "$$$$"));

/** A list of config.yml, whatever it is made of. */
export function listOf(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? (value as Record<string, unknown>[]) : [];
}
