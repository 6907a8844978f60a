import type Stripe from "stripe"
import { log } from "#core/platform/log.ts"
import { countToPay } from "./billable-bridges.ts"
import { Payer } from "./payer.ts"
import { isAnswer, stripe } from "./stripe.ts"

/** States in which Stripe charges for the quantity. */
const charged = new Set<Stripe.Subscription.Status>(["trialing", "active", "past_due"])

/**
 * Makes the quantity at Stripe the number of bridges. If the outcome of a change is unknown, it is repeated
 * under the same idempotency key. Every other change has a key of its own, since Stripe answers a known key
 * from its memory. If the subscription changed meanwhile, Stripe refuses the old key with new parameters; the
 * next look uses a new key.
 * @returns false if the row has changed since it was read
 * @throws the SDK's errors: the bridges run on, and the next look tries again
 */
export async function settleQuantity(
  payer: Payer.Info,
  { items, status }: Stripe.Subscription,
): Promise<boolean> {
  const [item] = items.data
  if (!item || !charged.has(status)) return true
  // The number that the customer pays for at this moment is about to be created.
  const quantity = Math.max(await countToPay(payer.accountId), payer.wanted ? 1 : 0)
  if (item.quantity === quantity) {
    if (payer.asked === undefined) return true
    return (await Payer.change(payer, { asked: undefined })) !== undefined
  }
  const isAgain = payer.asked === quantity
  const asking = isAgain
    ? payer
    : await Payer.change(payer, { asked: quantity, generation: payer.generation + 1 })
  if (!asking) return false
  await change(asking, item.id, { quantity, ...chargedAs(status, quantity - (item.quantity ?? 0)) })
  log.info({ accountId: payer.accountId, was: item.quantity, quantity }, "quantity changed")
  return true
}

/**
 * More numbers are charged at once, for the rest of the period: an account that has just paid for one could
 * otherwise run ten for a month before it pays. If that payment fails, the subscription is past due. Fewer
 * numbers are a credit on the next invoice, and so is any change while a payment is missing: a new invoice
 * would hide the one to be paid.
 */
function chargedAs(
  status: Stripe.Subscription.Status,
  more: number,
): Omit<Stripe.SubscriptionItemUpdateParams, "quantity"> {
  if (status !== "active" || more < 0) return { proration_behavior: "create_prorations" }
  return {
    proration_behavior: "always_invoice",
    payment_behavior: "allow_incomplete",
    // The customer is at no page where they could complete a step that their bank wants.
    off_session: true,
  }
}

async function change(
  asking: Payer.Info,
  item: string,
  params: Stripe.SubscriptionItemUpdateParams & { quantity: number },
): Promise<void> {
  const { quantity } = params
  const idempotencyKey = `qty:${asking.accountId}:${asking.generation}`
  try {
    await (await stripe()).subscriptionItems.update(item, params, { idempotencyKey })
  } catch (error) {
    if (isAnswer(error)) await Payer.change(asking, { asked: undefined })
    throw error
  }
  await Payer.change(asking, { asked: undefined, said: asking.said && { ...asking.said, quantity } })
}
