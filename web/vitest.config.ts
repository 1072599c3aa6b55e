import { defineConfig, mergeConfig } from "vitest/config";
import base from "./vite.config.ts";

export default mergeConfig(
  base,
  defineConfig({
    test: {
      environment: "happy-dom",
      include: ["src/**/*.test.ts", "test/unit/**/*.test.ts"],
      maxWorkers: 2,
      // The property tests take their time on a machine that does other things, too.
      testTimeout: 60_000,
    },
  }),
);
