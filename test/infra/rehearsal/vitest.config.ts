import { defineConfig } from "vitest/config"
import { forgetSettings } from "../no-settings.ts"

forgetSettings()

// Without it a deploy is refused.
process.env.AWS_REGION = "eu-central-1"

/** One file of acts, each of which needs those before it. */
export default defineConfig({
  test: {
    root: new URL("../../../", import.meta.url).pathname,
    include: ["test/infra/rehearsal/**/*.act.ts"],
    fileParallelism: false,
    testTimeout: 240_000,
    hookTimeout: 300_000,
    bail: 1,
  },
})
