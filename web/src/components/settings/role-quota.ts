import type { Account } from "@/api/accounts";
import type { Configuration } from "@/api/types";

export type RoleQuota = NonNullable<Account["quota"]>;

const sizes: Record<string, number> = { "": 1, k: 2 ** 10, m: 2 ** 20, g: 2 ** 30, t: 2 ** 40 };

/** A size of config.yml, such as 10GiB, in bytes. */
export function bytesOf(size: unknown): number {
  const [, number, unit] = /^([\d.]+)\s*([kmgt]?)i?b?$/i.exec(String(size ?? "")) ?? [];
  return Math.round(Number(number ?? 0) * sizes[(unit ?? "").toLowerCase()]!);
}

/** A size in bytes as a person writes it, such as 1.5 GB; what no unit gives exactly stays in bytes. */
export function sizeOf(bytes: number): string {
  for (const unit of ["t", "g", "m", "k"]) {
    const size = `${+(bytes / sizes[unit]!).toFixed(2)} ${unit.toUpperCase()}B`;
    if (bytes >= sizes[unit]! && bytesOf(size) === bytes) return size;
  }
  return bytes ? `${bytes} B` : "0";
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
