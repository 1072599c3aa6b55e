import type { Row } from "./timeline";

/** Tokens of the last request to the model in a branch, with what the model said; 0: there was none. */
export function contextTokens(rows: Row[]): number {
  for (const { kind, message, run } of rows.toReversed()) {
    if (kind !== "assistant") continue;
    // Calls that tools make of models have no step, and are no part of the context.
    const turns = Object.entries(run?.turns ?? {}).filter(([step]) => step);
    const last = turns.reduce((time, [, turn]) => (turn.time > time ? turn.time : time), "");
    const tokens = turns.find(([, turn]) => turn.time === last)?.[1].total_tokens || message?.usage?.context_tokens;
    if (tokens) return tokens;
  }
  return 0;
}
