import { defineConfig } from "vitest/config"

/** The command line against the service. It takes a while, and needs it packed: `npm run clients:check`. */
export default defineConfig({
  test: {
    root: new URL("../../../", import.meta.url).pathname,
    include: ["test/packages/clients/*.check.ts"],
    exclude: process.env.N8N ? [] : ["test/packages/clients/n8n.check.ts"],
    experimental: { viteModuleRunner: false, nodeLoader: false },
    testTimeout: 90_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
  },
})
