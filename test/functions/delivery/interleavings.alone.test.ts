import * as fc from "fast-check"
import { afterEach, expect, test } from "vitest"
import { Bridge } from "#core/bridge/bridge.ts"
import { WebhookSecret } from "#core/bridge/webhook-secret.ts"
import { Webhook } from "#core/bridge/webhook.ts"
import { ApiError } from "#core/error.ts"
import { Delivery } from "#core/event/delivery.ts"
import { promiseAndRing, ringAnew, ringUnlessDue } from "#core/event/doorbell.ts"
import { EventLists } from "#core/event/event-lists.ts"
import { EventRow } from "#core/event/event-row.ts"
import { Resend } from "#core/event/resend.ts"
import { retryEvent, skipEvent } from "#core/event/retry-and-skip.ts"
import { store } from "#core/store/store.ts"
import { deliver } from "#functions/delivery/deliver.ts"
import { ringAll, ringOverdue } from "#functions/sweep/bells.ts"
import { after, fakeTime, loseAnswers, pass } from "#test/support/faked-lives.ts"
import { giveTurns, inTurns, turn } from "#test/support/interleaved.ts"
import { aBridge } from "#test/support/service/bridge.ts"
import { aReceiver } from "#test/support/service/receiver.ts"
import { isGenuine } from "#test/support/service/start-receiver.ts"
import {
  aDoorbell,
  anEvent,
  anOutbox,
  answerAll,
  forgetDoorbells,
} from "#test/support/session/events-and-doorbells.ts"
import { wrapClientCalls } from "#test/support/wrap-client-calls.ts"

const Anybody = fc.record({
  /** How many events the producer commits at once, and after how many turns of the others. */
  commits: fc.array(
    fc.record({ count: fc.integer({ min: 1, max: 3 }), after: fc.integer({ min: 0, max: 12 }) }),
    { maxLength: 3 },
  ),
  /** Whether the rows of a commit show one by one, the last one first, to a reader outside a transaction. */
  halfVisible: fc.boolean(),
  producerDies: fc.boolean(),
  /** The deliverers that answer doorbells, and whether each may die. */
  deliverers: fc.array(fc.boolean(), { minLength: 2, maxLength: 4 }),
  /** Whether the queue may hand out a doorbell twice. */
  bellsTwice: fc.boolean(),
  /**
   * Seconds that pass at a moment of the scheduler's choice: claims end, and a party that stood still goes
   * on.
   */
  waits: fc.array(fc.constantFrom(1, 50, 100, 200), { maxLength: 3 }),
  answers: fc.array(fc.constantFrom(200, 200, 500), { maxLength: 4 }),
  /** After how many turns of the others the customer sets another URL, if at all. */
  patches: fc.option(fc.integer({ min: 0, max: 12 }), { nil: undefined }),
  /** The same for the customer's resend of the first event. */
  resends: fc.option(fc.integer({ min: 0, max: 16 }), { nil: undefined }),
  /** The same for a retry of the event whose turn it is, for giving it up, and for a new webhook secret. */
  retries: fc.option(fc.integer({ min: 2, max: 20 }), { nil: undefined }),
  skips: fc.option(fc.integer({ min: 2, max: 20 }), { nil: undefined }),
  rolls: fc.option(fc.integer({ min: 0, max: 12 }), { nil: undefined }),
  /** Whether the customer's calls may die. */
  callsDie: fc.boolean(),
  /** Whether the whole service ends as on one machine, with its queue, and is started again. */
  restarts: fc.boolean(),
  /**
   * Whether the process of the store rings, as on one machine: then hosts promise nothing, and all die with
   * it.
   */
  storeRings: fc.boolean(),
  /** Which of the writes to the delivery row have their answers lost. */
  lostAnswers: fc.uniqueArray(fc.integer({ min: 0, max: 11 }), { maxLength: 3 }),
})
const Life = Anybody.map((life) =>
  life.storeRings ? { ...life, producerDies: false, deliverers: life.deliverers.map(() => false) } : life,
)
type Life = typeof Life extends fc.Arbitrary<infer Value> ? Value : never
type Receiver = Awaited<ReturnType<typeof aReceiver>>
type Arrival = Receiver["arrivals"][number]

