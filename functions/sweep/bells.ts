import { Account } from "#core/account/account.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import { Delivery } from "#core/event/delivery.ts"
import { overdue } from "#core/event/waiting-deliveries.ts"
import { ring, unhide } from "#core/event/doorbell.ts"
import { Metrics } from "#core/platform/metrics.ts"
import { log } from "#core/platform/log.ts"

/** Rings for every bridge whose promise to look was broken by a crash or a lost doorbell. */
export async function ringOverdue(): Promise<void> {
  for await (const delivery of overdue()) {
    // If somebody has looked meanwhile, `due` has changed.
    if (!(await Delivery.promise(delivery.bridgeId, delivery.due))) continue
    await unhide(delivery.bridgeId, delivery.bell)
    await ring(delivery.bridgeId)
    Metrics.add("SweepRang")
    log.warn({ bridgeId: delivery.bridgeId, due: delivery.due }, "rang for an overdue delivery")
  }
}

/**
 * Rings for every bridge with something waiting, when the whole service starts on one machine: its queue is empty, and
 * every earlier claim is dead. Call it before anybody delivers.
 */
export async function ringAll(): Promise<void> {
  for (const { id: accountId } of await Account.list())
    for (const { id } of await Bridge.list(accountId)) if (await Delivery.renew(id)) await ring(id)
}
