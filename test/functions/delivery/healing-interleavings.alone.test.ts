import * as fc from "fast-check"
import { expect, test } from "vitest"
import { Delivery } from "#core/event/delivery.ts"
import { promiseAndRing } from "#core/event/doorbell.ts"
import type { Receiver } from "#core/event/receiver.ts"
import { Resend } from "#core/event/resend.ts"
import { tryNow } from "#core/event/retry-and-skip.ts"
import { deliver } from "#functions/delivery/deliver.ts"
import { ringOverdue } from "#functions/sweep/bells.ts"
import { after, fakeTime, loseAnswers, pass } from "#test/support/faked-lives.ts"
import { giveTurns, inTurns, turn } from "#test/support/interleaved.ts"
import { aBridge } from "#test/support/service/bridge.ts"
import { aReceiver } from "#test/support/service/receiver.ts"
import type { Arrival } from "#test/support/service/start-receiver.ts"
import {
  aDoorbell,
  anEvent,
  anOutbox,
  answerAll,
  forgetDoorbells,
} from "#test/support/session/events-and-doorbells.ts"

const Life = fc.record({
  /** How many events are given up before, and how many come afterwards, after so many turns of the others. */
  lost: fc.integer({ min: 2, max: 5 }),
  commits: fc.array(
    fc.record({ count: fc.integer({ min: 1, max: 2 }), after: fc.integer({ min: 0, max: 20 }) }),
    { maxLength: 3 },
  ),
  /** Whether each deliverer may die. */
  deliverers: fc.array(fc.boolean(), { minLength: 2, maxLength: 4 }),
  /** Seconds that pass at a moment of the scheduler's choice. */
  waits: fc.array(fc.constantFrom(11, 70, 100, 200), { maxLength: 4 }),
  /** What the receiver answers now, before it works for good. */
  answers: fc.array(fc.constantFrom(200, 200, 200, 503), { maxLength: 8 }),
  /** After how many turns the customer asks for all that is undelivered, or wakes it; if at all. */
  asks: fc.option(fc.integer({ min: 0, max: 16 }), { nil: undefined }),
  patches: fc.option(fc.integer({ min: 0, max: 16 }), { nil: undefined }),
  /** Which of the writes to the delivery's row have their answers lost. */
  lostAnswers: fc.uniqueArray(fc.integer({ min: 0, max: 15 }), { maxLength: 3 }),
})
type Life = typeof Life extends fc.Arbitrary<infer Value> ? Value : never

fakeTime()

test("whoever dies and however often it fails: all is taken in the end, in order, and only repeated whole", async () => {
  const property = fc.asyncProperty(fc.scheduler(), Life, live)
  await expect(fc.assert(property, { numRuns: 40 })).resolves.toBeUndefined()
}, 120_000)

async function live(scheduler: fc.Scheduler, life: Life): Promise<void> {
  await forgetDoorbells()
  let isDown = true
  const answers = [...life.answers]
  const taken = new Set<Arrival>()
  const receiver = await aReceiver([], (arrival) => {
    const answer = isDown ? 404 : (answers.shift() ?? 200)
    if (answer === 200) taken.add(arrival)
    return answer
  })
  const bridge = await aBridge(receiver.urlOf("old"))
  const id = Delivery.first(bridge.id)
  const outbox = await anOutbox(bridge)
  const written = await outbox.append(...Array.from({ length: life.lost }, () => anEvent()))
  await answerAll()
  expect(taken.size).toBe(0)
  isDown = false

  const produce = async () => {
    for (const commit of life.commits) {
      await after(commit.after)
      written.push(...(await outbox.write(...Array.from({ length: commit.count }, () => anEvent()))))
      await promiseAndRing(bridge.id)
    }
  }
  const answerOne = async () => {
    await turn("comes")
    await ringOverdue()
    const rings = (await aDoorbell()) !== undefined
    await forgetDoorbells()
    if (rings) await deliver(id)
  }
  const finds = loseAnswers(bridge.id, life.lostAnswers)
  const { asks, patches } = life
  await giveTurns(scheduler, [
    inTurns(scheduler, "producer", produce),
    ...life.deliverers.map((dies, i) => inTurns(scheduler, `deliverer ${i}`, answerOne, { mayDie: dies })),
    ...life.waits.map((seconds) =>
      scheduler.schedule(Promise.resolve(), `${seconds} s pass`).then(() => pass(seconds)),
    ),
    ...(asks === undefined ? [] : [inTurns(scheduler, "asks", () => ask(id, asks))]),
    ...(patches === undefined ? [] : [inTurns(scheduler, "wakes", () => wake(id, patches))]),
  ])
  finds()
  await comeToRest(id)
  expect(await outbox.states()).toEqual(written.map(() => "delivered"))
  expectInOrder(
    receiver.arrivals.filter((arrival) => taken.has(arrival)),
    written,
    asks !== undefined,
  )
  expect(await Delivery.get(id)).toMatchObject({ head: written.length, due: 0, givenUp: 0, resend: [] })
}

async function ask(id: Receiver.Id, turns: number): Promise<void> {
  await after(turns)
  await Resend.askSpan(id, { since: 0 })
}

async function wake(id: Receiver.Id, turns: number): Promise<void> {
  await after(turns)
  await tryNow(id)
}

/** The receiver works from now on: the sweep finds all that is left. */
async function comeToRest(id: Receiver.Id): Promise<void> {
  const isLeft = async () => {
    const { due, healing } = (await Delivery.get(id))!
    return due !== 0 || healing !== undefined
  }
  await answerAll()
  for (let looks = 0; (await isLeft()) && looks < 30; looks++) {
    pass(Delivery.claimedFor() + Delivery.allowedLateness() + 1)
    await ringOverdue()
    await answerAll()
  }
  expect(await isLeft()).toBe(false)
}

const isAgain = ({ headers }: Arrival) => headers["x-webhook-resend"] === "true"

/** What was taken in its turn came in order; so did what was sent again, with the same bytes. */
function expectInOrder(taken: Arrival[], written: string[], isAsked: boolean): void {
  const { again = [], inTurn = [] } = Object.groupBy(taken, (one) => (isAgain(one) ? "again" : "inTurn"))
  for (const some of isAsked ? [inTurn] : [inTurn, again]) {
    const places = some.map(({ eventId }) => written.indexOf(eventId))
    expect(places).toEqual(places.toSorted((a, b) => a - b))
  }
  for (const all of Map.groupBy(taken, ({ eventId }) => eventId).values())
    expect(new Set(all.map(({ body }) => body.toString())).size).toBe(1)
}
