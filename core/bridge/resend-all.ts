import { Delivery } from "../event/delivery.ts"
import { Resend } from "../event/resend.ts"
import { Bridge } from "./bridge.ts"

/** How many bridges are looked at together, and for how long at most, in ms. */
const walk = { atOnce: 50, withinMs: 8000 }

/** How many undelivered events of a webhook were requested. */
export interface Requested {
  customerRef: string
  webhookId: string
  count: number
  /** There are more than a request takes, or too many requests wait: ask again when these were sent. */
  isAll: boolean
}

/**
 * Requests that what was given up in a span of time be sent again, of all bridges of an account and at each
 * of their webhooks: as far as the time allows, in the order of the bridges' references.
 * @param after go on behind the bridge of this reference
 * @returns `next`: the last bridge that was looked at, if there are more
 */
export async function resendAll(
  accountId: string,
  { after = "", ...span }: Omit<Resend.Span, "after"> & { after?: string | undefined },
): Promise<{ requested: Requested[]; next?: string }> {
  const until = performance.now() + walk.withinMs
  const requested: Requested[] = []
  for (let last = after; ;) {
    const some = await Bridge.listBrief(accountId, { most: walk.atOnce, after: last })
    const deliveries = await Delivery.byIds(some.map(({ id }) => id))
    for (const { id, customerRef } of some) {
      const asked = (deliveries.get(id) ?? []).map((one) => askAt(one, customerRef, span))
      requested.push(...(await Promise.all(asked)).flat())
    }
    last = some.at(-1)?.customerRef ?? last
    if (some.length < walk.atOnce) return { requested }
    if (performance.now() > until) return { requested, next: last }
  }
}

async function askAt(one: Delivery.Info, customerRef: string, span: Resend.Span): Promise<Requested[]> {
  if (one.receiver.url === "" || one.isMoved) return []
  const asked = await Resend.askSpan(one, span)
  const { webhookId } = one
  if (asked === "full") return [{ customerRef, webhookId, count: 0, isAll: false }]
  const { count, more } = asked
  return count === 0 ? [] : [{ customerRef, webhookId, count, isAll: more === undefined }]
}
