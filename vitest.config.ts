import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"

// Each test file is a process of its own, and nearly all load Baileys and the AWS clients: they are compiled once.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL("node_modules/.cache/compiled", import.meta.url))

const isWaiting = ({ moduleId }: TestSpecification) => moduleId.includes("/trials/crashes/")

/** Those that mostly wait come first: beside them the others use the processors. */
class WaitingFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- the sequencer's own
    const sorted = await super.sort(files)
    return [...sorted.filter(isWaiting), ...sorted.filter((file) => !isWaiting(file))]
  }
}

export default defineConfig({
  test: {
    maxWorkers: 4,
    // Node loads the modules itself, as in production.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    sequence: { sequencer: WaitingFirst },
    include: ["test/**/*.test.ts", "trials/**/*.test.ts"],
    exclude: [".sst/**", "node_modules/**"],
    // Bounds for a machine that does much else, never an expectation: speed belongs in the benchmark.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
  },
})
