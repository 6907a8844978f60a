import { defineConfig } from "vitest/config"
import { forgetSettings } from "./no-settings.ts"

forgetSettings()

// Without it a deploy is refused.
process.env.AWS_REGION = "eu-central-1"

// Without it production is refused.
process.env.ALARM_EMAIL = "operator@example.com"
// Without it no mail is sent.
process.env.MAIL_FROM = "bridge@mail.example.com"

/** The graph of what would be deployed, in files of its own: they need what `sst install` writes. */
export default defineConfig({
  test: {
    root: new URL("../../", import.meta.url).pathname,
    globalSetup: "test/infra/setup.ts",
    include: ["test/infra/checks/*.check.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
  },
})
