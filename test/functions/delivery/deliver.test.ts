import type { ServerResponse } from "node:http"
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest"
import { Bridge } from "#core/bridge/bridge.ts"
import { AttemptLog } from "#core/event/attempt-log.ts"
import { Claim } from "#core/event/claim.ts"
import { Delivery } from "#core/event/delivery.ts"
import { askWhetherDoubted, isClockDoubted } from "#core/platform/clock.ts"
import { config } from "#core/platform/config.ts"
import { logOutput } from "#core/platform/log.ts"
import { Metrics } from "#core/platform/metrics.ts"
import { deliver } from "#functions/delivery/deliver.ts"
import { aBridge, aBridgeWithoutHealing } from "#test/support/service/bridge.ts"
import { aReceiver } from "#test/support/service/receiver.ts"
import type { Receiver } from "#test/support/service/start-receiver.ts"
import {
  aDoorbell,
  anEvent,
  anOutbox,
  answerAll,
  forgetDoorbells,
  pass,
} from "#test/support/session/events-and-doorbells.ts"
import { dynamoDb } from "#test/support/store.ts"

/** The clocks of the store and the queue follow this one, too: hours pass at once. */
beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }))
afterEach(async () => {
  vi.useRealTimers()
  await forgetDoorbells()
})

function later(seconds: number) {
  vi.setSystemTime(Date.now() + seconds * 1000)
}

async function aDelivery(script: Parameters<typeof aReceiver>[0] = []) {
  const receiver = await aReceiver(script)
  const bridge = await aBridgeWithoutHealing(receiver.url)
  return {
    receiver,
    bridge,
    outbox: await anOutbox(bridge),
    row: () => Delivery.get(Delivery.first(bridge.id)),
  }
}

/** Dies during a delivery. Its claim and its doorbell stay, and its POST is recorded nowhere. */
async function die(receiver: Receiver, count: number) {
  const restore = dynamoDb.faults.add({
    fault: "lost-request",
    operation: "UpdateItem",
    when: (request) => JSON.stringify(request).includes("SET head"),
  })
  const doorbell = await aDoorbell()
  const dying = pass(doorbell!)
  await receiver.atLeast(count)
  // It waits 10 s for the store, then gives up without having written.
  expect(await dying).toBe("kept")
  restore()
}

/** Measures from now on as on AWS. @returns what has been measured since, as it is written. */
function measure(): () => string {
  Object.assign(config, { METRICS_SERVICE: "delivery" })
  const written = vi.spyOn(logOutput, "write")
  onTestFinished(() => {
    Object.assign(config, { METRICS_SERVICE: undefined })
    written.mockRestore()
  })
  return () => {
    Metrics.flush()
    const told = written.mock.calls.map(([line]) => line).join("")
    written.mockClear()
    return told
  }
}

/** No delivery can be claimed. @returns a function that ends it. */
function storeIsAway(): () => void {
  return dynamoDb.faults.add({
    fault: "denied",
    operation: "UpdateItem",
    when: (request) => JSON.stringify(request).includes("SET holder = :me"),
  })
}

describe("a doorbell that comes while the store is away", () => {
  test("comes again after 30 s, and then is answered", async () => {
    const { receiver, outbox, bridge } = await aDelivery()
    await outbox.append(anEvent())
    const isBack = storeIsAway()
    onTestFinished(isBack)
    expect(await pass((await aDoorbell())!)).toBe("kept")
    isBack()
    expect(await aDoorbell()).toBeUndefined()
    later(31)
    await answerAll()
    await receiver.atLeast(1)
    expect(await Delivery.get(Delivery.first(bridge.id))).toMatchObject({ head: 1, due: 0 })
  })

  test("is measured, so that the operator is told within minutes", async () => {
    const { outbox } = await aDelivery()
    await outbox.append(anEvent())
    onTestFinished(storeIsAway())
    const measured = measure()
    await pass((await aDoorbell())!)
    expect(measured()).toContain('"DoorbellUnanswered":[1]')
  })

  test("comes again when its visibility ends, once it has come thirty times: fifty would count as our fault", async () => {
    const { receiver, outbox } = await aDelivery()
    await outbox.append(anEvent())
    const isBack = storeIsAway()
    onTestFinished(isBack)
    for (let received = 0; received < 30; received++) {
      expect(await pass((await aDoorbell())!)).toBe("kept")
      later(31)
    }
    expect(await pass((await aDoorbell())!)).toBe("kept")
    isBack()
    later(31)
    expect(await aDoorbell()).toBeUndefined()
    later(90)
    await answerAll()
    await receiver.atLeast(1)
  })
})

