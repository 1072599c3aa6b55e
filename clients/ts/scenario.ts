import assert from "node:assert/strict";
import { setTimeout } from "node:timers/promises";

/** What every scenario writes and reads again. */
export const text = "written by a generated client\n";

/** Asks for a run until it has a status. */
export async function until<R extends { status: string; finished_at: string | null }>(get: () => Promise<R>, status: R["status"]): Promise<R> {
  for (const deadline = Date.now() + 60_000; ; await setTimeout(20)) {
    const run = await get();
    if (run.status === status) return run;
    assert.ok(!run.finished_at && Date.now() < deadline, `the run is ${run.status} instead of ${status}: ${JSON.stringify(run)}`);
  }
}

/** What an operation answered with; an error of it ends the scenario. */
export function answered<D, E>(answer: { data?: D; error?: E; response?: Response }, status: number): D {
  assert.equal(answer.response?.status, status, JSON.stringify(answer.error ?? answer.data));
  assert.ok(answer.data !== undefined);
  return answer.data;
}