/** Only a host dies, and another one follows it. */
const Calm = Life.map((life) => ({
  ...life,
  deliverers: life.deliverers.map(() => false),
  waits: life.waits.slice(0, 1).filter((seconds) => seconds < Delivery.claimedFor()),
  callsDie: false,
  restarts: false,
}))

/** A last event, at about the time when the one before is delivered. */
const Race = Life.map((life) => ({
  ...life,
  commits: life.commits.slice(0, 1),
  producerDies: false,
  deliverers: [false],
  waits: [],
  answers: [],
  patches: undefined,
  resends: undefined,
  retries: undefined,
  skips: undefined,
  rolls: undefined,
  restarts: false,
  lostAnswers: [],
}))

/** Whether going idle looks once more in the same transaction. Without that, the checks below must notice. */
let looksOnceMore = true
wrapClientCalls(store, (command, go) => {
  const { input } = command
  if (!looksOnceMore && input.TransactItems)
    input.TransactItems = input.TransactItems.filter(
      ({ ConditionCheck }) => !isOfEvent(ConditionCheck?.Key?.sk),
    )
  return go()
})
const isOfEvent = (sk: unknown) => String(sk).startsWith("EVENT#")

fakeTime()
afterEach(() => {
  looksOnceMore = true
})

test("whoever dies, stalls, moves, retries, skips or rolls: each event comes in order, each attempt once", async () => {
  const property = lives(await aReceiver())
  await expect(fc.assert(property, { numRuns: 30 })).resolves.toBeUndefined()
}, 120_000)

test("as long as only hosts die, no event waits for the sweep, and a first attempt is the first", async () => {
  const property = lives(await aReceiver(), Calm)
  await expect(fc.assert(property, { numRuns: 30 })).resolves.toBeUndefined()
}, 120_000)

test("without the second look of a deliverer that goes idle the same is noticed to be broken", async () => {
  looksOnceMore = false
  const property = lives(await aReceiver(), Race)
  const { failed } = await fc.check(property, { numRuns: 1000, endOnFailure: true })
  expect(failed).toBe(true)
}, 120_000)

test("an event that its receiver just took is sent again when asked for, whenever its outcome is written", async () => {
  const receiver = await aReceiver()
  const property = fc.asyncProperty(fc.scheduler(), fc.integer({ min: 1, max: 3 }), (scheduler, events) =>
    resendAtOnce(scheduler, events, receiver),
  )
  await expect(fc.assert(property, { numRuns: 40 })).resolves.toBeUndefined()
}, 120_000)

async function resendAtOnce(scheduler: fc.Scheduler, events: number, receiver: Receiver): Promise<void> {
  const bridge = await aBridge(receiver.url)
  const outbox = await anOutbox(bridge)
  const from = receiver.arrivals.length
  const ids = await outbox.append(...Array.from({ length: events }, () => anEvent()))
  const ask = async () => {
    while (receiver.arrivals.length === from) await turn("waits for the event")
    expect(await Resend.ask(Delivery.first(bridge.id), (await EventLists.find(bridge.id, ids[0]!))!.n)).toBe(
      "noted",
    )
  }
  const deliverAll = async () => void (await deliver(Delivery.first(bridge.id)))
  await giveTurns(scheduler, [
    inTurns(scheduler, "customer", ask),
    inTurns(scheduler, "deliverer", deliverAll),
  ])
  // The doorbell of a resend that was asked for after the last look.
  await deliverAll()
  const again = receiver.arrivals.slice(from).filter(({ headers }) => headers["x-webhook-resend"] === "true")
  expect(again.map(({ eventId }) => eventId)).toEqual([ids[0]])
}

function lives(receiver: Receiver, of: fc.Arbitrary<Life> = Life) {
  return fc.asyncProperty(fc.scheduler(), of, (scheduler, life) => live(scheduler, life, receiver))
}

