import "#test/support/store.ts"
import { afterEach, expect, onTestFinished, test } from "vitest"
import type { Event } from "#contract/event.ts"
import { StoredEvent } from "#contract/stored-event.ts"
import { ApiKey } from "#core/account/api-key.ts"
import { markRestored } from "#core/bridge/after-restore.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import { Delivery } from "#core/event/delivery.ts"
import { EventRow } from "#core/event/event-row.ts"
import { toItem } from "#core/store/dynamodb-json.ts"
import { batchWrite, removeRow } from "#core/store/store.ts"
import { tables } from "#core/store/tables.ts"
import { timing } from "#functions/stream/sse.ts"
import { listenForNewEvents, noteRow } from "#one-machine/delivery/new-events.ts"
import { rowsOf } from "#test/support/rows-of.ts"
import { aCustomer, json } from "#test/support/service/customer.ts"
import { anEvent, anOutbox } from "#test/support/session/events-and-doorbells.ts"

const usual = { ...timing }
afterEach(() => void Object.assign(timing, usual))

/** A customer's bridge with an outbox, and its stream: what it has sent so far, and how to wait for more. */
async function aShop() {
  const customer = await aCustomer()
  await customer.post("/api/instances", { customer_ref: "shop" })
  const bridge = await Bridge.get(customer.account.id, "shop")
  const open = async (query = "", headers: Record<string, string> = {}) => {
    const accept = { accept: "text/event-stream", ...headers }
    const answer = await customer.call("GET", `/api/instances/shop/events${query}`, undefined, accept)
    if (answer.status !== 200) return { answer, status: answer.status }
    const reader = answer.body!.getReader()
    onTestFinished(() => reader.cancel())
    let said = ""
    const until = async (isEnough: (said: string) => boolean) => {
      while (!isEnough(said)) {
        const { value, done } = await reader.read()
        if (done) return said
        said += Buffer.from(value).toString()
      }
      return said
    }
    const bodies = async (count: number) => bodiesIn(await until((text) => idsIn(text).length >= count))
    return { answer, status: 200, until, bodies, close: () => reader.cancel() }
  }
  return { ...customer, bridge, outbox: await anOutbox(bridge), open }
}

const idsIn = (said: string) => [...said.matchAll(/^id: (.*)\ndata: /gm)].map(([, id]) => id!)
const own = (body: string): Event => ({ ...anEvent(body), from_me: true }) as Event // a message's
/** Where a reader goes on that has read so far. */
const positionIn = (said: string) => [...said.matchAll(/^id: (.*)$/gm)].at(-1)?.[1]
const bodiesIn = (said: string) =>
  [...said.matchAll(/^data: (.*)$/gm)].map(([, data]) => {
    const { event } = StoredEvent.strict().parse(JSON.parse(data!))
    return "body" in event ? event.body : event.event
  })
const begun = (said: string) => /^: /m.test(said)

test("a stream begins now, tells each event once, in order, with its id, and says that it is there", async () => {
  const shop = await aShop()
  await shop.outbox.write(anEvent("before"))
  const stream = await shop.open()
  expect(stream.answer.headers.get("content-type")).toBe("text/event-stream")
  await stream.until!(begun)
  const ids = [
    ...(await shop.outbox.write(anEvent("a"))),
    ...(await shop.outbox.write(anEvent("b\n\nid: 7"))),
  ]
  expect(await stream.bodies!(2)).toEqual(["a", "b\n\nid: 7"])
  expect(idsIn(await stream.until!(() => true))).toEqual(ids)
})

test("where the store tells of events, one is shown without a look at the clock", async () => {
  onTestFinished(listenForNewEvents())
  const shop = await aShop()
  const stream = await shop.open()
  await stream.until!(begun)
  for (let n = 1; n <= 50; n++) {
    await shop.outbox.write(anEvent(String(n)))
    noteRow(toItem(EventRow.key(shop.bridge.id, n)))
    // At a look each second this would take longer than a test may.
    expect((await stream.bodies!(n)).at(-1)).toBe(String(n))
  }
})

