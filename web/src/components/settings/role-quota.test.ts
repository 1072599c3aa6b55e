import { expect, test } from "vitest";
import type { Configuration } from "@/api/types";
import { bytesOf, quotaOfRole, sizeOf, sizePattern } from "./role-quota";

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

test("sizes are shown in the largest unit that is exact, and read again", () => {
  for (const [bytes, text] of [
    [0, "0"],
    [1500, "1500"],
    [2000, "2 KB"],
    [10 * 2 ** 30, "10 GiB"],
    [512 * 2 ** 20, "512 MiB"],
    [5e9, "5 GB"],
    [2 ** 30 + 1, "1073741825"],
  ] as const) {
    expect(sizeOf(bytes)).toBe(text);
    expect(bytesOf(text)).toBe(bytes);
    expect(text).toMatch(new RegExp(`^(?:${sizePattern})$`));
  }
});

test("sizes are read with and without a unit", () => {
  expect(["0", "512", "1KiB", "1.5 MiB", "2GB", 64, undefined, "a lot"].map(bytesOf)).toEqual([
    0,
    512,
    1024,
    1.5 * 2 ** 20,
    2e9,
    64,
    0,
    0,
  ]);
});
