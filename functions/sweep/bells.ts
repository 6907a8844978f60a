import { Account } from "#core/account.ts"
import { Bridge } from "#core/bridge.ts"
import { now } from "#core/clock.ts"
import { Delivery } from "#core/delivery.ts"
import { ring } from "#core/doorbell.ts"
import { Metrics } from "#core/metrics.ts"
import { log } from "#core/log.ts"

/** Rings for every bridge that somebody promised to look at and did not: a crash, or a lost doorbell. */
export async function ringOverdue(): Promise<void> {
  for await (const delivery of Delivery.overdue(now() - Delivery.lateness)) {
    // Whoever has looked meanwhile has changed `due`.
    if (!(await Delivery.promise(delivery.bridgeId, delivery.due))) continue
    await ring(delivery.bridgeId)
    Metrics.add("SweepRang")
    log.warn({ bridgeId: delivery.bridgeId, due: delivery.due }, "overdue delivery rung for")
  }
}

/**
 * Rings for every bridge that something waits for, at the start of the whole service on one machine: the queue is empty,
 * and whoever held a delivery has died. To be called before anybody delivers.
 */
export async function ringAll(): Promise<void> {
  for (const { id: accountId } of await Account.list())
    for (const { id } of await Bridge.list(accountId)) if (await Delivery.renew(id)) await ring(id)
}