describe("a receiver in order", () => {
  test("gets each event once, in order, never two at a time, with the very bytes that were stored", async () => {
    let open = 0
    let atOnce = 0
    const answer = (response: ServerResponse) => {
      atOnce = Math.max(atOnce, ++open)
      setImmediate(() => {
        open--
        response.end()
      })
    }
    const { receiver, outbox, row } = await aDelivery([answer, answer, answer, answer, answer])
    const events = ["a", "b", "c", "d", "e"].map(anEvent)
    const ids = await outbox.append(...events)
    await answerAll()
    expect(receiver.arrivals.map((one) => one.eventId)).toEqual(ids)
    expect(receiver.arrivals.map((one) => one.body.toString())).toEqual(
      events.map((event) => JSON.stringify(event)),
    )
    expect(receiver.arrivals.every((one) => one.attempt === 1 && one.method === "POST")).toBe(true)
    expect(atOnce).toBe(1)
    expect(await outbox.states()).toEqual(events.map(() => "delivered"))
    expect(await row()).toMatchObject({ head: 5, due: 0, holder: "" })
  })

  test("one doorbell serves a whole backlog, and each event that comes later rings anew", async () => {
    const { receiver, outbox } = await aDelivery()
    await outbox.append(...Array.from({ length: 20 }, () => anEvent()))
    await outbox.append(anEvent())
    expect(await answerAll()).toBe(1)
    expect(receiver.arrivals).toHaveLength(21)
    await outbox.append(anEvent())
    expect(await answerAll()).toBe(1)
    expect(receiver.arrivals).toHaveLength(22)
  })
})

describe("a receiver that fails", () => {
  test("is tried again after 10, 30, 60 and 180 s, same id and bytes, then never; the next event goes out", async () => {
    const { receiver, outbox, row } = await aDelivery([500, 503, 429, 599, 500])
    const [first, second] = await outbox.append(anEvent("first"), anEvent("second"))
    await answerAll()
    for (const wait of [10, 30, 60, 180]) {
      const before = receiver.arrivals.length
      later(wait - 1)
      await answerAll()
      expect(receiver.arrivals).toHaveLength(before)
      later(1.001)
      await answerAll()
      expect(receiver.arrivals.length).toBeGreaterThan(before)
    }
    const ofFirst = receiver.arrivals.slice(0, 5).filter((one) => one.eventId === first)
    expect(ofFirst.map((one) => one.attempt)).toEqual([1, 2, 3, 4, 5])
    expect(new Set(ofFirst.map((one) => one.body.toString())).size).toBe(1)
    expect(receiver.arrivals[5]).toMatchObject({ eventId: second, attempt: 1 })
    expect(receiver.arrivals).toHaveLength(6)
    expect(await outbox.states()).toEqual(["undelivered", "delivered"])
    expect(await row()).toMatchObject({ head: 2, due: 0, failures: 0 })
  })

  test("rings no alarm of ours: neither while it fails, nor for what waited until it recovered", async () => {
    const { receiver, outbox } = await aDelivery([400, 500, 200])
    const measured = measure()
    await outbox.append(anEvent())
    await answerAll()
    expect(measured()).toContain("EventOldestMs")
    later(1)
    await outbox.append(anEvent("waits"), anEvent("waits behind it"))
    await answerAll()
    later(200)
    await answerAll()
    expect(receiver.arrivals).toHaveLength(4)
    expect(measured()).not.toContain("EventOldestMs")
    later(1)
    await outbox.append(anEvent())
    await answerAll()
    expect(measured()).toContain("EventOldestMs")
  })

  test("for good is not tried again, and the next event goes out", async () => {
    const { receiver, outbox } = await aDelivery([400])
    await outbox.append(anEvent(), anEvent())
    await answerAll()
    expect(receiver.arrivals).toHaveLength(2)
    expect(await outbox.states()).toEqual(["undelivered", "delivered"])
  })

  test("with its Retry-After is tried again when we say", async () => {
    const { receiver, outbox } = await aDelivery([
      (response) => void response.writeHead(429, { "retry-after": "3600" }).end(),
    ])
    await outbox.append(anEvent())
    await answerAll()
    later(10.001)
    await answerAll()
    expect(receiver.arrivals).toHaveLength(2)
  })
})

