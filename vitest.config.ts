import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"

// Nearly all test files load Baileys and the AWS clients: they are compiled once.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL("node_modules/.cache/compiled", import.meta.url))

/** Those that take longest come first. They mostly wait: beside them the others use the processors. */
const longest = ["/trials/", "/test/e2e/"]
/** Their place among the longest; the others come last. */
const placeOf = ({ moduleId }: TestSpecification) => {
  const place = longest.findIndex((folder) => moduleId.includes(folder))
  return place < 0 ? longest.length : place
}

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- the sequencer's own
    const sorted = await super.sort(files)
    return sorted.toSorted((one, other) => placeOf(one) - placeOf(other))
  }
}

/**
 * Test files share processes, in which what they load is loaded once. These have a process of their own each.
 */
const alone = ["test/**/*.alone.test.ts", "test/e2e/**/*.test.ts", "trials/**/*.test.ts"]
/** The clients in these are of Baileys as it comes, which the others repair. */
const simulator = ["test/packages/whatsapp-simulator/**/*.test.ts"]
const never = [".sst/**", "node_modules/**"]

const inSharing = (...files: string[]) => ({
  setupFiles: files.map((file) => `test/support/sharing/${file}`),
  sequence: { setupFiles: "list" as const, groupOrder: 1 },
  // No trial runs beside them any more.
  maxWorkers: 4,
})

export default defineConfig({
  test: {
    // Each starts processes of its own, and the trials run beside them.
    maxWorkers: 3,
    // Node loads the modules itself, as in production.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    sequence: { sequencer: LongestFirst },
    // Bounds for a machine that does much else, never an expectation: speed belongs in the benchmark.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    projects: [
      { extends: true, test: { name: "alone", include: alone, exclude: never } },
      {
        extends: true,
        test: {
          name: "simulator",
          isolate: false,
          include: simulator,
          exclude: [...alone, ...never],
          ...inSharing("forbid-repairs.ts", "put-back.ts"),
        },
      },
      {
        extends: true,
        test: {
          name: "shared",
          isolate: false,
          include: ["test/**/*.test.ts"],
          exclude: [...alone, ...simulator, ...never],
          ...inSharing("begin-afresh.ts", "put-back.ts"),
        },
      },
    ],
  },
})
