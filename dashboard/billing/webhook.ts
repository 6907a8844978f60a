import { Hono } from "hono"
import { bodyLimit } from "hono/body-limit"
import type Stripe from "stripe"
import { z } from "zod"
import { Due } from "#billing/due-for-a-look.ts"
import { Payer } from "#billing/payer.ts"
import { stripe } from "#billing/stripe.ts"
import { ApiError } from "#core/error.ts"
import { need } from "#core/platform/config.ts"
import { log } from "#core/platform/log.ts"
import type { ApiEnv } from "#functions/http/contract-router.ts"

/** Far larger than any event that the webhook subscribes to. */
const limited = bodyLimit({
  maxSize: 512 * 1024,
  onError: () => {
    throw new ApiError("payload_too_large")
  },
})

/**
 * Where an event names the account and its customer: on a subscription, a page of Checkout, or an invoice's
 * subscription.
 */
const About = z.object({
  metadata: z.object({ account_id: z.uuid() }).optional().catch(undefined),
  customer: z.string().optional().catch(undefined),
  client_reference_id: z.uuid().optional().catch(undefined),
  parent: z
    .object({ subscription_details: z.object({ metadata: z.object({ account_id: z.uuid() }) }) })
    .optional()
    .catch(undefined),
})

/**
 * Stripe's webhooks. They are hints: a genuine one makes its account due for a look, which asks Stripe
 * itself. So it does not matter how often they come, how late, or in which order.
 */
export const webhook = new Hono<ApiEnv>().post("/billing/webhook", limited, async (c) => {
  const event = await genuine(await c.req.text(), c.req.header("stripe-signature") ?? "")
  const { accountId, customer } = accountOf(event)
  // Another service may share the Stripe account.
  if (accountId !== undefined && (await Payer.noteCustomer(accountId, customer))) await Due.mark(accountId)
  log.info({ accountId, event: event.id, type: event.type }, "Stripe told of a change")
  return c.json({ received: true })
})

/** @throws ApiError `invalid_request` unless Stripe signed exactly these bytes, within five minutes. */
async function genuine(body: string, signature: string): Promise<Stripe.Event> {
  const client = await stripe()
  try {
    return client.webhooks.constructEvent(body, signature, need("STRIPE_WEBHOOK_SECRET"))
  } catch (error) {
    log.warn({ why: error instanceof Error ? error.name : "" }, "a webhook that is not Stripe's was refused")
    throw new ApiError("invalid_request", "this is not signed by Stripe, or it is too old")
  }
}

function accountOf(event: Stripe.Event): { accountId: string | undefined; customer: string | undefined } {
  const about = About.parse(event.data.object)
  const accountId =
    about.client_reference_id ??
    about.metadata?.account_id ??
    about.parent?.subscription_details.metadata.account_id
  return { accountId, customer: about.customer }
}