describe("where events go", () => {
  test("without a URL they are kept in the hosted inbox, and stay there", async () => {
    const bridge = await aBridge()
    const outbox = await anOutbox(bridge)
    await outbox.append(anEvent(), anEvent())
    await answerAll()
    expect(await outbox.states()).toEqual(["inbox", "inbox"])
    const receiver = await aReceiver()
    await Bridge.setWebhookUrl(bridge, receiver.url)
    const [third] = await outbox.append(anEvent())
    await answerAll()
    expect(receiver.arrivals.map((one) => one.eventId)).toEqual([third])
    expect(await outbox.states()).toEqual(["inbox", "inbox", "delivered"])
    expect(await AttemptLog.latest(Delivery.first(bridge.id))).toHaveLength(1)
  })

  test("a changed URL gets what waits already, at once", async () => {
    const { receiver, outbox, bridge } = await aDelivery([500])
    const [id] = await outbox.append(anEvent())
    await answerAll()
    const next = await aReceiver()
    await Bridge.setWebhookUrl(bridge, next.url)
    await answerAll()
    expect(receiver.arrivals).toHaveLength(1)
    expect(next.arrivals).toMatchObject([{ eventId: id, attempt: 2 }])
  })

  test("a deleted bridge gets nothing, and nothing is left that could ring", async () => {
    const { receiver, outbox, bridge, row } = await aDelivery()
    await outbox.append(anEvent())
    await Bridge.remove(bridge)
    await answerAll()
    // A session that has not heard goes on.
    await outbox.append(anEvent())
    expect(await answerAll()).toBe(0)
    expect(receiver.arrivals).toHaveLength(0)
    expect(await row()).toBeUndefined()
  })
})

describe("an event that has waited for 30 days", () => {
  const days = 86_400

  test("is undelivered without a POST when its turn comes, and what is younger goes out", async () => {
    const { receiver, outbox } = await aDelivery()
    await outbox.write(anEvent("old"))
    later(2)
    const [young] = await outbox.write(anEvent("young"))
    later(30 * days - 1)
    const [last] = await outbox.append(anEvent("last"))
    await answerAll()
    expect(receiver.arrivals.map((one) => one.eventId)).toEqual([young, last])
    expect(await outbox.states()).toEqual(["undelivered", "delivered", "delivered"])
  })

  test("is posted all the same while the clock is doubted", async () => {
    onTestFinished(askWhetherDoubted(dynamoDb.isClockDoubted))
    expect(isClockDoubted()).toBe(false)
    const { receiver, outbox } = await aDelivery([503])
    await outbox.append(anEvent("first"), anEvent("second"))
    await answerAll()
    expect(await outbox.states()).toEqual(["pending", "pending"])
    later(31 * days)
    expect(isClockDoubted()).toBe(true)
    await outbox.append(anEvent("last"))
    await answerAll()
    expect(receiver.arrivals).toHaveLength(4)
    expect(await outbox.states()).toEqual(["delivered", "delivered", "delivered"])
  })

  test("without a URL is in the hosted inbox all the same", async () => {
    const outbox = await anOutbox(await aBridge())
    await outbox.write(anEvent("old"))
    later(31 * days)
    await outbox.append(anEvent("last"))
    await answerAll()
    expect(await outbox.states()).toEqual(["inbox", "inbox"])
  })
})

