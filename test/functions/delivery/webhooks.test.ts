import type { ServerResponse } from "node:http"
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest"
import type { Bridge } from "#core/bridge/bridge.ts"
import { Webhook } from "#core/bridge/webhook.ts"
import { AttemptLog } from "#core/event/attempt-log.ts"
import { Delivery } from "#core/event/delivery.ts"
import { EventLists } from "#core/event/event-lists.ts"
import { EventRow } from "#core/event/event-row.ts"
import { Receiver } from "#core/event/receiver.ts"
import { Resend } from "#core/event/resend.ts"
import { skipEvent } from "#core/event/retry-and-skip.ts"
import { askWhetherDoubted } from "#core/platform/clock.ts"
import { deliver } from "#functions/delivery/deliver.ts"
import { ringAll, ringOverdue } from "#functions/sweep/bells.ts"
import { aBridge } from "#test/support/service/bridge.ts"
import { aReceiver } from "#test/support/service/receiver.ts"
import { silence } from "#test/support/service/start-receiver.ts"
import { anEvent, anOutbox, answerAll, forgetDoorbells } from "#test/support/session/events-and-doorbells.ts"
import { dynamoDb } from "#test/support/store.ts"

/** The clocks of the store and the queue follow this one, too: days pass at once. */
beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }))
afterEach(async () => {
  vi.useRealTimers()
  await forgetDoorbells()
})

function later(seconds: number) {
  vi.setSystemTime(Date.now() + seconds * 1000)
}

const day = 86_400
type Script = Parameters<typeof aReceiver>[0]

/** A bridge with a first webhook, its outbox, and a way to add more. */
async function aBridgeWithWebhooks() {
  const first = await aReceiver()
  const bridge = await aBridge(first.url)
  return { bridge, first, outbox: await anOutbox(bridge), add: anotherOf(bridge) }
}

function anotherOf(bridge: Bridge.Info) {
  return async (choice: Webhook.Choice = {}, script: Script = []) => {
    const receiver = await aReceiver(script)
    const { webhook } = await Webhook.create(bridge, receiver.url, { heals: false, ...choice })
    await answerAll()
    const id: Receiver.Id = { bridgeId: bridge.id, webhookId: webhook.webhookId }
    receiver.trust("hook", (await Receiver.keysOf(webhook.receiver)).secrets[0])
    return { id, receiver, row: async () => (await Delivery.get(id))! }
  }
}

/** The events of a batch. */
const told = ({ body }: { body: Buffer }) =>
  JSON.parse(body.toString()) as { event_id: string; event: { body: string } }[]

const inChat = (chat: string) =>
  ({ ...anEvent(), chat_id: `${chat}@s.whatsapp.net` }) as ReturnType<typeof anEvent>

const idsAt = ({ arrivals }: { arrivals: { eventId: string }[] }) => arrivals.map(({ eventId }) => eventId)

