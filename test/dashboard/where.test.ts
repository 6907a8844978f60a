import "#test/support/store.ts"
import { randomUUID } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import type { Event } from "#contract/event.ts"
import { ApiKey } from "#core/account/api-key.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import { Delivery } from "#core/event/delivery.ts"
import { EventIndex } from "#core/event/event-index.ts"
import { EventSearch } from "#core/event/event-search.ts"
import { folded } from "#core/event/folded.ts"
import { config } from "#core/platform/config.ts"
import { tables } from "#core/store/tables.ts"
import { understand } from "#dashboard/where/asked.ts"
import { budget } from "#dashboard/where/find.ts"
import { aNetwork } from "#test/support/network/network.ts"
import { rowsOf } from "#test/support/rows-of.ts"
import { aScriptedHost, sayJson } from "#test/support/scripted-host.ts"
import { app } from "#test/support/service/app.ts"
import { anAddress, at } from "#test/support/service/customer.ts"
import { aReceiver } from "#test/support/service/receiver.ts"
import { anEvent, anOutbox, answerAll } from "#test/support/session/events-and-doorbells.ts"
import { aHost, eventsOfType, held, statusOf } from "#test/support/session/host.ts"
import { scanCode } from "#test/support/session/paired.ts"
import { until } from "#test/support/until.ts"
import { aPerson } from "./pages/person.ts"

/** What a person reads, in one line. */
const plain = (page: string) =>
  page
    .replaceAll(/<[^>]+>/g, " ")
    .replaceAll("&#x2F;", "/")
    .replaceAll(/\s+/g, " ")
const minute = (at = 0) => new Date(at * 1000).toISOString().slice(0, 16)
const clock = Date.parse("2026-11-30T15:00:00Z") / 1000

/** Where a search leads at once, or what its page reads. */
async function sought(person: Pick<Awaited<ReturnType<typeof aPerson>>, "get">, q: string, number?: string) {
  const query = new URLSearchParams({ q, ...(number && { number }) })
  const answer = await person.get(`/where?${query.toString()}`)
  return answer.headers.get("location") ?? plain(await answer.text())
}

test.for([
  ["true_4915112345678@c.us_3EB0ABCDEF0123456789", "3EB0ABCDEF0123456789"],
  ["false_120363021@g.us_3A12FFABCDEF01234567_4915112345678@c.us", "3A12FFABCDEF01234567"],
  [
    `wamid.${Buffer.from("\x1c\x18\x0b16505551234\x15\x02\x18\x12CF19FC6A12345678").toString("base64")}`,
    "CF19FC6A12345678",
  ],
  [' "3EB0ABCDEF0123456789",', "3EB0ABCDEF0123456789"],
  ["3eb07c8ece8433a94c3237", "3EB07C8ECE8433A94C3237"],
  ["+49 151-123 456 78", undefined],
  ["4915112345678@s.whatsapp.net", undefined],
  ["good morning", undefined],
] as const)("%s is understood as the id %s", ([typed, id]) => {
  expect(understand(typed, clock).id).toBe(id)
})

test.for([
  ["+49 (151) 123-456 78", "4915112345678"],
  ["0049 151 12345678", "4915112345678"],
  ["0151 123 456", "151123456"],
  ["+55 11 98765-4321", "551187654321"],
  ["4915112345678:12@s.whatsapp.net", "4915112345678@s.whatsapp.net"],
] as const)("%s is also looked for as %s", ([typed, text]) => {
  expect(understand(typed, clock).texts).toContain(text)
})

test.for([
  ["14:02", "2026-11-30T14:01", "2026-11-30T14:04"],
  ["23:30", "2026-11-29T23:29", "2026-11-29T23:32"],
  ["2026-11-28 9:05–9:10", "2026-11-28T09:04", "2026-11-28T09:12"],
] as const)("%s is a span of time from %s to %s", ([typed, from, to]) => {
  const { span } = understand(typed, clock)
  expect([minute(span?.from), minute(span?.to)]).toEqual([from, to])
})

test.for([
  ["Europe/Berlin", "14:02", "2026-11-30T13:01"],
  ["Europe/Berlin", "2026-07-01 14:02", "2026-07-01T12:01"],
  ["Pacific/Auckland", "2:02", "2026-11-30T13:01"],
  ["America/Los_Angeles", "23:30", "2026-11-30T07:29"],
] as const)("in %s, %s begins at %s UTC", ([zone, typed, from]) => {
  expect(minute(understand(typed, clock, zone).span?.from)).toBe(from)
})

test.for([
  ["José", "JOSE"],
  ["Ｍａｒｉａ  Lopes", "maria lopes"],
  ["раураl", "paypal"],
  ["\u202eשלום\u202c", "שלום"],
  ["❤️", "❤"],
  ["👩‍👩‍👧‍👦".repeat(64), "👩‍👩‍👧‍👦".repeat(64)],
] as const)("%s is found as %s", ([written, typed]) => {
  expect(folded(written)).toBe(understand(typed, clock).texts[0])
})

