import { afterEach, expect, test, vi } from "vitest"
import { Bridge } from "#core/bridge/bridge.ts"
import { AttemptLog } from "#core/event/attempt-log.ts"
import { Claim } from "#core/event/claim.ts"
import { DeliveryReport } from "#core/event/delivery-report.ts"
import { Delivery } from "#core/event/delivery.ts"
import { promiseAndRing } from "#core/event/doorbell.ts"
import { EventLists } from "#core/event/event-lists.ts"
import { EventRow } from "#core/event/event-row.ts"
import { Resend } from "#core/event/resend.ts"
import { tables } from "#core/store/tables.ts"
import { rowsOf } from "#test/support/rows-of.ts"
import { aBridgeWithoutHealing } from "#test/support/service/bridge.ts"
import { aReceiver } from "#test/support/service/receiver.ts"
import {
  aDoorbell,
  allOverdue,
  anEvent,
  anOutbox,
  answerAll,
  forgetDoorbells,
  pass,
} from "#test/support/session/events-and-doorbells.ts"
import { dynamoDb } from "#test/support/store.ts"
import { until } from "#test/support/until.ts"

afterEach(async () => {
  vi.useRealTimers()
  await forgetDoorbells()
})

/** A bridge whose events `a`, `b`, `c` have ended as the script says. */
async function delivered(script: Parameters<typeof aReceiver>[0] = []) {
  const receiver = await aReceiver(script)
  const bridge = await aBridgeWithoutHealing(receiver.url)
  const outbox = await anOutbox(bridge)
  const ids = await outbox.append(...["a", "b", "c"].map(anEvent))
  await answerAll()
  return { receiver, bridge, outbox, ids, row: () => Delivery.get(Delivery.first(bridge.id)) }
}

test("an undelivered event is sent once more: same id and bytes, signed anew, marked, and then delivered", async () => {
  const { receiver, bridge, outbox, ids, row } = await delivered([200, 400])
  expect(await outbox.states()).toEqual(["delivered", "undelivered", "delivered"])
  expect(await Resend.ask(Delivery.first(bridge.id), 2)).toBe("noted")
  expect(await answerAll()).toBe(1)

  const [, first, , again] = receiver.arrivals
  expect(receiver.arrivals).toHaveLength(4)
  expect(again).toMatchObject({ eventId: ids[1], attempt: 1, body: first!.body })
  expect(again!.headers["x-webhook-resend"]).toBe("true")
  expect(first!.headers["x-webhook-resend"]).toBeUndefined()
  expect(await outbox.states()).toEqual(["delivered", "delivered", "delivered"])
  expect(await row()).toMatchObject({ head: 3, due: 0, holder: "", resend: [], resendAttempt: 0 })
  expect(await AttemptLog.latest(Delivery.first(bridge.id))).toMatchObject([
    { event_id: ids[1], success: true },
    {},
    {},
    {},
  ])
})

test("an event sent again successfully is listed no more, nor its pointer kept; one that failed again is", async () => {
  const { bridge, outbox } = await delivered([400, 400, 200, 200, 500])
  const listed = async () =>
    (await EventLists.page(Delivery.first(bridge.id), { state: "undelivered", after: 0, limit: 10 })).map(
      ({ n }) => n,
    )
  expect(await listed()).toEqual([1, 2])
  await Resend.ask(Delivery.first(bridge.id), 1)
  await Resend.ask(Delivery.first(bridge.id), 2)
  await answerAll()
  expect(await listed()).toEqual([2])
  expect(await outbox.states()).toEqual(["delivered", "undelivered", "delivered"])
  const pointers = await rowsOf(tables.events, bridge.id, "STATE#")
  expect(pointers.map(({ n }) => n)).toEqual([2])
})

/** What a delivery said of the events that were given up before it. */
function toldAt({ headers }: { headers: Record<string, unknown> }): number | undefined {
  const told = headers["x-webhook-undelivered"]
  expect(headers["x-webhook-undelivered-since"] === undefined).toBe(told === undefined)
  return told === undefined ? undefined : Number(told)
}