describe("two deliverers", () => {
  test("at once: one holds, the other has nothing to do", async () => {
    const { receiver, outbox, bridge } = await aDelivery()
    await outbox.append(anEvent(), anEvent(), anEvent())
    const results = await Promise.all(Array.from({ length: 5 }, () => deliver(Delivery.first(bridge.id))))
    expect(results).toEqual([undefined, undefined, undefined, undefined, undefined])
    expect(receiver.arrivals).toHaveLength(3)
    expect(await answerAll()).toBe(1)
    expect(receiver.arrivals).toHaveLength(3)
  })

  test("one stood still past its claim: it records nothing any more", async () => {
    const held: (() => void)[] = []
    const { receiver, outbox, bridge } = await aDelivery([
      (response) => void held.push(() => response.writeHead(400).end()),
    ])
    const [id] = await outbox.append(anEvent())
    const stalled = deliver(Delivery.first(bridge.id))
    await receiver.atLeast(1)
    later(91)
    await deliver(Delivery.first(bridge.id))
    expect(receiver.arrivals).toMatchObject([
      { eventId: id, attempt: 1 },
      { eventId: id, attempt: 2 },
    ])
    held[0]!()
    await stalled
    expect(await outbox.states()).toEqual(["delivered"])
    await answerAll()
  })
})

describe("a deliverer that dies", () => {
  test("between POST and record: the same id and bytes come again, numbered next, and no failure is counted", async () => {
    const { receiver, outbox, row } = await aDelivery()
    const [first, second] = await outbox.append(anEvent(), anEvent())
    await die(receiver, 1)
    expect(await row()).toMatchObject({ head: 0, attempt: 1, failures: 0 })
    await answerAll()
    expect(receiver.arrivals).toHaveLength(1)
    later(121)
    await answerAll()
    expect(receiver.arrivals.map((one) => [one.eventId, one.attempt])).toEqual([
      [first, 1],
      [first, 2],
      [second, 1],
    ])
    expect(receiver.arrivals[1]!.body).toEqual(receiver.arrivals[0]!.body)
  })

  test("costs no attempt: five failures are still recorded, with their waits, and the numbers go on", async () => {
    const { receiver, outbox, bridge } = await aDelivery([500, 500, 500, 500, 500])
    await outbox.append(anEvent())
    await Claim.acquire(Delivery.first(bridge.id), "dies")
    later(91)
    await answerAll()
    for (const wait of [10, 30, 60, 180]) {
      const before = receiver.arrivals.length
      later(wait - 1)
      await answerAll()
      expect(receiver.arrivals).toHaveLength(before)
      later(1.001)
      await answerAll()
      expect(receiver.arrivals).toHaveLength(before + 1)
    }
    expect(receiver.arrivals.map((one) => one.attempt)).toEqual([2, 3, 4, 5, 6])
    expect(await outbox.states()).toEqual(["undelivered"])
  })

  test("at each of ten attempts: the event is given up, and the next goes out", async () => {
    const { receiver, outbox, bridge } = await aDelivery()
    const [first, second] = await outbox.append(anEvent(), anEvent())
    for (let n = 1; n <= 10; n++) {
      expect(await Claim.acquire(Delivery.first(bridge.id), `dies-${n}`)).toMatchObject({ attempt: n })
      later(91)
    }
    await answerAll()
    expect(receiver.arrivals.map((one) => one.eventId)).toEqual([second])
    expect(first).not.toBe(second)
    expect(await outbox.states()).toEqual(["undelivered", "delivered"])
  })

  test("is told as an event given up of no attempts: the alarm compares the two", async () => {
    const { outbox, bridge } = await aDelivery()
    await outbox.append(anEvent())
    for (let n = 1; n <= 10; n++) {
      await Claim.acquire(Delivery.first(bridge.id), `dies-${n}`)
      later(91)
    }
    const measured = measure()
    await answerAll()
    const told = measured()
    expect(told).toContain('"Undelivered":[1]')
    expect(told).toContain('"Attempts":[0]')
  })
})

