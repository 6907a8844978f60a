import { ScanCommand } from "@aws-sdk/lib-dynamodb"
import { expect, onTestFinished, test, vi } from "vitest"
import { z } from "zod"
import { Attempt } from "#contract/delivery.ts"
import type { Event } from "#contract/event.ts"
import { StoredEvent } from "#contract/stored-event.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import { promiseAndRing } from "#core/event/doorbell.ts"
import { EventLists } from "#core/event/event-lists.ts"
import { EventRow } from "#core/event/event-row.ts"
import { Receiver } from "#core/event/receiver.ts"
import { now } from "#core/platform/clock.ts"
import { batchWrite, removeRow, transact } from "#core/store/store.ts"
import { tables } from "#core/store/tables.ts"
import { clientOf } from "#test/support/dynamodb.ts"
import { rowsOf } from "#test/support/rows-of.ts"
import { aCustomer, json } from "#test/support/service/customer.ts"
import { aReceiver } from "#test/support/service/receiver.ts"
import { anEvent, anOutbox, answerAll } from "#test/support/session/events-and-doorbells.ts"
import { dynamoDb } from "#test/support/store.ts"

/**
 * A customer's bridge with an outbox. Its events go to a receiver that answers by script, or to the inbox.
 */
async function aShop(script?: Parameters<typeof aReceiver>[0]) {
  const customer = await aCustomer()
  const receiver = script && (await aReceiver(script))
  await customer.post("/api/instances", { customer_ref: "shop", webhook_url: receiver?.url })
  // What is given up stays so here; `test/functions/delivery/healing.test.ts` has the rest.
  await customer.patch("/api/instances/shop/webhooks/first", { healing: false })
  const bridge = await Bridge.get(customer.account.id, "shop")
  const list = async (query: string) => {
    const answer = await customer.get(`/api/instances/shop/events?${query}`)
    expect(answer.status).toBe(200)
    return z.array(StoredEvent.strict()).parse(await answer.json())
  }
  const bodies = async (query: string) =>
    (await list(query)).map(({ event }) => (event.event === "message" ? event.body : event.event))
  const resend = (id: string | undefined) => customer.post(`/api/instances/shop/events/${id}/resend`)
  return { ...customer, bridge, receiver: receiver!, outbox: await anOutbox(bridge), list, bodies, resend }
}

/** Moves the clock, the store's included. */
function later(days: number) {
  vi.setSystemTime(Date.now() + days * 86_400_000)
}

/** Removes expired rows, as the store does by itself, sometimes days late. */
async function removeExpired(): Promise<void> {
  const { Items = [] } = await clientOf(dynamoDb.endpoint).send(new ScanCommand({ TableName: tables.events }))
  for (const { pk, sk, expires_at } of Items)
    if (Number(expires_at) < now()) await removeRow({ TableName: tables.events, Key: { pk, sk } })
}

test("the hosted inbox is listed in order, page after page, with what a webhook would have got", async () => {
  const shop = await aShop()
  const ids = await shop.outbox.append(...["a", "b", "c"].map(anEvent))
  await answerAll()
  const all = await shop.list("state=inbox")
  expect(all.map(({ event_id, state }) => [event_id, state])).toEqual(ids.map((id) => [id, "inbox"]))
  expect(await shop.bodies("state=inbox&limit=2")).toEqual(["a", "b"])
  expect(await json(shop.get("/api/instances/shop/events?limit=1&limit=2"))).toMatchObject({
    issues: [{ path: "limit", message: "is there twice: give it once" }],
  })
  expect(await shop.bodies(`state=inbox&limit=2&after=${ids[1]}`)).toEqual(["c"])
  expect(await shop.bodies("state=undelivered")).toEqual([])
  expect(await shop.bodies("state=pending")).toEqual([])
})

