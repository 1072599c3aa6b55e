import { expect, test } from "vitest";
import type { Configuration } from "@/api/types";
import { bytesOf, quotaOfRole, sizeOf } from "./role-quota";

// US6: the quota that a form begins with is the role's in force.
test("a role's quota is read from the configuration", () => {
  const config = {
    values: {
      quotas: {
        user: { tokens_per_day: 1000, cost_per_day: 1.5, concurrent_runs: 2, storage: "10GiB", models: ["m"] },
        admin: { tokens_per_day: 7 },
      },
    },
  } as unknown as Configuration;
  const user = { tokens_per_day: 1000, cost_per_day: 1.5, concurrent_runs: 2, models: ["m"], agents: [] };
  expect(quotaOfRole(config, "user")).toEqual({ ...user, storage: 10 * 2 ** 30 });
  expect(quotaOfRole(config, "viewer")).toEqual({ ...user, storage: 10 * 2 ** 30 });
  expect(quotaOfRole(config, "admin").tokens_per_day).toBe(7);
  expect(quotaOfRole({ values: {} } as Configuration, "user").storage).toBe(0);
});

test("sizes are read with and without a unit", () => {
  expect(["0", "512", "1KiB", "1.5 MiB", "2GB", 64, undefined, "a lot"].map(bytesOf)).toEqual([
    0,
    512,
    1024,
    1.5 * 2 ** 20,
    2 * 2 ** 30,
    64,
    0,
    0,
  ]);
});

// US6: what a person does not change stays as it is, to the byte.
test("sizes are shown in a unit that gives them exactly", () => {
  const shown = { "0": 0, "512 B": 512, "500 MB": 500 * 2 ** 20, "1.5 GB": 1.5 * 2 ** 30, "2 TB": 2 * 2 ** 40 };
  for (const [text, bytes] of Object.entries(shown)) expect(sizeOf(bytes)).toBe(text);
  expect(sizeOf(1_000_000_001)).toBe("1000000001 B");
  for (const bytes of [0, 1, 1023, 1025, 2 ** 20 + 1, 1_000_000_001, 3 * 2 ** 29])
    expect(bytesOf(sizeOf(bytes))).toBe(bytes);
});
