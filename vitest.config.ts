import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"

// Each test file is a process of its own, and nearly all load Baileys and the AWS clients: they are compiled once.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL("node_modules/.cache/compiled", import.meta.url))

/** Tests that start the whole service, as processes, and mostly wait for what these do. */
const wholes = [
  "test/e2e/**/*.test.ts",
  "trials/**/*.test.ts",
  "test/security/*.test.ts",
  "test/local/*.test.ts",
  "test/admin/*.test.ts",
]

export default defineConfig({
  test: {
    exclude: [".sst/**", "node_modules/**"],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    expect: { poll: { timeout: 10_000 } },
    projects: [
      {
        extends: true,
        test: {
          name: "parts",
          include: ["test/**/*.test.ts"],
          exclude: [...wholes, ".sst/**", "node_modules/**"],
          maxWorkers: 3,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: { name: "wholes", include: wholes, maxWorkers: 2, sequence: { groupOrder: 2 } },
      },
    ],
  },
})
