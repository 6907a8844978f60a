import { Troubles } from "#core/account/troubles.ts"
import { Metrics } from "#core/platform/metrics.ts"

/**
 * Tells customers of their numbers' troubles. Runs each minute, one invocation at a time (reserved
 * concurrency 1).
 */
export async function handler(): Promise<void> {
  await Troubles.report()
  Metrics.flush()
}