test("words of many events are one row, which delivery writes, and search finds events by it", async () => {
  const { bridge } = await aPerson()
  const outbox = await anOutbox(bridge, EventIndex.perRow - 2)
  const ids = await outbox.append(anEvent("The Blue One"), anEvent("a red one"))
  await answerAll()
  const rows = () => rowsOf(tables.events, bridge.id, "WORDS#")
  expect((await rows()).map(({ sk }) => sk)).toEqual(["WORDS#000000000000"])
  // Events go after 30 days where there is no webhook, and their words with them.
  expect((await rows())[0]!.expires_at).toBe(
    (await rowsOf(tables.events, bridge.id, "EVENT#"))[0]!.expires_at,
  )
  await outbox.append(anEvent("a green one"))
  await answerAll()
  const found = async (text: string) =>
    (await EventSearch.newest(bridge, { texts: [text], limit: 50, isOver: () => false })).events
  expect((await found("blue one")).map(({ event_id, state }) => [event_id, state])).toEqual([
    [ids[0], "inbox"],
  ])
  expect(await found(" one")).toHaveLength(3)
  const page = await EventSearch.newest(bridge, { texts: [" one"], limit: 2, isOver: () => false })
  const rest = { texts: [" one"], limit: 2, before: page.before, isOver: () => true }
  expect((await EventSearch.newest(bridge, rest)).events.map(({ event_id: id }) => id)).toEqual([ids[0]])
})

test("a delivery and a search cross the numbers that a restore leaves out, however many", async () => {
  const { bridge } = await aPerson()
  const [old] = await (await anOutbox(bridge)).append(anEvent("before it"))
  await answerAll()
  const to = 2_000_000_000
  await Delivery.skipNumbers((await Delivery.get(Delivery.first(bridge.id)))!, { after: 1, to })
  const [fresh] = await (await anOutbox(bridge, to)).append(anEvent("behind it"))
  await answerAll()
  const rows = await rowsOf(tables.events, bridge.id, "WORDS#")
  expect(rows.map(({ sk }) => sk)).toEqual(["WORDS#000000000000"])
  const { events } = await EventSearch.newest(bridge, { texts: [" it"], limit: 50, isOver: () => false })
  expect(events.map(({ event_id, state }) => [event_id, state])).toEqual([
    [fresh, "inbox"],
    [old, "inbox"],
  ])
})

test("whoever belongs to another account finds nothing by its ids, words, people, requests and keys", async () => {
  const [owner, stranger] = [await aPerson(), await aPerson()]
  const event = { ...anEvent("the secret plan"), message_id: "3EB0FFFFFFFFFFFFFFFFFF" } as Event
  const [id] = await (await anOutbox(owner.bridge)).write(event)
  const key = await ApiKey.create(owner.accountId, "till")
  const refused = await app.request(
    "/api/instances/nobody/proxy/status",
    { headers: { authorization: `Bearer ${key}` } },
    at(anAddress()),
  )
  const requestId = refused.headers.get("x-request-id")!
  const all = [id!, "3EB0FFFFFFFFFFFFFFFFFF", "secret plan", "491711234567", "Ada", requestId]
  const own = await Promise.all(all.map((q) => sought(owner, q)))
  expect(own[0]).toBe(`/numbers/shop/events/${id}`)
  expect(own[1]).toBe(`/numbers/shop/events/${id}`)
  for (const page of own.slice(2, 5)) expect(page).toContain("the secret plan")
  expect(own[5]).toContain("/api/instances/nobody/proxy/status")
  for (const q of all)
    expect([q, await sought(stranger, q)]).toEqual([q, expect.stringContaining("Nothing was found")])
  // In the owner's number, too.
  expect(await sought(stranger, "secret plan", "shop")).toContain("Nothing was found")
  const page = await (await stranger.get("/numbers/shop/messages/3EB0FFFFFFFFFFFFFFFFFF")).text()
  expect(page).not.toContain("secret plan")
})

