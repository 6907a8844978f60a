import { z } from "zod"
import { Billing } from "#core/account/billing.ts"
import { Metrics } from "#core/platform/metrics.ts"
import { accountHooks } from "./account-hooks.ts"
import { makeAllDue, lookAtDue } from "./look-at-accounts.ts"

// It deletes bridges that nobody pays for.
Billing.plugIn(accountHooks)

/** The night's event. */
const Nightly = z.object({ all: z.literal(true) })

/**
 * Looks at the accounts that are due, each minute. The night's event makes every account that Stripe knows
 * due first. Invocations run one at a time (reserved concurrency 1).
 */
export async function handler(event: unknown): Promise<void> {
  if (Nightly.safeParse(event).success) await makeAllDue()
  await lookAtDue()
  Metrics.flush()
}
