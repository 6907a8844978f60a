import * as fc from "fast-check"
import { expect, test } from "vitest"
import { AccountWebhook } from "#core/bridge/account-webhook.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import { AccountReceivers } from "#core/event/account-receivers.ts"
import { Delivery } from "#core/event/delivery.ts"
import { Doorbell, promiseAndRing, ringAnew } from "#core/event/doorbell.ts"
import { deliver } from "#functions/delivery/deliver.ts"
import { ringOverdue } from "#functions/sweep/bells.ts"
import { after, fakeTime, pass } from "#test/support/faked-lives.ts"
import { giveTurns, inTurns, turn } from "#test/support/interleaved.ts"
import { anAccount } from "#test/support/service/bridge.ts"
import { aReceiver } from "#test/support/service/receiver.ts"
import {
  aDoorbell,
  anEvent,
  anOutbox,
  answerAll,
  forgetDoorbells,
} from "#test/support/session/events-and-doorbells.ts"
import "#test/support/store.ts"

const Life = fc.record({
  /** After how many turns of the others the account gets its webhook, and after how many more it loses it. */
  creates: fc.integer({ min: 0, max: 8 }),
  removes: fc.option(fc.integer({ min: 0, max: 20 }), { nil: undefined, freq: 1 }),
  /** Whether whoever makes or deletes it may die. */
  callsDie: fc.constantFrom(false, false, false, true),
  /** Events of the bridge that is there before, and of one that is made meanwhile: after how many turns. */
  commits: fc.array(fc.integer({ min: 0, max: 12 }), { minLength: 2, maxLength: 5 }),
  commitsOfNew: fc.array(fc.integer({ min: 0, max: 12 }), { minLength: 1, maxLength: 3 }),
  producersDie: fc.constantFrom(false, false, true),
  halfVisible: fc.boolean(),
  /** The deliverers, and whether each may die. */
  deliverers: fc.array(fc.boolean(), { minLength: 2, maxLength: 5 }),
})
type Life = typeof Life extends fc.Arbitrary<infer Value> ? Value : never
type Receiver = Awaited<ReturnType<typeof aReceiver>>

fakeTime()

test("whoever dies while an account gets a webhook or loses it: no later event is lost, each in order", async () => {
  const own = await aReceiver()
  const all = await aReceiver()
  const property = fc.asyncProperty(fc.scheduler(), Life, (scheduler, life) =>
    live(scheduler, life, { own, all }),
  )
  await expect(fc.assert(property, { numRuns: 40 })).resolves.toBeUndefined()
}, 180_000)

interface Written {
  ref: string
  bridge: Bridge.Info
  /** The ids of its events, and how many there were before the webhook's creation was answered. */
  ids: string[]
  before: number | undefined
}

async function live(
  scheduler: fc.Scheduler,
  life: Life,
  to: { own: Receiver; all: Receiver },
): Promise<void> {
  await forgetDoorbells()
  // Each life is a second of its own: the events of an earlier one are older than its webhook.
  pass(1)
  const { id: accountId } = await anAccount()
  const from = { own: to.own.arrivals.length, all: to.all.arrivals.length }
  const bridges: Written[] = []
  const make = async (ref: string): Promise<Written> => {
    const { bridge } = await Bridge.create({ accountId, customerRef: ref, webhookUrl: to.own.url })
    const made: Written = { ref, bridge, ids: [], before: isCreated ? 0 : undefined }
    bridges.push(made)
    return made
  }
  let isCreated = false
  let isRemoved = false
  const produce = async (written: Written, commits: number[]) => {
    const outbox = await anOutbox(written.bridge)
    for (const turns of commits) {
      await after(turns)
      const [id] = await outbox.write(anEvent())
      written.ids.push(id!)
      await promiseAndRing(written.bridge.id)
    }
  }
  const old = await make("old")
  const call = async () => {
    await after(life.creates)
    const { webhook } = await AccountWebhook.create(accountId, to.all.url, {})
    isCreated = true
    for (const one of bridges) one.before ??= one.ids.length
    if (life.removes === undefined) return
    await after(life.removes)
    isRemoved = true
    await AccountWebhook.remove(webhook)
  }
  const dying = { mayDie: life.producersDie, halfVisible: life.halfVisible }
  await giveTurns(scheduler, [
    inTurns(scheduler, "customer", call, { mayDie: life.callsDie }),
    inTurns(scheduler, "old bridge", () => produce(old, life.commits), dying),
    inTurns(scheduler, "new bridge", async () => await produce(await make("new"), life.commitsOfNew), dying),
    ...life.deliverers.map((mayDie, i) => inTurns(scheduler, `deliverer ${i}`, answerOne, { mayDie })),
  ])
  // What dead processes knew is gone with them.
  for (const { webhookId } of await AccountReceivers.list(accountId, Infinity))
    AccountReceivers.forget({ bridgeId: accountId, webhookId })
  for (const { bridge } of bridges) await comeToRest(bridge.id)
  for (const one of bridges) {
    expect(idsOf(to.own.arrivals.slice(from.own), one)).toEqual(one.ids)
    const told = idsOf(to.all.arrivals.slice(from.all), one)
    // A webhook that is deleted gets what it was sent until then.
    const part = one.ids.join().includes(told.join()) ? told : one.ids
    expect(isRemoved ? part : one.ids.slice(one.ids.length - told.length)).toEqual(told)
    const least = isCreated && !isRemoved ? one.ids.length - (one.before ?? 0) : 0
    expect(told.length).toBeGreaterThanOrEqual(least)
  }
}

/** Answers a doorbell, if one rings. */
async function answerOne(): Promise<void> {
  await turn("comes")
  const doorbell = await aDoorbell()
  if (!doorbell) return
  const { bridge_id: bridgeId, webhook_id: webhookId } = Doorbell.parse(JSON.parse(doorbell.Body!))
  await deliver({ bridgeId, webhookId })
}

/** All parties are gone: what is left is delivered by those that come after them. */
async function comeToRest(bridgeId: string): Promise<void> {
  await ringAnew(bridgeId)
  await answerAll()
  const isWaiting = async () => (await Delivery.ofBridge(bridgeId)).some(({ due }) => due > 0)
  for (let looks = 0; looks < 20 && (looks < 2 || (await isWaiting())); looks++) {
    pass(Delivery.claimedFor() + Delivery.allowedLateness() + 1)
    await ringOverdue()
    await answerAll()
  }
  expect(await isWaiting()).toBe(false)
}

/** The events of a bridge that came, each once, in the order of their first arrivals. */
function idsOf(arrivals: Receiver["arrivals"], { ids }: Written): string[] {
  return [...new Set(arrivals.map(({ eventId }) => eventId))].filter((id) => ids.includes(id))
}
