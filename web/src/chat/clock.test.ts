import { afterEach, describe, expect, it, vi } from "vitest";
import { effectScope, nextTick, ref } from "vue";
import { useClock } from "./clock";

afterEach(() => vi.useRealTimers());

describe("the clock", () => {
  it("A16: tells the present time at once when it is needed after a while, not the time when it stood still", async () => {
    vi.useFakeTimers({ now: 0 });
    const scope = effectScope();
    const needed = ref(false);
    const now = scope.run(() => useClock(() => needed.value))!;
    vi.setSystemTime(120_000);
    needed.value = true;
    await nextTick();
    expect(Date.parse(now.value)).toBe(120_000);
    scope.stop();
  });
});
