import { runUntilAsked } from "./run-until-asked.ts"
import { ServeSettings } from "./service/settings.ts"

process.exitCode = await runUntilAsked(
  { environment: process.env, schema: ServeSettings, billing: () => import("./billing.ts") },
  async (_service, { serving }) => {
    const { createOperatorAccount } = await import("./serve/found-operator.ts")
    await createOperatorAccount(serving.OPERATOR_EMAIL)
    const { log } = await import("#core/platform/log.ts")
    log.info({ url: serving.PUBLIC_URL }, "the messaging bridge runs")
  },
)
