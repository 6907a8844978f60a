import { randomBytes } from "node:crypto"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { z } from "zod"
import { endBilling } from "#billing/end-billing.ts"
import { makeAllDue, lookAtDue } from "#billing/look-at-accounts.ts"
import { log } from "#core/platform/log.ts"
import { MayPass } from "#dynamodb-on-sqlite/cannot-start.ts"
import { newKey, startPretendStripe } from "#pretend-stripe/start.ts"
import { readOrCreatePrivate } from "./service/private-file.ts"
import type { BillingHere } from "./service/service.ts"

export { accountHooks } from "#billing/account-hooks.ts"
export { billingPages } from "#dashboard/billing/pages.ts"

const dayMs = 86_400_000

/**
 * Billing on one machine: its settings, by the processes that get them, and its regular looks. With
 * `BILLING=pretend` this starts a pretend Stripe.
 */
export const startBilling: BillingHere["startBilling"] = async (settings, apiUrl, stops) => {
  const start = startLooks
  if (settings.BILLING === "") return { forAll: {}, forService: {}, start: end }
  const forAll = {
    BILLING: settings.BILLING,
    DASHBOARD_URL: settings.DASHBOARD_URL || apiUrl.replace("127.0.0.1", "localhost"),
  }
  if (settings.BILLING === "stripe") return { forAll, forService: {}, start }
  const { DATA_DIR: dataDir, PRETEND_STRIPE_PORT: port } = settings
  const { secret, key } = await readOrCreatePrivate(
    join(dataDir, "pretend-stripe-secret.json"),
    Secrets,
    () => ({
      secret: `whsec_${randomBytes(24).toString("hex")}`,
      key: newKey(),
    }),
  )
  try {
    const stripe = await startPretendStripe({
      webhookUrl: `${apiUrl}/billing/webhook`,
      webhookSecret: secret,
      key,
      port,
      file: join(dataDir, "pretend-stripe.json"),
    })
    stops.push(stripe.close)
    return { forAll, forService: stripe.environment, start }
  } catch (error) {
    throw new MayPass(`port ${port} is taken: choose another with PRETEND_STRIPE_PORT=...`, {
      cause: error,
    })
  }
}

const Secrets = z.object({ secret: z.string(), key: z.string() })

/** If billing was on before this start, bridges that waited for a payment run again. */
async function end(): Promise<() => Promise<void>> {
  const { charged } = await endBilling()
  if (charged > 0)
    console.log(`Billing is off, but Stripe goes on charging ${charged} subscriptions: cancel them there.`)
  return async () => undefined
}

/** Looks at the accounts that are due every second, and at all accounts once a day. */
async function startLooks(): Promise<() => Promise<void>> {
  const stopping = new AbortController()
  const looking = looks()

  async function looks(): Promise<void> {
    let allAt = -Infinity
    while (!stopping.signal.aborted) {
      try {
        if (performance.now() - allAt > dayMs) {
          await makeAllDue()
          allAt = performance.now()
        }
        await lookAtDue()
      } catch (error) {
        log.error({ error }, "the look at subscriptions failed")
      }
      await sleep(1000, undefined, { signal: stopping.signal }).catch(() => "stopped while asleep")
    }
  }

  return async () => {
    stopping.abort()
    await looking
  }
}
