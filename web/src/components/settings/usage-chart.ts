/** Rows of usage → bars, oldest first, each made of its models or projects. */
import type { UsageRow } from "@/api/types";

export interface Bar {
  period: string;
  total: number;
  parts: { key: string; total: number }[];
}

export function stack(rows: UsageRow[]): { bars: Bar[]; keys: string[]; highest: number } {
  const totals = new Map<string, number>();
  const bars = new Map<string, Bar>();
  for (const row of rows) {
    const key = row.key ?? "";
    totals.set(key, (totals.get(key) ?? 0) + row.total_tokens);
    const bar = bars.get(row.period) ?? { period: row.period, total: 0, parts: [] };
    bar.total += row.total_tokens;
    bar.parts.push({ key, total: row.total_tokens });
    bars.set(row.period, bar);
  }
  const keys = [...totals].sort((a, b) => b[1] - a[1]).map(([key]) => key);
  const sorted = [...bars.values()].sort((a, b) => (a.period < b.period ? -1 : 1));
  for (const bar of sorted) bar.parts.sort((a, b) => keys.indexOf(a.key) - keys.indexOf(b.key));
  return { bars: sorted.slice(-31), keys, highest: Math.max(1, ...sorted.map((b) => b.total)) };
}