describe("the doorbell", () => {
  test("that comes early hides for the rest of the wait", async () => {
    const { receiver, outbox, bridge } = await aDelivery([500])
    await outbox.append(anEvent())
    await answerAll()
    later(4)
    expect(await deliver(Delivery.first(bridge.id))).toBe(6)
    expect(receiver.arrivals).toHaveLength(1)
    later(6.001)
    await answerAll()
    expect(receiver.arrivals).toHaveLength(2)
  })

  test("of a bridge without events is answered and gone", async () => {
    const bridge = await aBridge()
    expect(await deliver(Delivery.first(bridge.id))).toBeUndefined()
    expect(await Delivery.get(Delivery.first(bridge.id))).toMatchObject({
      head: 0,
      due: 0,
      holder: "",
      attempt: 0,
    })
  })

  test("that says nothing sensible is kept, for the dead-letter queue", async () => {
    expect(await pass({ MessageId: "m", ReceiptHandle: "r", Body: "nonsense" })).toBe("kept")
  })

  test("that cannot be sent, or promised, is rung as soon as it can be", async () => {
    const { receiver, outbox } = await aDelivery()
    await outbox.write(anEvent())
    onTestFinished(dynamoDb.faults.add({ fault: "throughput-exceeded", operation: "PutItem", times: 4 }))
    const url = config.DOORBELL_URL
    let rung = 0
    onTestFinished(() => void Object.defineProperty(config, "DOORBELL_URL", { value: url, writable: true }))
    Object.defineProperty(config, "DOORBELL_URL", {
      get: () => (++rung <= 2 ? `${url}-nowhere` : url),
      configurable: true,
    })
    await outbox.append(anEvent())
    expect(rung).toBe(3)
    expect(await answerAll()).toBe(1)
    expect(receiver.arrivals).toHaveLength(2)
  })

  test("while an event is appended at the very end of a delivery, the event is never left waiting", async () => {
    const { receiver, outbox } = await aDelivery()
    for (let round = 1; round <= 15; round++) {
      await outbox.append(anEvent())
      await Promise.all([answerAll(), outbox.append(anEvent())])
      await answerAll()
      expect(receiver.arrivals).toHaveLength(2 * round)
    }
  })

  test("is not needed for an event that comes while the deliverer is going to rest", async () => {
    const { receiver, outbox } = await aDelivery()
    await outbox.append(anEvent())
    const resting = Promise.withResolvers<void>()
    const restore = dynamoDb.faults.add({
      fault: "slow",
      operation: "TransactWriteItems",
      ms: 300,
      times: 1,
      when: (request) => {
        const isRest = JSON.stringify(request).includes("SET due = :zero")
        if (isRest) resting.resolve()
        return isRest
      },
    })
    const answered = answerAll()
    await resting.promise
    await outbox.append(anEvent())
    expect(await answered).toBe(1)
    restore()
    expect(receiver.arrivals).toHaveLength(2)
  })

  test("after an event that had failures is a fresh one", async () => {
    const { outbox } = await aDelivery([500])
    await outbox.append(anEvent(), anEvent())
    const doorbell = (await aDoorbell())!
    expect(await pass(doorbell)).toBe("kept")
    later(10.001)
    const again = (await aDoorbell())!
    expect(again.MessageId).toBe(doorbell.MessageId)
    expect(await pass(again)).toBe("deleted")
    const fresh = (await aDoorbell())!
    expect(fresh.MessageId).not.toBe(doorbell.MessageId)
    expect(await pass(fresh)).toBe("deleted")
    expect(await outbox.states()).toEqual(["delivered", "delivered"])
  })
})
