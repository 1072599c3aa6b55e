import { describe, expect, it } from "vitest";
import { cronOf, timingOf } from "./cron";

describe("times of schedules", () => {
  it("IF7: come back as they were chosen", () => {
    for (const cron of ["5 * * * *", "30 7 * * *", "0 9 * * 1-5", "15 18 * * 0", "0 0 31 * *"]) {
      expect(timingOf(cron).pattern, cron).not.toBe("own");
      expect(cronOf(timingOf(cron))).toBe(cron);
    }
  });

  it("are written by hand where no pattern fits, and stay as they are", () => {
    const strange = ["*/5 * * * *", "0 9 * * 1,3", "0 9 1 1 *", "0 9 1 * 1", "61 9 * * *", "0 9 0 * *", "@daily", ""];
    for (const cron of [...strange, "0 9 * * 7", "0 0 9 * * *"]) {
      expect(timingOf(cron).pattern, cron).toBe("own");
      expect(cronOf(timingOf(cron))).toBe(cron);
    }
  });
});