test("the next delivery says how many events were given up, without those that were sent again", async () => {
  const { receiver, bridge, outbox, row } = await delivered([400, 400, 400, 200])
  await Resend.ask(Delivery.first(bridge.id), 2)
  await answerAll()
  expect(await row()).toMatchObject({ givenUp: 2 })
  await outbox.append(anEvent("d"), anEvent("e"))
  await answerAll()
  expect(receiver.arrivals.map(toldAt)).toEqual([undefined, 1, 2, undefined, 2, undefined])
  const since = Number(receiver.arrivals[4]!.headers["x-webhook-undelivered-since"])
  expect(await Resend.askSpan(Delivery.first(bridge.id), { since })).toEqual({ count: 2 })
  expect(await row()).toMatchObject({ givenUp: 0, givenUpSince: undefined })
  const report = await DeliveryReport.ofEvent(
    bridge,
    (await Delivery.get(Delivery.first(bridge.id)))!,
    (await EventRow.get(bridge.id, 4))!,
  )
  expect(report.headers).toMatchObject({ "x-webhook-undelivered": "2" })
})

test("nothing is said once all that was given up was sent again", async () => {
  const { receiver, bridge, outbox } = await delivered([200, 200, 400])
  await Resend.ask(Delivery.first(bridge.id), 3)
  await answerAll()
  await outbox.append(anEvent("d"))
  await answerAll()
  expect(receiver.arrivals.map(toldAt)).toEqual(Array.from({ length: 5 }))
})

test("an older event that is sent again does not count against what was given up since", async () => {
  const { receiver, bridge, outbox } = await delivered([400, 200, 200, 400, 200])
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 60_000 })
  await outbox.append(anEvent("d"))
  await answerAll()
  await Resend.ask(Delivery.first(bridge.id), 1)
  await answerAll()
  await outbox.append(anEvent("e"))
  await answerAll()
  expect(receiver.arrivals.map(toldAt)).toEqual([undefined, 1, undefined, undefined, undefined, 1])
})

test("sending a delivered event once more writes nothing to it", async () => {
  const { receiver, bridge } = await delivered()
  const before = await EventRow.get(bridge.id, 2)
  await Resend.ask(Delivery.first(bridge.id), 2)
  await answerAll()
  expect(receiver.arrivals).toHaveLength(4)
  expect(await EventRow.get(bridge.id, 2)).toEqual(before)
})

test("it goes to the address of a PATCH that came while it waited, and so does the event after it", async () => {
  const { receiver, bridge, outbox } = await delivered()
  const next = await aReceiver()
  const more = await outbox.append(...["d", "e"].map(anEvent))
  await Resend.ask(Delivery.first(bridge.id), 1)
  receiver.say((response) => void Bridge.setWebhookUrl(bridge, next.url).then(() => response.end()))
  await answerAll()
  expect(receiver.arrivals.slice(3).map(({ eventId }) => eventId)).toEqual([more[0]])
  expect(next.arrivals.map(({ eventId }) => eventId)).toEqual([receiver.arrivals[0]!.eventId, more[1]])
})

test("it gets one attempt, whatever the receiver says", async () => {
  const { receiver, bridge, outbox, row } = await delivered([200, 400, 200, 500, 500])
  await Resend.ask(Delivery.first(bridge.id), 2)
  await answerAll()
  await Resend.ask(Delivery.first(bridge.id), 2)
  await answerAll()
  expect(receiver.arrivals).toHaveLength(5)
  expect(await outbox.states()).toEqual(["delivered", "undelivered", "delivered"])
  expect(await row()).toMatchObject({ due: 0, resend: [] })
})

test("one whose first attempt is under way is sent again behind it; one that still waits is sent in turn", async () => {
  const { receiver, bridge, outbox } = await delivered()
  const more = await outbox.write(...["d", "e"].map(anEvent))
  const said: string[] = []
  receiver.say((response) => {
    const asked = [4, 5].map(async (n) => said.push(await Resend.ask(Delivery.first(bridge.id), n)))
    void Promise.all(asked).then(() => response.end())
  })
  await promiseAndRing(bridge.id)
  await answerAll()
  expect(said.toSorted()).toEqual(["noted", "waits"])
  expect(receiver.arrivals.slice(3).map(({ eventId }) => eventId)).toEqual([more[0], more[0], more[1]])
  expect(receiver.arrivals.map(({ headers }) => headers["x-webhook-resend"]).slice(3)).toEqual([
    undefined,
    "true",
    undefined,
  ])
})

