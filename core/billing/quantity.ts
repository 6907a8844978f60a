import type Stripe from "stripe"
import { log } from "../platform/log.ts"
import { countPaid } from "./bridges.ts"
import { Payer } from "./payer.ts"
import { isAnswer, stripe } from "./stripe.ts"

/** States in which Stripe charges for the quantity. */
const charged = new Set<Stripe.Subscription.Status>(["trialing", "active", "past_due"])

/**
 * Makes the quantity at Stripe the number of bridges. A change whose outcome is not known is asked for again under the
 * same idempotency key; any other has a key of its own, since Stripe answers a known key from its memory.
 * @returns false when somebody else has written meanwhile.
 * @throws the SDK's errors: the bridges run on, and the next look tries again
 */
export async function settleQuantity(
  payer: Payer.Info,
  { items, status }: Stripe.Subscription,
): Promise<boolean> {
  const [item] = items.data
  if (!item || !charged.has(status)) return true
  // The number that somebody pays for at this moment is about to be created.
  const quantity = Math.max(await countPaid(payer.accountId), payer.wanted ? 1 : 0)
  if (item.quantity === quantity) {
    if (payer.asked === undefined) return true
    return (await Payer.change(payer, { asked: undefined })) !== undefined
  }
  const isAgain = payer.asked === quantity
  const asking = isAgain
    ? payer
    : await Payer.change(payer, { asked: quantity, generation: payer.generation + 1 })
  if (!asking) return false
  await change(asking, item.id, quantity)
  log.info({ accountId: payer.accountId, was: item.quantity, quantity }, "quantity changed")
  return true
}

async function change(asking: Payer.Info, item: string, quantity: number): Promise<void> {
  const idempotencyKey = `qty:${asking.accountId}:${asking.generation}`
  try {
    await (await stripe()).subscriptionItems.update(item, { quantity }, { idempotencyKey })
  } catch (error) {
    if (isAnswer(error)) await Payer.change(asking, { asked: undefined })
    throw error
  }
  await Payer.change(asking, { asked: undefined, said: asking.said && { ...asking.said, quantity } })
}
