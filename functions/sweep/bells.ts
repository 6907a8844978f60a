import { Account } from "#core/account/account.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import { Delivery } from "#core/event/delivery.ts"
import { ring, unhide } from "#core/event/doorbell.ts"
import { EventLists } from "#core/event/event-lists.ts"
import { overdue } from "#core/event/waiting-deliveries.ts"
import { log } from "#core/platform/log.ts"
import { Metrics } from "#core/platform/metrics.ts"

/** Rings for every delivery whose promise to look was broken by a crash or a lost doorbell. */
export async function ringOverdue(): Promise<void> {
  for await (const delivery of overdue()) {
    const { bridgeId, webhookId } = delivery
    // If a deliverer has looked meanwhile, `due` has changed.
    if (!(await Delivery.promise(delivery, delivery.due))) continue
    await unhide(delivery, delivery.bell)
    await ring(delivery)
    Metrics.add("SweepRang")
    log.warn({ bridgeId, webhookId, due: delivery.due }, "rang for an overdue delivery")
  }
}

/**
 * Rings for every delivery at which something waits, when the whole service starts on one machine: its queue
 * is empty, and every earlier claim is dead. Call it before anybody delivers.
 */
export async function ringAll(): Promise<void> {
  for (const { id: accountId } of await Account.list())
    for (const { id } of await Bridge.list(accountId)) await ringFor(id)
}

/** No look at the newest events is promised if the service ended right after it had written them. */
async function ringFor(bridgeId: string): Promise<void> {
  const newest = await EventLists.newestNumber(bridgeId)
  for (const delivery of await Delivery.ofBridge(bridgeId)) {
    const isForgotten = !Delivery.isPausedOrMoved(delivery) && Delivery.waiting(delivery, newest) > 0
    if ((await Delivery.renewPromise(delivery)) || isForgotten) await ring(delivery)
  }
}
