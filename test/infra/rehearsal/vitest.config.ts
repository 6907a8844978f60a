import { defineConfig } from "vitest/config"
import { forgetSettings } from "../no-settings.ts"

forgetSettings()

/** One file of acts, each of which needs those before it. */
export default defineConfig({
  test: {
    root: new URL("../../..", import.meta.url).pathname,
    include: ["test/infra/rehearsal/**/*.act.ts"],
    testTimeout: 240_000,
    hookTimeout: 300_000,
    bail: 1,
  },
})
