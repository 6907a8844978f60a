import * as fc from "fast-check"
import { afterEach, beforeEach, expect, test, vi } from "vitest"
import "#test/support/store.ts"
import { around } from "#test/support/around.ts"
import { aBridge } from "#test/support/bridge.ts"
import { giveTurns, inTurns, turn } from "#test/support/interleaved.ts"
import { anEvent, anOutbox } from "#test/support/outbox.ts"
import { aReceiver } from "#test/support/receiver.ts"
import { Delivery } from "#core/delivery.ts"
import { store } from "#core/store.ts"
import { deliver } from "#functions/delivery/deliver.ts"
import { ringOverdue } from "#functions/sweep/bells.ts"

const Life = fc.record({
  /** How many events the producer commits at once, and after how many turns of others. */
  commits: fc.array(
    fc.record({ count: fc.integer({ min: 1, max: 2 }), after: fc.integer({ min: 0, max: 12 }) }),
    {
      maxLength: 3,
    },
  ),
  producerDies: fc.boolean(),
  /** Doorbells that somebody answers, and whether he dies of it. */
  deliverers: fc.array(fc.boolean(), { minLength: 2, maxLength: 4 }),
  /** Seconds that pass at a moment of the scheduler's choice: claims end, whoever stood still goes on. */
  waits: fc.array(fc.constantFrom(1, 20, 100, 200), { maxLength: 3 }),
  answers: fc.array(fc.constantFrom(200, 200, 500), { maxLength: 4 }),
})
type Life = typeof Life extends fc.Arbitrary<infer Value> ? Value : never
type Receiver = Awaited<ReturnType<typeof aReceiver>>

/** A last event, about when somebody has delivered the one before. */
const Race = Life.map((life) => ({
  ...life,
  commits: life.commits.slice(0, 1),
  producerDies: false,
  deliverers: [false],
  waits: [],
  answers: [],
}))

/** Whether going idle looks once more in the same transaction: without, everything below must be noticed. */
let looksOnceMore = true
around(store, (command, go) => {
  const { input } = command
  if (!looksOnceMore && input.TransactItems)
    input.TransactItems = input.TransactItems.filter(
      ({ ConditionCheck }) => !isOfEvent(ConditionCheck?.Key?.sk),
    )
  return go()
})
const isOfEvent = (sk: unknown) => String(sk).startsWith("EVENT#")

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }))
afterEach(() => {
  looksOnceMore = true
  vi.useRealTimers()
})

test("whoever writes, delivers, dies or stands still: each event arrives, in order, and only the newest again", async () => {
  const property = lives(await aReceiver())
  await expect(fc.assert(property, { numRuns: 30 })).resolves.toBeUndefined()
}, 120_000)

test("without the second look of who goes idle the same is noticed to be broken", async () => {
  looksOnceMore = false
  const property = lives(await aReceiver(), Race)
  const { failed } = await fc.check(property, { numRuns: 1000, endOnFailure: true })
  expect(failed).toBe(true)
}, 120_000)

function lives(receiver: Receiver, of: fc.Arbitrary<Life> = Life) {
  return fc.asyncProperty(fc.scheduler(), of, (scheduler, life) => live(scheduler, life, receiver))
}

async function live(scheduler: fc.Scheduler, life: Life, receiver: Receiver): Promise<void> {
  const bridge = await aBridge(receiver.url)
  const outbox = await anOutbox(bridge)
  const from = receiver.arrivals.length
  receiver.say(...life.answers)
  // Something waits from the beginning: else most doorbells would be answered before there was anything.
  const written = await outbox.append(anEvent())
  const produce = async () => {
    for (const { count, after } of life.commits) {
      for (let i = 0; i < after; i++) await turn("waits")
      written.push(...(await outbox.write(...Array.from({ length: count }, () => anEvent()))))
      await Delivery.wake(bridge.id)
    }
  }
  const parties = [
    inTurns(scheduler, "producer", produce, { mayDie: life.producerDies }),
    ...life.deliverers.map((dies, i) =>
      inTurns(scheduler, `deliverer ${i}`, async () => void (await deliver(bridge.id)), { mayDie: dies }),
    ),
    ...life.waits.map((seconds) =>
      scheduler.schedule(Promise.resolve(), `${seconds} s pass`).then(() => pass(seconds)),
    ),
  ]
  await giveTurns(scheduler, parties)

  // The next owner of the bridge rings for what a dead one left.
  if (life.producerDies) await Delivery.wake(bridge.id)
  // All are gone. What is left is found by the sweep, minutes later.
  for (let looks = 0; (await Delivery.get(bridge.id))?.due !== 0 && looks < 20; looks++) {
    pass(Delivery.claimedFor + Delivery.lateness + 1)
    await ringOverdue()
    await deliver(bridge.id)
  }
  const arrivals = receiver.arrivals.slice(from)
  const firsts = [...new Set(arrivals.map(({ eventId }) => eventId))]
  expect(firsts.slice(0, written.length)).toEqual(written)
  // Of those that its dead producer did not live to count there may be more.
  const last = firsts.length
  expect((await Delivery.get(bridge.id))?.head).toBe(last)
  let newest = 0
  for (const { eventId } of arrivals) {
    const at = firsts.indexOf(eventId)
    expect(at).toBeGreaterThanOrEqual(newest)
    newest = Math.max(newest, at)
  }
}

function pass(seconds: number): void {
  vi.setSystemTime(Date.now() + seconds * 1000)
}