test("without a state every event that is kept is listed, from either end, page after page", async () => {
  const shop = await aShop([200, 400])
  const ids = await shop.outbox.append(...["delivered", "given up"].map(anEvent))
  await answerAll()
  await shop.outbox.write(anEvent("waits"))
  const states = (await shop.list("")).map(({ state }) => state)
  expect(states).toEqual(["delivered", "undelivered", "pending"])
  expect(await shop.bodies("order=newest")).toEqual(["waits", "given up", "delivered"])
  expect(await shop.bodies(`order=newest&after=${ids[1]}`)).toEqual(["delivered"])
  expect(await shop.bodies(`order=newest&after=${ids[0]}`)).toEqual([])
  expect(await shop.bodies("order=newest&state=undelivered")).toEqual(["given up"])
  expect(await shop.bodies("order=newest&state=pending&limit=1")).toEqual(["waits"])
  expect(await shop.bodies(`limit=1&after=${ids[0]}`)).toEqual(["given up"])
})

test("filters leave out other types, chats and older events, and the next page is named until the end", async () => {
  vi.useFakeTimers({ toFake: ["Date"] })
  onTestFinished(() => void vi.useRealTimers())
  const shop = await aShop([])
  const connected = { event: "connected", phone: "1" } as const
  for (let i = 0; i < 5; i++) {
    await shop.outbox.write(anEvent(`a${i}`), { ...anEvent(`b${i}`), chat_id: "12@g.us" } as Event, connected)
    later(1)
  }
  const bodies = ["b0", "b1", "b2", "b3", "b4"]
  expect(await shop.bodies("chat=12@g.us")).toEqual(bodies)
  expect(await shop.bodies("chat=%2B491711234567&limit=2")).toEqual(["a0", "a1"])
  expect(await shop.list("type=connected&limit=2")).toMatchObject([
    { event: connected },
    { event: connected },
  ])
  expect(await shop.bodies("type=typing")).toEqual([])
  expect(await shop.bodies("chat=491710000000")).toEqual([])

  const found: string[] = []
  let pages = 0
  for (let after: string | null = ""; after !== null; pages++) {
    const query = `chat=12@g.us&limit=2${after && `&after=${after}`}`
    const answer = await shop.get(`/api/instances/shop/events?${query}`)
    const page = z.array(StoredEvent).parse(await answer.json())
    found.push(...page.map(({ event }) => (event as { body: string }).body))
    after = answer.headers.get("x-next-after")
  }
  expect([found, pages]).toEqual([bodies, 3])

  // Events of each day, looked for at each hour between.
  for (let day = 0; day <= 5; day++) {
    const since = now() - 86_400 * day - 3600
    expect(await shop.bodies(`chat=12@g.us&since=${since}`)).toEqual(bodies.slice(5 - day))
    const newest = await shop.bodies(`chat=12@g.us&order=newest&since=${since}`)
    expect(newest).toEqual(bodies.slice(5 - day).toReversed())
  }
})

test("large events come on more pages, each within what Lambda answers, and none is left out", async () => {
  const shop = await aShop()
  // The longest body, in the characters that take the most room.
  const body = "👋".repeat(65_536 / 2)
  const ids: string[] = []
  for (let i = 0; i < 50; i++) ids.push(...(await shop.outbox.write(anEvent(body))))
  const found: string[] = []
  for (let after = ""; ;) {
    const query = `state=pending${after && `&after=${after}`}`
    const answer = await shop.get(`/api/instances/shop/events?${query}`)
    const said = await answer.text()
    expect(Buffer.byteLength(JSON.stringify(said))).toBeLessThan(6_000_000)
    const page = z.array(StoredEvent).parse(JSON.parse(said))
    found.push(...page.map(({ event_id }) => event_id))
    after = found.at(-1)!
    if (page.length === 0) break
  }
  expect(found).toEqual(ids)
})