test("a reader that comes back misses nothing and gets nothing twice", async () => {
  const shop = await aShop()
  const ids = await shop.outbox.write(...["a", "b", "c"].map(anEvent))
  const again = await shop.open("", { "last-event-id": ids[0]! })
  expect(await again.bodies!(2)).toEqual(["b", "c"])
  await again.close!()
  // The event that it had last may have expired, and those after it.
  for (const n of [1, 2]) await removeRow({ TableName: tables.events, Key: EventRow.key(shop.bridge.id, n) })
  const late = await shop.open("", { "last-event-id": ids[0]! })
  expect(await late.until!((said) => said.includes('"c"'))).toMatch(
    /^id: .*\n\n(: still here\nid: .*\n\n)?event: missed\nid: (evt_.*)\ndata: \{"missed":1\}\n\nid: /,
  )
})

test("a reader that has had no event, or none that it wanted, goes on where its stream had come to", async () => {
  timing.commentEachMs = 50
  const shop = await aShop()
  const empty = await shop.open()
  const beginning = positionIn(await empty.until!((said) => said.includes("id: ")))!
  await empty.close!()
  const [first] = await shop.outbox.write(anEvent("a"), own("b"))
  const again = await shop.open("", { "last-event-id": beginning })
  expect(await again.bodies!(2)).toEqual(["a", "b"])
  await again.close!()

  const votes = await shop.open("?type=poll_vote,call_incoming", { "last-event-id": first! })
  const reached = await votes.until!((said) => said.includes(": ") && positionIn(said) !== first)
  expect(bodiesIn(reached)).toEqual([])
  await votes.close!()
  for (const n of [1, 2]) await removeRow({ TableName: tables.events, Key: EventRow.key(shop.bridge.id, n) })
  await shop.outbox.write(anEvent("c"))
  const later = await shop.open("?type=message", { "last-event-id": positionIn(reached)! })
  expect(await later.until!((said) => said.includes('"c"'))).not.toContain("missed")
})

test("a stream tells how many events are gone, and not of numbers that a restore has left out", async () => {
  const shop = await aShop()
  const [first] = await shop.outbox.write(...["a", "b", "c"].map(anEvent))
  await markRestored(shop.bridge.id, Date.now())
  const { id } = shop.bridge
  for (const n of [1, 2, 3]) await removeRow({ TableName: tables.events, Key: EventRow.key(id, n) })
  const delivery = (await Delivery.get(Delivery.first(id)))!
  await (await anOutbox(shop.bridge, Delivery.highestNumberUsed(delivery))).write(anEvent("d"))
  const stream = await shop.open("", { "last-event-id": first! })
  expect(await stream.until!((said) => said.includes('"d"'))).toContain('data: {"missed":2}')
  await stream.close!()
  const anew = await shop.open("?since=0")
  expect(await anew.until!((said) => said.includes('"d"'))).not.toContain("missed")
})

test("a list and a stream take several types", async () => {
  const shop = await aShop()
  await shop.outbox.write(anEvent("a"), { event: "connected", phone: "1" })
  const listed = async (type: string) => {
    const answer = await shop.get(`/api/instances/shop/events?type=${type}`)
    return answer.status === 200 ? ((await json(answer)) as unknown as unknown[]).length : answer.status
  }
  expect(
    await Promise.all(["message", "message,connected", "typing,connected", "message,no"].map(listed)),
  ).toEqual([1, 2, 1, 400])
})

test("a stream refuses what only a list has: a state, another order, another webhook", async () => {
  const shop = await aShop()
  for (const [query, path] of [
    ["?state=pending", "state"],
    ["?order=newest", "order"],
    ["?webhook=wh_5d0c7a9be1f24c68", "webhook"],
  ] as const) {
    const { answer } = await shop.open(query)
    expect(answer.status).toBe(400)
    expect(await json(answer)).toMatchObject({ issues: [{ path }] })
  }
})

test("an id from elsewhere hides no coming event: it is refused, unless a restore has lost its event", async () => {
  const [shop, other] = [await aShop(), await aShop()]
  await shop.outbox.write(anEvent("a"))
  const [theirs] = await other.outbox.write(anEvent("a"))
  const beyond = EventRow.idOf(shop.bridge.id, 4000, ["x"])
  for (const lastEventId of [theirs!, beyond, "evt_x"]) {
    const wrong = await shop.open("", { "last-event-id": lastEventId })
    expect(wrong.status).toBe(400)
    expect(await json(wrong.answer)).toMatchObject({ issues: [{ path: "Last-Event-ID" }] })
  }
  expect(await json((await shop.open(`?after=${theirs}`)).answer)).toMatchObject({
    issues: [{ path: "after" }],
  })
  await markRestored(shop.bridge.id, Date.now())
  const stream = await shop.open("", { "last-event-id": beyond })
  await stream.until!(begun)
  await shop.outbox.write(anEvent("b"))
  expect(await stream.bodies!(1)).toEqual(["b"])
})

