import { Account } from "#core/account/account.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import { Delivery } from "#core/event/delivery.ts"
import { ring, unhide } from "#core/event/doorbell.ts"
import { EventLists } from "#core/event/event-lists.ts"
import { type Overdue, OverdueRound } from "#core/event/waiting-deliveries.ts"
import { config } from "#core/platform/config.ts"
import { log } from "#core/platform/log.ts"
import { Metrics } from "#core/platform/metrics.ts"

/** How often a round begins. In beats: hosts are looked at at each. */
const beatsPerRound = 4

/** The round that is under way. */
let round: OverdueRound | undefined
let begunAt = -Infinity

/** A step of the round of overdue deliveries, where one is under way or it is time for the next. */
export async function ringInTime(): Promise<void> {
  if (!round && performance.now() - begunAt < beatsPerRound * config.LEASE_BEAT_MS) return
  await ringOverdue()
}

/**
 * Rings for some deliveries whose promise to look was broken by a crash or a lost doorbell, or whose receiver
 * is to be tried again: a step of the round, or the first one of the next.
 */
export async function ringOverdue(): Promise<void> {
  if (!round) begunAt = performance.now()
  const current = (round ??= new OverdueRound())
  // If it fails, some of what it has read is lost.
  round = undefined
  await Promise.all((await current.step()).map(ringUnlessSeen))
  if (!current.isOver) round = current
}

async function ringUnlessSeen(delivery: Overdue): Promise<void> {
  const { bridgeId, webhookId, due, bell } = delivery
  // If a deliverer has looked meanwhile, `due` has changed.
  if (!(await Delivery.promise(delivery, due))) return
  await unhide(delivery, bell)
  await ring(delivery)
  // Nobody forgot it: something that was given up is to be sent again.
  if (due === 0) return
  Metrics.add("SweepRang")
  log.warn({ bridgeId, webhookId, due }, "rang for an overdue delivery")
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