describe("several webhooks of a bridge", () => {
  test("get each event in order, by themselves, each signed with its own secret", async () => {
    const { first, outbox, add } = await aBridgeWithWebhooks()
    const second = await add()
    const third = await add()
    const ids = await outbox.append(anEvent("a"), anEvent("b"), anEvent("c"))
    await answerAll()
    for (const { arrivals } of [first, second.receiver, third.receiver]) {
      expect(arrivals.map(({ eventId, attempt }) => [eventId, attempt])).toEqual(ids.map((id) => [id, 1]))
      expect(arrivals.every(({ genuine }) => genuine)).toBe(arrivals !== first.arrivals)
    }
    for (const { row } of [second, third]) expect(await row()).toMatchObject({ head: 3, due: 0, holder: "" })
    expect(await outbox.states()).toEqual(["delivered", "delivered", "delivered"])
  })

  test("are not held up by one that refuses everything, whose doorbell rests in a group of its own", async () => {
    const { first, outbox, add } = await aBridgeWithWebhooks()
    const dead = await add(
      {},
      Array.from({ length: 50 }, () => 500),
    )
    const fine = await add()
    const ids: string[] = []
    for (const text of ["a", "b", "c"]) {
      ids.push(...(await outbox.append(anEvent(text))))
      await answerAll()
    }
    expect(idsAt(first)).toEqual(ids)
    expect(idsAt(fine.receiver)).toEqual(ids)
    expect(idsAt(dead.receiver)).toEqual([ids[0]])
    for (let i = 0; i < 20; i++) {
      later(181)
      await answerAll()
    }
    // Five attempts at each, in order.
    expect(idsAt(dead.receiver)).toEqual(ids.flatMap((id) => Array.from({ length: 5 }, () => id)))
    const undelivered = await EventLists.page(dead.id, { state: "undelivered", after: 0, limit: 10 })
    expect(undelivered.map(({ eventId }) => eventId)).toEqual(ids)
    expect(await outbox.states()).toEqual(["delivered", "delivered", "delivered"])
    const first100 = { state: "undelivered", after: 0, limit: 10 } as const
    expect(await EventLists.page(fine.id, first100)).toEqual([])
    expect((await AttemptLog.latest(dead.id)).map(({ success }) => success)).toEqual(
      Array.from({ length: 15 }, () => false),
    )
    expect(await AttemptLog.latest(fine.id)).toHaveLength(3)
  })

  test("are told of what was given up with each attempt, a batch of one too, until one is taken", async () => {
    const { first, outbox, add } = await aBridgeWithWebhooks()
    const second = await add({ batch: 10 }, [400, 500, 500])
    await outbox.append(anEvent("a"))
    await answerAll()
    await outbox.append(anEvent("b"), anEvent("c"))
    for (const seconds of [0, 11, 31]) {
      later(seconds)
      await answerAll()
    }
    await outbox.append(anEvent("d"))
    await answerAll()
    const told = second.receiver.arrivals.map(({ headers }) => headers["x-webhook-undelivered"])
    expect(told).toEqual([undefined, "1", "1", "1", undefined])
    expect(first.arrivals.flatMap(({ headers }) => headers["x-webhook-undelivered"] ?? [])).toEqual([])
    const since = Number(second.receiver.arrivals[1]!.headers["x-webhook-undelivered-since"])
    expect(await Resend.askSpan(second.id, { since })).toEqual({ count: 1 })
    await answerAll()
    const listed = await EventLists.page(second.id, { state: "undelivered", after: 0, limit: 10 })
    expect(listed).toEqual([])
  })

  test("that skipped an event on request are told so with the next", async () => {
    const { bridge, outbox, add } = await aBridgeWithWebhooks()
    const second = await add({}, [500])
    const ids = await outbox.append(anEvent("a"), anEvent("b"))
    await answerAll()
    await skipEvent(second.id, (await EventLists.find(bridge.id, ids[0]!))!)
    await answerAll()
    const told = second.receiver.arrivals.map(({ headers }) => headers["x-webhook-undelivered"])
    expect(told).toEqual([undefined, "1"])
  })

  test("are delivered to while another hangs", async () => {
    const { first, outbox, add, bridge } = await aBridgeWithWebhooks()
    const held = Promise.withResolvers<ServerResponse>()
    const hanging = await add({}, [(response) => held.resolve(response)])
    const [id] = await outbox.append(anEvent())
    const delivering = deliver(hanging.id)
    const response = await held.promise
    await deliver(Delivery.first(bridge.id))
    expect(idsAt(first)).toEqual([id])
    response.end()
    await delivering
    expect(await hanging.row()).toMatchObject({ head: 1, due: 0 })
  })

  test("are all rung for by the start of one machine, and by the sweep", async () => {
    const { first, outbox, add } = await aBridgeWithWebhooks()
    const second = await add()
    await outbox.append(anEvent())
    await forgetDoorbells()
    later(151)
    await ringOverdue()
    await answerAll()
    expect([first, second.receiver].map(({ arrivals }) => arrivals.length)).toEqual([1, 1])
    await outbox.append(anEvent())
    await forgetDoorbells()
    await ringAll()
    await answerAll()
    expect([first, second.receiver].map(({ arrivals }) => arrivals.length)).toEqual([2, 2])
  })

  test("that was added gets what was appended while it was being added, and nothing from before", async () => {
    const { bridge, outbox } = await aBridgeWithWebhooks()
    const [before] = await outbox.append(anEvent("before"))
    await answerAll()
    const receiver = await aReceiver()
    let appended: string[] = []
    // Just before the row is written, and after the newest event was read.
    const hook = dynamoDb.faults.add({
      fault: "slow",
      operation: "TransactWriteItems",
      when: (request) => {
        const isCreation = JSON.stringify(request).includes("SET further")
        if (isCreation) void outbox.append(anEvent("meanwhile")).then((ids) => (appended = ids))
        return isCreation
      },
      ms: 300,
      times: 1,
    })
    await Webhook.create(bridge, receiver.url, {})
    hook()
    await answerAll()
    expect(appended).toHaveLength(1)
    expect(idsAt(receiver)).toEqual(appended)
    expect(idsAt(receiver)).not.toContain(before)
  })

  test("that was added is found by the sweep if its creator died before it rang", async () => {
    const { bridge, outbox } = await aBridgeWithWebhooks()
    const receiver = await aReceiver()
    await Webhook.create(bridge, receiver.url, {})
    await forgetDoorbells()
    // As if its host had read the webhooks before there was this one.
    const [id] = await outbox.write(anEvent())
    later(151)
    await ringOverdue()
    await answerAll()
    expect(idsAt(receiver)).toEqual([id])
  })

  test("lose nothing when another is deleted, whose deliverer stops after the POST that is under way", async () => {
    const { bridge, first, outbox, add } = await aBridgeWithWebhooks()
    const held = Promise.withResolvers<ServerResponse>()
    const gone = await add({}, [(response) => held.resolve(response)])
    const stays = await add()
    const ids = await outbox.append(anEvent("a"), anEvent("b"))
    const delivering = deliver(gone.id)
    const response = await held.promise
    await Webhook.remove(bridge, gone.id.webhookId)
    response.end()
    await delivering
    await answerAll()
    expect(gone.receiver.arrivals).toHaveLength(1)
    expect(await Delivery.get(gone.id)).toBeUndefined()
    expect(idsAt(first)).toEqual(ids)
    expect(idsAt(stays.receiver)).toEqual(ids)
    expect((await Delivery.get(Delivery.first(bridge.id)))!.further).toEqual([stays.id.webhookId])
  })

  test("continue where a deliverer died, which one's death leaves the others alone", async () => {
    const { first, outbox, add } = await aBridgeWithWebhooks()
    const second = await add({}, [silence])
    const [a, b] = await outbox.append(anEvent("a"), anEvent("b"))
    void deliver(second.id)
    await second.receiver.atLeast(1)
    // Its claim and the time-out of its POST stay behind, as those of a process that was killed.
    later(121)
    await answerAll()
    expect(idsAt(second.receiver)).toEqual([a, a, b])
    expect(second.receiver.arrivals.map(({ attempt }) => attempt)).toEqual([1, 2, 1])
    expect(idsAt(first)).toEqual([a, b])
  })
})