test("a copy restored again and again gives no number twice; a reader of a lost event goes on after it", async () => {
  const shop = await aShop()
  const { id } = shop.bridge
  await shop.outbox.write(anEvent("a"))
  const copy = await rowsOf(tables.events, id)
  const lost: string[] = []
  for (let restored = 0; restored < 6; restored++) {
    for (const { pk, sk } of await rowsOf(tables.events, id))
      await removeRow({ TableName: tables.events, Key: { pk: String(pk), sk: String(sk) } })
    await batchWrite(copy.map((row) => ({ table: tables.events, row })))
    await markRestored(id, Date.now())
    const first = (await Delivery.get(Delivery.first(id)))!
    const [written] = await (
      await anOutbox(shop.bridge, Delivery.highestNumberUsed(first))
    ).write(anEvent("b"))
    lost.push(written!)
  }
  expect(new Set(lost.map(EventRow.numberOf)).size).toBe(6)
  for (const eventId of lost.slice(0, -1)) {
    const listed = await shop.get(`/api/instances/shop/events?after=${eventId}`)
    expect([listed.status, await json(listed)]).toEqual([
      200,
      [expect.objectContaining({ event_id: lost.at(-1) })],
    ])
    const stream = await shop.open("", { "last-event-id": eventId })
    expect(idsIn(await stream.until!((said) => idsIn(said).length > 0))).toEqual([lost.at(-1)])
    await stream.close!()
  }
})

test("`direction` and `search` leave out what others wrote, and what says something else", async () => {
  const shop = await aShop()
  const stream = await shop.open("?direction=out&search=HELLO")
  await stream.until!(begun)
  await shop.outbox.write(anEvent("hello from Ada"), own("good bye"), own("Hello Ada"), own("event"))
  await shop.outbox.write(own("hello again"))
  expect(await stream.bodies!(2)).toEqual(["Hello Ada", "hello again"])
})

test("a stream ends with how soon to come back, and then its place is free", async () => {
  Object.assign(timing, { endsAfterMs: 1200, commentEachMs: 100 })
  const shop = await aShop()
  const five = await Promise.all(Array.from({ length: 5 }, () => shop.open()))
  expect((await shop.open()).status).toBe(429)
  for (const said of await Promise.all(five.map((stream) => stream.until!(() => false))))
    expect(said).toMatch(/^id: (evt_a{40})\n\n(: still here\nid: \1\n\n)+retry: 1000\n\n$/)
  expect((await shop.open()).status).toBe(200)
})

test("a stream ends with its key, and the streams of other keys go on", async () => {
  timing.commentEachMs = 100
  const shop = await aShop()
  const key = await ApiKey.create(shop.account.id, "till")
  const [ends, stays] = [await shop.open("", { authorization: `Bearer ${key}` }), await shop.open()]
  for (const stream of [ends, stays]) await stream.until!(begun)
  expect((await shop.call("DELETE", `/api/keys/${ApiKey.idOf(key)}`)).status).toBe(204)
  expect(await ends.until!(() => false)).toMatch(/retry: 1000\n\n$/)
  await shop.outbox.write(anEvent("a"))
  expect(await stays.bodies!(1)).toEqual(["a"])
})

test("a stream ends with its bridge, though another one has its reference now", async () => {
  timing.commentEachMs = 100
  const shop = await aShop()
  const stream = await shop.open()
  await stream.until!(begun)
  await shop.call("DELETE", "/api/instances/shop")
  await shop.post("/api/instances", { customer_ref: "shop" })
  expect(await stream.until!(() => false)).toMatch(/retry: 1000\n\n$/)
})

test("another account's bridge has no stream, and who does not ask for one gets the list", async () => {
  const [shop, other] = [await aShop(), await aCustomer()]
  await shop.outbox.write(anEvent("a"))
  const accept = { accept: "text/event-stream" }
  expect((await other.call("GET", "/api/instances/shop/events", undefined, accept)).status).toBe(404)
  const list = await shop.call("GET", "/api/instances/shop/events", undefined, { accept: "*/*" })
  expect(await list.json()).toMatchObject([{ state: "pending", event: { body: "a" } }])
})