async function live(scheduler: fc.Scheduler, life: Life, receiver: Receiver): Promise<void> {
  await forgetDoorbells()
  const bridge = await aBridge(receiver.urlOf("old"))
  const outbox = await anOutbox(bridge)
  const from = receiver.arrivals.length
  receiver.say(...life.answers)
  // Something waits from the beginning; otherwise most doorbells would be answered before there was anything.
  const written = await outbox.append(anEvent())
  const produce = async () => {
    for (const commit of life.commits) {
      await after(commit.after)
      written.push(...(await outbox.write(...Array.from({ length: commit.count }, () => anEvent()))))
      await (life.storeRings ? ringUnlessDue : promiseAndRing)(bridge.id)
    }
  }
  const secrets = [(await WebhookSecret.ofBridge(bridge.id)).secrets[0]]
  /** Whether a doorbell is in the queue that will ring when a failed event may be tried again. */
  let rests = false
  /** Answers all doorbells that ring by now. */
  const answerOne = async () => {
    await turn("comes")
    const rings = (await aDoorbell()) !== undefined
    await forgetDoorbells()
    if (!rings && !life.bellsTwice) return
    if ((await deliver(Delivery.first(bridge.id))) !== undefined) rests = true
  }
  const finds = loseAnswers(bridge.id, life.lostAnswers)
  const { restarts } = life
  const customer = customerOf(bridge, receiver)
  const parties = [
    inTurns(scheduler, "producer", produce, {
      mayDie: life.producerDies || restarts,
      halfVisible: life.halfVisible,
    }),
    ...customer.calls(scheduler, life),
    ...life.deliverers.map((dies, i) =>
      inTurns(scheduler, `deliverer ${i}`, answerOne, { mayDie: dies || restarts }),
    ),
    ...life.waits.map((seconds) =>
      scheduler.schedule(Promise.resolve(), `${seconds} s pass`).then(() => pass(seconds)),
    ),
  ]
  await giveTurns(scheduler, parties)
  finds()

  await comeToRest(bridge.id, life, rests)
  secrets.push((await WebhookSecret.ofBridge(bridge.id)).secrets[0])
  const arrivals = receiver.arrivals.slice(from)
  await expectAllDelivered(bridge.id, life, { arrivals, written, skipped: customer.skipped, secrets })
  // A deliverer that had counted an attempt when the PATCH was answered may still make it.
  const late = receiver.arrivals.slice(customer.patchedAt()).filter(({ bridge: to }) => to === "old")
  expect(late.length).toBeLessThanOrEqual(life.deliverers.length)
}

/** What the bridge's customer does meanwhile, each after so many turns of the others. */
function customerOf(bridge: Bridge.Info, receiver: Receiver) {
  let patchedAt = Infinity
  const patch = async (turns: number) => {
    await after(turns)
    await Bridge.setWebhookUrl(bridge, receiver.urlOf("new"))
    patchedAt = receiver.arrivals.length
  }
  const askAgain = async (turns: number) => {
    await after(turns)
    await Resend.ask(Delivery.first(bridge.id), 1)
  }
  const head = async () =>
    await EventRow.get(bridge.id, (await Delivery.get(Delivery.first(bridge.id)))!.head + 1)
  const retry = async (turns: number) => {
    await after(turns)
    const event = await head()
    if (event) await retryEvent(Delivery.first(bridge.id), event).catch(unlessNotWaiting)
  }
  const skipped: string[] = []
  const skip = async (turns: number) => {
    await after(turns)
    const event = await head()
    if (!event) return
    skipped.push(event.eventId)
    await skipEvent(Delivery.first(bridge.id), event, { withinMs: 0 }).catch(unlessNotWaiting)
  }
  const roll = async (turns: number) => {
    await after(turns)
    await WebhookSecret.roll(await Webhook.get(bridge, "first"))
  }
  return {
    calls(scheduler: fc.Scheduler, life: Life): Promise<void>[] {
      const { patches, resends, retries, skips, rolls } = life
      const dying = { mayDie: life.callsDie || life.restarts }
      return [
        ...(patches === undefined ? [] : [inTurns(scheduler, "PATCH", () => patch(patches))]),
        ...(resends === undefined ? [] : [inTurns(scheduler, "resend", () => askAgain(resends), dying)]),
        ...(retries === undefined ? [] : [inTurns(scheduler, "retry", () => retry(retries), dying)]),
        ...(skips === undefined ? [] : [inTurns(scheduler, "skip", () => skip(skips), dying)]),
        ...(rolls === undefined ? [] : [inTurns(scheduler, "roll", () => roll(rolls), dying)]),
      ]
    },
    /** The events that they have tried to give up. */
    skipped,
    /** How many requests had arrived when the other URL was set. */
    patchedAt: () => patchedAt,
  }
}

/** No deliverer died or stood still for long. */
function isCalm(life: Life): boolean {
  return !life.deliverers.includes(true) && seconds(life.waits) < Delivery.claimedFor()
}