describe("a resend to a further webhook", () => {
  test("goes to that one alone, and takes the event off its list", async () => {
    const { first, outbox, add } = await aBridgeWithWebhooks()
    const second = await add({}, [400])
    const [id] = await outbox.append(anEvent())
    await answerAll()
    const listed = async () => await EventLists.page(second.id, { state: "undelivered", after: 0, limit: 10 })
    expect(await listed()).toHaveLength(1)
    expect(await Resend.ask(second.id, 1)).toBe("noted")
    await answerAll()
    expect(second.receiver.arrivals.map(({ headers }) => headers["x-webhook-resend"])).toEqual([
      undefined,
      "true",
    ])
    expect(idsAt(first)).toEqual([id])
    expect(await listed()).toEqual([])
  })

  test("of all that was given up there asks for these events alone", async () => {
    const { outbox, add } = await aBridgeWithWebhooks()
    const second = await add({}, [400, 200, 400])
    const ids = await outbox.append(anEvent("a"), anEvent("b"), anEvent("c"))
    await answerAll()
    expect(await Resend.askSpan(second.id, { since: 0 })).toEqual({ count: 2 })
    await answerAll()
    expect(second.receiver.arrivals.slice(3).map(({ eventId }) => eventId)).toEqual([ids[0], ids[2]])
  })

  test("is not what a skip is: that gives up the event at this webhook, and leaves the event's own state", async () => {
    const { outbox, add } = await aBridgeWithWebhooks()
    const second = await add({}, [500])
    const [, b] = await outbox.append(anEvent("a"), anEvent("b"))
    await answerAll()
    const event = (await EventRow.get(second.id.bridgeId, 1))!
    await skipEvent(second.id, event)
    await answerAll()
    expect(idsAt(second.receiver).at(-1)).toBe(b)
    expect(await outbox.states()).toEqual(["delivered", "delivered"])
    expect(await EventLists.stateAtFurther(await second.row(), event)).toBe("undelivered")
  })
})

