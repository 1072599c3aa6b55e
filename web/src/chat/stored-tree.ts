/** Reads the sub-agents of a finished run, once. */
import { inject } from "vue";
import { getRun } from "@/api/runs";
import { storedRuns } from "@/events/view";
import { useLive } from "@/stores/live";
import { sessionKey } from "./keys";

const asked = new Set<string>();

export function useStoredTree() {
  const live = useLive();
  const session = inject(sessionKey)!;

  async function load(root: string): Promise<void> {
    if (asked.has(root)) return;
    asked.add(root);
    try {
      const runs = storedRuns(await getRun(root));
      live.update(session.id.value, (s) => ({ ...s, runs: { ...runs, ...s.runs } }));
    } catch {
      // The run was swept; what the call's result says is shown instead.
    }
  }

  return { load };
}
