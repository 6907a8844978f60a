import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"

/** Those that do not look into SQLite's file. */
const judges = ["as-amazon", "ill-formed", "only-what-is-sent", "reads", "transactions", "writes"]

export default defineConfig({
  test: {
    root: fileURLToPath(new URL("../", import.meta.url)),
    experimental: { viteModuleRunner: false, nodeLoader: false },
    include: ["postgres/*.check.ts", ...judges.map((name) => `${name}.test.ts`)],
    // The sentences of refusals are as in the service.
    setupFiles: ["../../../core/platform/zod-sentences.ts"],
    isolate: false,
    maxWorkers: 1,
    testTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
  },
})