describe("a filter", () => {
  test("passes over what is not wanted, without a POST or a write of its own", async () => {
    const { outbox, add } = await aBridgeWithWebhooks()
    const second = await add({ chats: ["491700000002"] })
    const chats = ["491700000001", "491700000002", "491700000001", "491700000002", "491700000001"]
    const ids = await outbox.append(...chats.map(inChat))
    let updates = 0
    const back = dynamoDb.faults.add({
      fault: "slow",
      operation: "UpdateItem",
      when: (request) => {
        if (JSON.stringify(request).includes(second.id.webhookId)) updates++
        return false
      },
    })
    await answerAll()
    back()
    expect(second.receiver.arrivals.map(({ eventId, attempt }) => [eventId, attempt])).toEqual([
      [ids[1], 1],
      [ids[3], 1],
    ])
    // The claim, and one for each event that was posted.
    expect(updates).toBe(3)
    expect(await second.row()).toMatchObject({ head: 5, due: 0, attempts: 2 })
  })

  test("by type needs no look into the event, and does not hold up the type it wants", async () => {
    const { outbox, add } = await aBridgeWithWebhooks()
    const second = await add({ events: ["connected"] })
    const connected = { event: "connected", phone: "491700000009", timestamp: 1 } as never
    const ids = await outbox.append(anEvent(), connected, anEvent())
    await answerAll()
    expect(idsAt(second.receiver)).toEqual([ids[1]])
  })

  test("that was changed lets the event pass over that was tried, and the next begins at attempt 1", async () => {
    const { bridge, outbox, add } = await aBridgeWithWebhooks()
    const second = await add({}, [500, 500])
    const ids = await outbox.append(anEvent("a"), inChat("491700000002"))
    await answerAll()
    later(11)
    await answerAll()
    await Webhook.update(bridge, await second.row(), { chats: ["491700000002"] })
    later(31)
    await answerAll()
    expect(second.receiver.arrivals.map(({ eventId, attempt }) => [eventId, attempt])).toEqual([
      [ids[0], 1],
      [ids[0], 2],
      [ids[1], 1],
    ])
    expect(await second.row()).toMatchObject({ head: 2, due: 0, failures: 0 })
  })

  test("keeps what it passed over when the time of a delivery is over", async () => {
    const { outbox, add } = await aBridgeWithWebhooks()
    const second = await add({ events: ["connected"] })
    await outbox.append(...Array.from({ length: 60 }, () => anEvent()))
    const stopping = new AbortController()
    stopping.abort()
    await deliver(second.id, undefined, stopping.signal)
    expect(await second.row()).toMatchObject({ holder: "", attempt: 0 })
    await answerAll()
    expect(await second.row()).toMatchObject({ head: 60, due: 0 })
    expect(second.receiver.arrivals).toHaveLength(0)
  })
})

