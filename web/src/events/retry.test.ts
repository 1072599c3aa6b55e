import { expect, it } from "vitest";
import { reduce } from "./reducer";
import { emptyState } from "./state";
import type { ServerEvent } from "./types";

const base = { run_id: "r", root_run_id: "r", conversation_id: "c", agent_path: "main", time: "2026-01-01T00:00:01Z" };
const retry = {
  error: { code: "model_rate_limited", message: "slow down" },
  try: 2,
  max: 5,
  retry_at: "2026-01-01T00:01:00Z",
};

it("a snapshot tells what is waited for, until something comes", () => {
  const run = { id: "r", conversation_id: "c", root_run_id: "r", status: "running" as const };
  let state = reduce(emptyState(), { ...base, type: "snapshot", run, retries: { r: retry } } as ServerEvent);
  expect(state.runs.r!.retry).toEqual({ error: retry.error, try: 2, max: 5, at: retry.retry_at });
  const delta = { type: "text.delta" as const, step_id: "s", offset: 0, delta: "Here", time: "2026-01-01T00:01:02Z" };
  state = reduce(state, { ...base, ...delta });
  expect(state.runs.r!.retry).toBeNull();
});