test("an event that has waited for 30 days is found by its id for the 30 days in which it is listed", async () => {
  vi.useFakeTimers({ toFake: ["Date"] })
  onTestFinished(() => void vi.useRealTimers())
  const shop = await aShop([])
  const [id] = await shop.outbox.write(anEvent("old"))
  later(30)
  await shop.outbox.append(anEvent("new"))
  await answerAll()
  later(29.9)
  await removeExpired()
  expect(await shop.list("state=undelivered")).toMatchObject([{ event_id: id }])
  expect(await shop.list(`state=undelivered&after=${id}`)).toEqual([])
  expect((await shop.resend(id)).status).toBe(202)
})

test("a delivered event can be sent again for a week, counted from its delivery if it waited for days", async () => {
  vi.useFakeTimers({ toFake: ["Date"] })
  onTestFinished(() => void vi.useRealTimers())
  const shop = await aShop([])
  const [prompt] = await shop.outbox.append(anEvent("prompt"))
  await answerAll()
  const [late] = await shop.outbox.write(anEvent("late"))
  later(5)
  await promiseAndRing(shop.bridge.id)
  await answerAll()
  later(2)
  expect((await shop.resend(prompt)).status).toBe(202)
  later(1.1)
  expect(await json(shop.resend(prompt))).toMatchObject({ code: "not_found" })
  later(3.8)
  expect((await shop.resend(late)).status).toBe(202)
  later(0.2)
  expect(await json(shop.resend(late))).toMatchObject({ code: "not_found" })
})

test("pointers that lead nowhere do not hide what is behind them, and are removed", async () => {
  const shop = await aShop([400])
  const [id] = await shop.outbox.append(anEvent("given up"))
  for (let n = 2; n <= 61; n++) await shop.outbox.write(anEvent())
  await answerAll()
  const stale = Array.from({ length: 60 }, (_, i) => ({
    table: tables.events,
    row: {
      pk: `BRIDGE#${shop.bridge.id}`,
      sk: `STATE#undelivered#${EventRow.padded(i + 2)}`,
      n: i + 2,
      expires_at: now() + 1000,
    },
  }))
  for (let from = 0; from < stale.length; from += 25) await batchWrite(stale.slice(from, from + 25))
  const outcomes = stale.map(({ row }) =>
    EventRow.settling({ bridgeId: shop.bridge.id, n: row.n }, "delivered"),
  )
  await transact(outcomes)
  const [last] = await shop.outbox.write(anEvent("given up, too"))
  shop.receiver.say(400)
  await promiseAndRing(shop.bridge.id)
  await answerAll()
  expect((await shop.list("state=undelivered")).map(({ event_id }) => event_id)).toEqual([id, last])
  const left = await rowsOf(tables.events, shop.bridge.id, "STATE#")
  expect(left.map(({ n }) => n)).toEqual([1, 62])
})

test("of thousands that were given up each is found, and those of the last hour are sent again", async () => {
  const shop = await aShop([200])
  const bridgeId = shop.bridge.id
  const deliveryKey = await Bridge.deliveryKeyOf(shop.bridge)
  const rows = Array.from({ length: 2_100 }, (_, i) => i + 1).flatMap((n) => {
    const { Put } = EventRow.appending({
      bridgeId,
      n,
      identity: [],
      event: anEvent(`given up ${n}.`),
      deliveryKey,
    })
    const event = { bridgeId, n }
    const expires_at = now() + EventRow.keptFor.undelivered - (n > 2_050 ? 60 : 7_200)
    return [
      { ...Put!.Item, state: "undelivered", expires_at },
      { ...EventLists.listing(Receiver.first(bridgeId), event, "undelivered").Put!.Item, expires_at },
    ]
  })
  await batchWrite(rows.map((row) => ({ table: tables.events, row })))
  const search = "state=undelivered&search=given up 2075."
  expect(await shop.bodies(`${search}&order=newest`)).toEqual(["given up 2075."])
  const first = await shop.get(`/api/instances/shop/events?${search}`)
  expect(await first.json()).toEqual([])
  const after = first.headers.get("x-next-after")
  expect(await shop.bodies(`${search}&after=${after}`)).toEqual(["given up 2075."])

  const asked = await shop.post("/api/instances/shop/deliveries/resend", { since: now() - 3_600 })
  expect(await json(asked)).toEqual({ ok: true, count: 50 })
})