describe("headers of the customer's own", () => {
  test("are on each POST, and may replace `Authorization`; the signature stays", async () => {
    const { outbox, add } = await aBridgeWithWebhooks()
    const second = await add({ headers: { "X-Api-Key": "k", Authorization: "Basic eA==" } })
    await outbox.append(anEvent())
    await answerAll()
    const [arrival] = second.receiver.arrivals
    expect(arrival!.headers).toMatchObject({ "x-api-key": "k", authorization: "Basic eA==" })
    expect(arrival!.headers["x-webhook-signature"]).toMatch(/^t=\d+,v1=/)
  })
})

describe("a webhook that is paused", () => {
  test("gets nothing, has nothing due, and goes on where it stood", async () => {
    const { first, outbox, add } = await aBridgeWithWebhooks()
    const second = await add()
    const [a] = await outbox.append(anEvent("a"))
    await answerAll()
    await Webhook.pause(await second.row())
    const [b, c] = await outbox.append(anEvent("b"), anEvent("c"))
    await answerAll()
    expect(idsAt(second.receiver)).toEqual([a])
    expect(await second.row()).toMatchObject({ head: 1, due: 0 })
    expect(idsAt(first)).toEqual([a, b, c])
    await Webhook.resume(await second.row())
    await answerAll()
    expect(idsAt(second.receiver)).toEqual([a, b, c])
    expect((await second.row()).missed).toBeUndefined()
  })

  test("while it is delivered to ends after the event under way, and keeps the number of the next attempt", async () => {
    const { outbox, add } = await aBridgeWithWebhooks()
    const held = Promise.withResolvers<ServerResponse>()
    const second = await add({}, [(response) => held.resolve(response)])
    const [a, b] = await outbox.append(anEvent("a"), anEvent("b"))
    const delivering = deliver(second.id)
    const response = await held.promise
    await Webhook.pause(await second.row())
    response.end()
    await delivering
    expect(idsAt(second.receiver)).toEqual([a])
    expect(await second.row()).toMatchObject({ head: 1, due: 0, holder: "", attempt: 0 })
    await Webhook.resume(await second.row())
    await answerAll()
    expect(second.receiver.arrivals.map(({ eventId, attempt }) => [eventId, attempt])).toEqual([
      [a, 1],
      [b, 1],
    ])
  })

  test("goes on although the process that let it go on died before the doorbell", async () => {
    const { outbox, add } = await aBridgeWithWebhooks()
    const second = await add()
    await Webhook.pause(await second.row())
    const [id] = await outbox.append(anEvent())
    await answerAll()
    await Webhook.resume(await second.row())
    await forgetDoorbells()
    later(151)
    await ringOverdue()
    await answerAll()
    expect(idsAt(second.receiver)).toEqual([id])
  })

  test("for longer than seven days goes on with what is younger, and says what it missed", async () => {
    const { first, outbox, add } = await aBridgeWithWebhooks()
    const second = await add()
    await Webhook.pause(await second.row())
    const [oldest] = await outbox.append(anEvent("1"), anEvent("2"))
    later(3 * day)
    const young = await outbox.append(anEvent("3"))
    await answerAll()
    later(4 * day + 1)
    young.push(...(await outbox.append(anEvent("4"))))
    await answerAll()
    await Webhook.resume(await second.row())
    await answerAll()
    expect(idsAt(second.receiver)).toEqual(young)
    expect((await second.row()).missed).toMatchObject({ events: 2, first: oldest })
    expect(first.arrivals).toHaveLength(4)
  })

  test("by a clock that is doubted misses nothing", async () => {
    onTestFinished(askWhetherDoubted(dynamoDb.isClockDoubted))
    expect(dynamoDb.isClockDoubted()).toBe(false)
    const { outbox, add } = await aBridgeWithWebhooks()
    const second = await add()
    await Webhook.pause(await second.row())
    const ids = await outbox.append(anEvent("1"), anEvent("2"))
    later(8 * day)
    await Webhook.resume(await second.row())
    await answerAll()
    expect(idsAt(second.receiver)).toEqual(ids)
    expect((await second.row()).missed).toBeUndefined()
  })
})