/** All parties are gone: what is left is delivered by those that come after them. */
async function comeToRest(bridgeId: string, life: Life, rests: boolean): Promise<void> {
  const { restarts } = life
  const waiting = async () => (await Delivery.get(Delivery.first(bridgeId)))!.due !== 0
  if (restarts) {
    await forgetDoorbells()
    await ringAll()
  }
  // The bridge's next owner rings for what a dead one left.
  if (life.producerDies || (restarts && !life.storeRings)) await ringAnew(bridgeId)
  const isPromiseKept = restarts || (isCalm(life) && !life.callsDie)
  // The queue of one machine lives as long as the process that rings.
  if (isPromiseKept || life.storeRings) await answerRest(bridgeId, rests && !restarts)
  if (isPromiseKept) expect(await waiting()).toBe(false)
  // The sweep finds what is left, minutes later.
  for (let looks = 0; (await waiting()) && looks < 20; looks++) {
    pass(Delivery.claimedFor() + Delivery.allowedLateness() + 1)
    await ringOverdue()
    await answerAll()
  }
}

interface Past {
  arrivals: Arrival[]
  written: string[]
  skipped: string[]
  secrets: string[]
}

async function expectAllDelivered(bridgeId: string, life: Life, past: Past): Promise<void> {
  const posted = past.arrivals.filter(({ headers }) => headers["x-webhook-resend"] === undefined)
  const count = expectInOrder(posted, past.written, past.skipped)
  // Time may pass while a POST is under way, whose deliverer may have died: it is as old as its signature.
  const isOurs = ({ body, headers }: Arrival) => {
    const signature = String(headers["x-webhook-signature"])
    const signedAt = Number(/^t=(\d+)/.exec(signature)?.[1])
    return past.secrets.some((secret) => isGenuine(body, signature, secret, signedAt))
  }
  expect(past.arrivals.filter((arrival) => !isOurs(arrival))).toEqual([])
  expect(await Delivery.get(Delivery.first(bridgeId))).toMatchObject({
    head: count,
    due: 0,
    attempt: 0,
    resend: [],
  })
  expectEachAttemptOnce(posted)
  if (isCalm(life) && !life.restarts) expectFirstsToBeFirst(posted)
}

/** Answers the doorbells that ring, and the one that rests, without a sweep. */
async function answerRest(bridgeId: string, rests: boolean): Promise<void> {
  for (;;) {
    await answerAll()
    const waitMs = Delivery.waitMs((await Delivery.get(Delivery.first(bridgeId)))!)
    if (waitMs === 0 && !rests) return
    pass(waitMs / 1000)
    rests = (await deliver(Delivery.first(bridgeId))) !== undefined
  }
}

function seconds(waits: number[]): number {
  return waits.reduce((sum, wait) => sum + wait, 0)
}

function unlessNotWaiting(error: unknown): void {
  if (!(error instanceof ApiError && error.code === "not_waiting")) throw error
}

/** @returns how many events came, or were given up. */
function expectInOrder(posted: Arrival[], written: string[], skipped: string[]): number {
  const firsts = [...new Set(posted.map(({ eventId }) => eventId))]
  // An event that was given up before its first attempt never came.
  const due = written.filter((eventId) => firsts.includes(eventId) || !skipped.includes(eventId))
  expect(firsts.slice(0, due.length)).toEqual(due)
  let newest = 0
  for (const { eventId } of posted) {
    const at = firsts.indexOf(eventId)
    expect(at).toBeGreaterThanOrEqual(newest)
    newest = Math.max(newest, at)
  }
  // There may be more if a dead producer wrote them but did not live to count them.
  return new Set([...firsts, ...skipped]).size
}

function expectEachAttemptOnce(posted: Arrival[]) {
  const attempts = posted.map(({ eventId, attempt }) => `${eventId} ${attempt}`)
  expect(attempts).toEqual([...new Set(attempts)])
}

/** No deliverer died or stood still, so every attempt that was counted was made. */
function expectFirstsToBeFirst(posted: Arrival[]) {
  const firsts = new Map(posted.toReversed().map(({ eventId, attempt }) => [eventId, attempt]))
  expect([...firsts.values()].filter((attempt) => attempt !== 1)).toEqual([])
}