test("one that still waits is sent in its turn, once", async () => {
  const shop = await aShop([])
  const [id] = await shop.outbox.write(anEvent("a"))
  expect((await shop.resend(id)).status).toBe(202)
  await promiseAndRing(shop.bridge.id)
  await answerAll()
  expect(shop.receiver.arrivals).toHaveLength(1)
})

test("an unknown event, another bridge's and another account's are the same 404; a full list is 429", async () => {
  const [shop, other] = [await aShop([400, 400]), await aShop([])]
  const [theirs] = await other.outbox.append(anEvent("a"))
  const [ours] = await shop.outbox.append(anEvent("a"), anEvent("b"))
  await answerAll()
  for (const id of [theirs, `evt_${"a".repeat(32)}`])
    expect(await json(shop.resend(id))).toMatchObject({ code: "not_found" })
  for (let i = 0; i < 100; i++) expect((await shop.resend(ours)).status).toBe(202)
  const since = () => shop.post("/api/instances/shop/deliveries/resend", { since: 0 })
  for (const full of [await shop.resend(ours), await since()]) {
    expect([full.status, full.headers.has("retry-after")]).toEqual([429, true])
    expect(await json(full)).toMatchObject({ error: "rate limit exceeded", code: "rate_limited" })
  }
})

test("a bridge without a webhook sends nothing again and tests nothing: 400 invalid_webhook_url", async () => {
  const shop = await aShop()
  const [id] = await shop.outbox.append(anEvent("a"))
  await answerAll()
  for (const answer of [shop.resend(id), shop.post("/api/instances/shop/webhook-test")])
    expect(await json(answer)).toMatchObject({ code: "invalid_webhook_url" })
})

test("an `after` that is no event of this bridge is 400 and is named", async () => {
  const shop = await aShop()
  const answer = await shop.get("/api/instances/shop/events?state=inbox&after=evt_unknown")
  expect(answer.status).toBe(400)
  expect(await json(answer)).toMatchObject({ code: "invalid_request", issues: [{ path: "after" }] })
})

test("a username as `chat` is 400, since no event names a chat by it", async () => {
  const answer = await (await aShop()).get("/api/instances/shop/events?chat=@ada.w")
  expect(answer.status).toBe(400)
  expect(await json(answer)).toMatchObject({
    issues: [{ path: "chat", message: expect.stringContaining("contacts/@") as string }],
  })
})

test("webhook-test sends a signed `test` event and says what the receiver did", async () => {
  const shop = await aShop([204, 500, (response) => void response.socket?.resetAndDestroy()])
  const test = async () => {
    const answer = await shop.post("/api/instances/shop/webhook-test")
    return Attempt.strict().parse(await answer.json())
  }
  const { webhook_secret } = await json(shop.get("/api/instances/shop"))
  shop.receiver.trust("hook", String(webhook_secret))
  const said = await test()
  expect(said).toMatchObject({ attempt: 1, error: "", event: "test", status_code: 204, success: true })
  expect(await test()).toMatchObject({ error: "server_error", status_code: 500, success: false })
  expect(await test()).toMatchObject({ error: "reset", status_code: 0, success: false })

  const [received] = shop.receiver.arrivals
  expect(JSON.parse(received!.body.toString())).toEqual({ event: "test", timestamp: expect.any(Number) })
  expect(received).toMatchObject({ eventId: said.event_id, genuine: true })
  // A test event is not an event of the session.
  expect(await (await shop.get("/api/instances/shop/proxy/webhook-logs")).json()).toEqual([])
})