describe("a batch", () => {
  test("has what waits, in order, each event with its id, and one write for all", async () => {
    const { outbox, add } = await aBridgeWithWebhooks()
    const second = await add({ batch: 50 })
    const events = Array.from({ length: 120 }, (_, i) => anEvent(String(i)))
    const ids = [
      ...(await outbox.write(...events.slice(0, 90))),
      ...(await outbox.append(...events.slice(90))),
    ]
    await answerAll()
    const { arrivals } = second.receiver
    expect(arrivals.map((arrival) => told(arrival).length)).toEqual([50, 50, 20])
    expect(arrivals.flatMap(told).map(({ event_id }) => event_id)).toEqual(ids)
    expect(arrivals.flatMap(told).map(({ event }) => event.body)).toEqual(events.map((_, i) => String(i)))
    expect(arrivals.every(({ genuine }) => genuine)).toBe(true)
    expect(arrivals[0]!.headers).toMatchObject({ "x-webhook-batch": "50", "x-webhook-attempt": "1" })
    expect(arrivals[0]!.headers["x-webhook-event-id"]).toBeUndefined()
    expect(new Set(arrivals.map(({ headers }) => headers["webhook-id"])).size).toBe(3)
    expect(await second.row()).toMatchObject({ head: 120, attempts: 120, due: 0 })
    expect(await AttemptLog.latest(second.id)).toHaveLength(120)
  })

  test("that failed is tried again with the same events and the same id, whatever came since", async () => {
    const { outbox, add } = await aBridgeWithWebhooks()
    const second = await add({ batch: 10 }, [500])
    const ids = await outbox.append(anEvent("a"), anEvent("b"))
    await answerAll()
    ids.push(...(await outbox.append(anEvent("c"))))
    later(11)
    await answerAll()
    const { arrivals } = second.receiver
    expect(arrivals.map((arrival) => told(arrival).map(({ event_id }) => event_id))).toEqual([
      ids.slice(0, 2),
      ids.slice(0, 2),
      ids.slice(2),
    ])
    expect(arrivals.map(({ attempt }) => attempt)).toEqual([1, 2, 1])
    expect(arrivals[1]!.headers["webhook-id"]).toBe(arrivals[0]!.headers["webhook-id"])
    expect(await second.row()).toMatchObject({ head: 3, due: 0, failures: 0 })
    expect((await second.row()).batchEnd).toBeUndefined()
  })

  test("that is refused is undelivered as a whole, at the first webhook as well", async () => {
    const { bridge, first, outbox } = await aBridgeWithWebhooks()
    const chosen = { batch: 3, heals: false }
    await Webhook.update(bridge, (await Delivery.get(Delivery.first(bridge.id)))!, chosen)
    first.say(400)
    await outbox.append(...["a", "b", "c", "d"].map(anEvent))
    await answerAll()
    expect(first.arrivals.map((arrival) => told(arrival).length)).toEqual([3, 1])
    expect(await outbox.states()).toEqual(["undelivered", "undelivered", "undelivered", "delivered"])
  })

  test("leaves out what the webhook does not want", async () => {
    const { outbox, add } = await aBridgeWithWebhooks()
    const second = await add({ batch: 10, events: ["message"] })
    const connected = { event: "connected", phone: "491700000009", timestamp: 1 } as never
    const ids = await outbox.append(connected, anEvent("a"), connected, anEvent("b"), connected)
    await answerAll()
    expect(second.receiver.arrivals.map(told).map((all) => all.map(({ event_id }) => event_id))).toEqual([
      [ids[1], ids[3]],
    ])
    expect(await second.row()).toMatchObject({ head: 5, due: 0 })
  })

  test("is also what a resend and a single event are", async () => {
    const { outbox, add } = await aBridgeWithWebhooks()
    const second = await add({ batch: 10 })
    const [id] = await outbox.append(anEvent("a"))
    await answerAll()
    await Resend.ask(second.id, 1)
    await answerAll()
    expect(second.receiver.arrivals.map(told)).toMatchObject([[{ event_id: id }], [{ event_id: id }]])
    expect(second.receiver.arrivals[1]!.headers["x-webhook-resend"]).toBe("true")
  })
})
