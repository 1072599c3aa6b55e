import type { Account } from "@/api/accounts";
import type { Configuration } from "@/api/types";

export type RoleQuota = NonNullable<Account["quota"]>;

const units = ["", "K", "M", "G", "T"];

/** How a size may be written, as in config.yml: 10GiB and 10G count in 1024, 10GB in 1000, and a bare number is bytes. */
export const sizePattern = "[0-9]+(\\.[0-9]+)?\\s*([KkMmGgTt][Ii]?)?[Bb]?";

/** A size in bytes; 0 where it is none. */
export function bytesOf(size: unknown): number {
  const [, number, , unit, i, b] = /^(\d+(\.\d+)?)\s*([kmgt]?)(i?)(b?)$/i.exec(String(size ?? "").trim()) ?? [];
  return Math.round(Number(number ?? 0) * (i || !b ? 1024 : 1000) ** units.indexOf((unit ?? "").toUpperCase()));
}

/** Bytes as config.yml would say them, in the largest unit that is exact. */
export function sizeOf(bytes: number): string {
  for (const [step, sign] of [
    [1024, "iB"],
    [1000, "B"],
  ] as const)
    for (let power = units.length - 1; power > 0; power--)
      if (bytes && bytes % step ** power === 0) return `${bytes / step ** power} ${units[power]}${sign}`;
  return String(bytes);
}

/** What config.yml gives the users of a role. */
export function quotaOfRole(config: Configuration, role: string): RoleQuota {
  const quotas = config.values.quotas as Record<string, Record<string, unknown>> | undefined;
  const of = quotas?.[role === "admin" ? "admin" : "user"] ?? {};
  const names = (list: unknown) => (Array.isArray(list) ? list.map(String) : []);
  return {
    tokens_per_day: Number(of.tokens_per_day ?? 0),
    cost_per_day: Number(of.cost_per_day ?? 0),
    concurrent_runs: Number(of.concurrent_runs ?? 0),
    storage: bytesOf(of.storage),
    models: names(of.models),
    agents: names(of.agents),
  };
}