test("a message that came and one that was sent are found by all that is known of them, on their way", async () => {
  const network = await aNetwork()
  const person = await aPerson()
  const host = await aHost(network)
  const ada = await network.phone("Ada")
  const bob = await network.phone("Bob Ünal")
  await held(person.bridge.id, host)
  await scanCode(ada, person.bridge.id)
  await until(async () => (await statusOf(person.bridge.id)) === "connected")
  const receiver = await aReceiver([500])
  await Bridge.setWebhookUrl(person.bridge, receiver.url)
  await bob.send(ada.number, "I would like two blue ones 💙")
  const [came] = await eventsOfType(person.bridge.id, "message")
  await answerAll()

  const onWay = await sought(person, came!.message_id)
  expect(onWay).toMatch(/^\/numbers\/shop\/events\/evt_/)
  for (const q of ["bob unal", `+${bob.number.slice(0, 4)} ${bob.number.slice(4)}`, "TWO blue", "💙"])
    expect([q, await sought(person, q)]).toEqual([q, expect.stringContaining("I would like two blue ones")])
  const way = plain(await (await person.get(onWay)).text())
  expect(way).toMatch(
    /On the network.*Stored here.*What else happened then.*Waits behind another.*See the event/,
  )

  const key = await ApiKey.create(person.accountId, "till")
  const send = async (headers: Record<string, string> = {}) => {
    const answer = await app.request(
      "/api/instances/shop/proxy/send/text",
      {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
        body: JSON.stringify({ chat: bob.number, body: "They are ready" }),
      },
      at(anAddress()),
    )
    const { message_id: id } = (await answer.json()) as { message_id: string }
    return { id, requestId: answer.headers.get("x-request-id")! }
  }
  const sent = await send({ "idempotency-key": `order-${randomUUID()}` })
  expect(await sought(person, sent.id)).toBe(`/numbers/shop/messages/${sent.id}`)
  expect(await sought(person, sent.requestId)).toBe(`/numbers/shop/messages/${sent.id}`)
  const itsWay = plain(await (await person.get(`/numbers/shop/messages/${sent.id}`)).text())
  expect(itsWay).toMatch(/Asked for.*Stored.*The network has it/)
  const idempotencyKey = `order-${randomUUID()}`
  const { id } = await send({ "idempotency-key": idempotencyKey })
  expect(await sought(person, idempotencyKey)).toBe(`/numbers/shop/messages/${id}`)

  await network.fault({ kind: "nack", code: 463, times: 1 })
  await send()
  const [, failed = ""] =
    /Sent through the API.*?href="([^"]+)"/.exec(
      (await (await person.get("/where?q=are+ready")).text())
        .replaceAll(/\s+/g, " ")
        .replaceAll("&#x2F;", "/"),
    ) ?? []
  const failedWay = plain(await (await person.get(failed)).text())
  expect(failedWay).toMatch(/Asked for.*the key till.* See the request.*Rejected by the network.*463/)
})

test("a person of the address book is found with what they wrote under their own name", async () => {
  const person = await aPerson()
  const jid = "491711234567@s.whatsapp.net"
  const host = await aScriptedHost(({ path }, response) => {
    const known = { people: [{ jid, name: "Mrs. Jones" }], sent: [], isWhole: true }
    sayJson(response, 200, path.startsWith("/found") ? known : path.startsWith("/search") ? [] : {})
  })
  await host.take(person.bridge.id)
  const outbox = await anOutbox(person.bridge)
  await outbox.write(anEvent("It is Ada who writes"))
  expect(await sought(person, "mrs. jones", "shop")).toContain("It is Ada who writes")
  Object.assign(budget, { ms: 0 })
  onTestFinished(() => void Object.assign(budget, { ms: 1200 }))
  expect(await sought(person, "mrs. jones", "shop")).toContain("no time for the events: try again")
  await Bridge.create({ accountId: person.accountId, customerRef: "till" })
  expect(await sought(person, "mrs. jones")).toMatch(
    /no time for all events of \d of \d numbers \(.*shop.*\).*Look at further numbers/,
  )
})

test("a span of a number shows its connection, messages, attempts, calls and log in one list", async () => {
  const folder = mkdtempSync(join(tmpdir(), "bridge-logs-"))
  config.LOG_DIR = folder
  onTestFinished(() => {
    delete config.LOG_DIR
    rmSync(folder, { recursive: true })
  })
  const person = await aPerson()
  await Bridge.setWebhookUrl(person.bridge, (await aReceiver([404])).url)
  const outbox = await anOutbox(person.bridge)
  await outbox.append({ event: "disconnected" }, anEvent("hello there"))
  await answerAll()
  const key = await ApiKey.create(person.accountId, "till")
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
  await app.request(
    "/api/instances/shop/proxy/send/text",
    { method: "POST", headers, body: "{}" },
    at(anAddress()),
  )
  await app.request(
    "/api/instances/other/proxy/send/text",
    { method: "POST", headers, body: "{}" },
    at(anAddress()),
  )
  const hour = new Date().toISOString().slice(11, 16)
  const to = await sought(person, hour, "shop")
  expect(to).toMatch(/^\/numbers\/shop\/what-happened\?from=\d+&to=\d+$/)
  // Where a number is still to be chosen, the time is meant in the same zone afterwards.
  await Bridge.create({ accountId: person.accountId, customerRef: "other" })
  const which = await (await person.get("/where?q=2026-01-01+14:02&zone=Asia/Kolkata")).text()
  expect(which).toContain(`what-happened?from=${Date.parse("2026-01-01T08:31Z") / 1000}&`)
  expect(which).toContain('name="zone" value="Asia/Kolkata"')
  const page = plain(await (await person.get(`${to}0`)).text())
  for (const part of [
    /connection \S+ \S+ disconnected/,
    /hello there/,
    /attempt \S+ \S+ It answered with status 404/,
    /API call \S+ \S+ POST/,
    /log/,
  ])
    expect(page).toMatch(part)
  expect(page).not.toContain("instances/other")
  const before = plain(
    await (await person.get("/numbers/shop/what-happened?from=1700000000&to=1700000600")).text(),
  )
  expect(before).toContain("Nothing is known of this time.")
})