test("among waiting events it is taken up between two, still one at a time", async () => {
  const { receiver, bridge, outbox, ids } = await delivered()
  const more = await outbox.append(...["d", "e"].map(anEvent))
  // While events wait, no doorbell is needed.
  await Resend.ask(Delivery.first(bridge.id), 1)
  expect(await answerAll()).toBe(1)
  expect(receiver.arrivals.slice(3).map(({ eventId }) => eventId)).toEqual([more[0], ids[0], more[1]])
})

test("a failing event keeps its turn: resends wait until it is through", async () => {
  vi.useFakeTimers({ toFake: ["Date"] })
  const { receiver, bridge, outbox, ids } = await delivered([200, 200, 200, 500])
  const [failing] = await outbox.append(anEvent("d"))
  await Resend.ask(Delivery.first(bridge.id), 1)
  await answerAll()
  expect(receiver.arrivals.slice(3).map(({ eventId }) => eventId)).toEqual([failing])
  vi.setSystemTime(Date.now() + 11_000)
  await answerAll()
  expect(receiver.arrivals.slice(3).map(({ eventId }) => eventId)).toEqual([failing, failing, ids[0]])
})

test("one that is asked for while the deliverer goes idle is not forgotten", async () => {
  const { receiver, bridge, outbox } = await delivered()
  await outbox.append(anEvent("d"))
  let asked = false
  const restore = dynamoDb.faults.add({
    fault: "slow",
    operation: "TransactWriteItems",
    when: (request) => {
      const idles = JSON.stringify(request).includes("attribute_not_exists(pk)")
      if (idles && !asked) {
        asked = true
        void Resend.ask(Delivery.first(bridge.id), 1)
      }
      return idles
    },
    ms: 500,
    times: 1,
  })
  await answerAll()
  restore()
  await until(async () => {
    await answerAll()
    return receiver.arrivals.length >= 5
  })
  expect(receiver.arrivals).toHaveLength(5)
})

test("requested by a process that died before it rang, it is found by the promise that was left", async () => {
  vi.useFakeTimers({ toFake: ["Date"] })
  const { bridge, row } = await delivered()
  await Resend.ask(Delivery.first(bridge.id), 1)
  const doorbell = await aDoorbell()
  expect(doorbell).toBeDefined()
  // The doorbell is lost: only the row is left, and it is due.
  await forgetDoorbells()
  const { due } = (await row())!
  expect(due).toBeGreaterThan(Date.now() / 1000)
  vi.setSystemTime((due + 61) * 1000)
  const late = await allOverdue()
  expect(late.map(({ bridgeId }) => bridgeId)).toContain(bridge.id)
})

test("a receiver whose answer kills the deliverer does not block the bridge: three attempts, then the next", async () => {
  vi.useFakeTimers({ toFake: ["Date"] })
  const { receiver, bridge, row } = await delivered()
  await Resend.ask(Delivery.first(bridge.id), 1)
  for (let deaths = 1; deaths <= 3; deaths++) {
    // Free, and not early.
    const held = (await Claim.acquire(Delivery.first(bridge.id), `dies ${deaths}`)) as Delivery.Info
    expect((await Resend.countAttempt(held))?.resendAttempt).toBe(deaths)
    vi.setSystemTime(Date.now() + 91_000)
  }
  const doorbell = await aDoorbell()
  expect(await pass(doorbell!)).toBe("deleted")
  expect(receiver.arrivals).toHaveLength(3)
  expect(await row()).toMatchObject({ due: 0, resend: [], resendAttempt: 0 })
})

test("at most a hundred wait", async () => {
  const { bridge, row } = await delivered()
  for (let i = 0; i < 100; i++) expect(await Resend.ask(Delivery.first(bridge.id), 1)).toBe("noted")
  expect(await Resend.ask(Delivery.first(bridge.id), 1)).toBe("full")
  expect((await row())?.resend).toHaveLength(100)
})

test("for a hosted inbox, and for an event that is gone, nothing is sent and nothing blocks", async () => {
  const { receiver, bridge, row } = await delivered()
  await Resend.ask(Delivery.first(bridge.id), 99)
  await Resend.ask(Delivery.first(bridge.id), 1)
  await answerAll()
  expect(receiver.arrivals).toHaveLength(4)
  await Bridge.setWebhookUrl(bridge, "")
  await Resend.ask(Delivery.first(bridge.id), 1)
  await answerAll()
  expect(receiver.arrivals).toHaveLength(4)
  expect(await row()).toMatchObject({ due: 0, resend: [] })
})
