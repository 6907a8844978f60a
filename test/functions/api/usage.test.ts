import { afterEach, expect, test, vi } from "vitest"
import { Bridge } from "#core/bridge/bridge.ts"
import { Webhook } from "#core/bridge/webhook.ts"
import { Delivery } from "#core/event/delivery.ts"
import type { Receiver } from "#core/event/receiver.ts"
import { Resend } from "#core/event/resend.ts"
import { Usage } from "#core/event/usage.ts"
import { aCustomer } from "#test/support/service/customer.ts"
import { aReceiver } from "#test/support/service/receiver.ts"
import type { Answer } from "#test/support/service/start-receiver.ts"
import { anEvent, anOutbox, answerAll, forgetDoorbells } from "#test/support/session/events-and-doorbells.ts"
import { dynamoDb } from "#test/support/store.ts"

afterEach(async () => {
  vi.useRealTimers()
  await forgetDoorbells()
})

async function aShop(script: Answer[] = []) {
  vi.useFakeTimers({ toFake: ["Date"], now: new Date("2026-11-20T12:00:00Z") })
  const customer = await aCustomer()
  const receiver = await aReceiver(script)
  await customer.post("/api/instances", { customer_ref: "shop", webhook_url: receiver.url })
  // What is given up stays so here; `test/functions/delivery/healing.test.ts` has the rest.
  await customer.patch("/api/instances/shop/webhooks/first", { healing: false })
  const bridge = await Bridge.get(customer.account.id, "shop")
  const usage = async (query = "") => (await customer.get(`/api/usage${query}`)).json()
  return { ...customer, bridge, outbox: await anOutbox(bridge), usage }
}

function later(seconds: number) {
  vi.setSystemTime(Date.now() + seconds * 1000)
}

test("events, messages, attempts and failures count on their day, and every day stays", async () => {
  const shop = await aShop([200, 400, 500, 200])
  await shop.outbox.append(anEvent("told"), anEvent("given up"), { event: "connected", phone: "1" })
  await answerAll()
  later(11)
  await answerAll()
  const first = { date: "2026-11-20", customer_ref: "shop", undelivered: 1, attempts: 4, success: 0.5 }
  const came = { messages_in: 2, messages_out: 0 }
  expect(await shop.usage()).toEqual([
    { ...first, ...came, events: 2, messages: 1, p95_ms: expect.any(Number) },
  ])
  await Usage.countMessages(shop.bridge.id, "2026-11-20", { in: 2, out: 1 })
  await Usage.countMessages(shop.bridge.id, "2026-11-19", { in: 0, out: 5 })
  expect(await shop.usage()).toMatchObject([
    { date: "2026-11-19", events: 0, messages_in: 0, messages_out: 5, success: 1 },
    { ...first, events: 2, messages_in: 2, messages_out: 1 },
  ])
  later(86_400)
  await shop.outbox.append(anEvent("tomorrow"))
  await answerAll()
  expect(await shop.usage("?from=2026-11-20")).toMatchObject([
    { ...first, messages_in: 2, messages_out: 1 },
    { date: "2026-11-21", events: 1, attempts: 1, success: 1 },
  ])
  expect(await shop.usage("?from=2026-11-21")).toHaveLength(1)
  expect(await shop.usage("?from=2026-11-20&to=2026-11-20")).toMatchObject([first])
  expect(await (await (await aCustomer()).get("/api/usage")).json()).toEqual([])
})

test("a `to` alone ends 31 days, and a range that ends before it begins or names no day is refused", async () => {
  const shop = await aShop()
  for (const day of ["2026-09-30", "2026-10-01", "2026-10-31", "2026-11-01"])
    await Usage.countMessages(shop.bridge.id, day, { in: 1, out: 0 })
  expect(await shop.usage("?to=2026-10-31")).toMatchObject([{ date: "2026-10-01" }, { date: "2026-10-31" }])
  for (const [query, path, sentence] of [
    ["from=2026-11-21", "from", "is after `to`, 2026-11-20: give that day or an earlier one"],
    ["from=2026-11-12&to=2026-11-11", "from", "is after `to`, 2026-11-11: give that day or an earlier one"],
    ["from=2026-02-30", "from", "must be a day, as 2026-11-22"],
    ["to=2026-13-01", "to", "must be a day, as 2026-11-22"],
    ["to=0000-00-00", "to", "must be a day, as 2026-11-22"],
    ["from=yesterday", "from", "must be a day, as 2026-11-22"],
  ] as const) {
    const answer = await shop.get(`/api/usage?${query}`)
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({ issues: [{ path, message: sentence }] })
  }
})

test("an event sent again counts as an attempt, never as a new event, and is delivered once that succeeds", async () => {
  const shop = await aShop([410, 500, 200, 200])
  await shop.outbox.append(anEvent("given up"))
  await answerAll()
  const counts = { events: 0, messages: 0, undelivered: 1, attempts: 1, success: 0 }
  expect(await shop.usage()).toMatchObject([counts])
  const again = async () => {
    await Resend.ask(Delivery.first(shop.bridge.id), 1)
    await answerAll()
    return (await shop.usage()) as object[]
  }
  expect(await again()).toMatchObject([{ ...counts, attempts: 2 }])
  const taken = { events: 1, messages: 1, undelivered: 0 }
  expect(await again()).toMatchObject([{ ...taken, attempts: 3, success: expect.closeTo(1 / 3, 2) }])
  expect(await again()).toMatchObject([{ ...taken, attempts: 4, success: 0.5 }])
})

test("counting costs no write but one a day, and the inbox counts too", async () => {
  const shop = await aShop()
  await shop.patch("/api/instances/shop", { webhook_url: null })
  const writes: string[] = []
  const restore = dynamoDb.faults.add({
    fault: "lost-request",
    operation: "PutItem",
    when: (request) => {
      if (JSON.stringify(request).includes("USAGE#")) writes.push(JSON.stringify(request))
      return false
    },
  })
  for (let day = 0; day < 3; day++) {
    await shop.outbox.append(...["a", "b", "c"].map(anEvent))
    await answerAll()
    later(86_400)
  }
  restore()
  expect(writes).toHaveLength(2)
  const days = { events: 3, messages: 3, attempts: 0, success: 1, p95_ms: 0 }
  expect(await shop.usage()).toMatchObject([days, days, days])
})

test("a death between keeping a day and counting the next loses nothing and counts nothing twice", async () => {
  const shop = await aShop()
  await shop.outbox.append(anEvent("a"))
  await answerAll()
  later(86_400)
  const { today } = (await Delivery.get(Delivery.first(shop.bridge.id)))!
  await Usage.storeDay(Delivery.first(shop.bridge.id), today)
  await Usage.storeDay(Delivery.first(shop.bridge.id), today)
  expect(await shop.usage()).toMatchObject([{ events: 1 }])
  await shop.outbox.append(anEvent("b"))
  await answerAll()
  expect(await shop.usage()).toMatchObject([{ events: 1 }, { events: 1 }])
})

async function hoursOf(id: Receiver.Id): Promise<string[]> {
  const { today } = (await Delivery.get(id))!
  const hours = await Usage.lastHours(id, today)
  return hours.flatMap(({ atMs, tried, failed }) =>
    tried === 0 ? [] : `${new Date(atMs).toISOString().slice(8, 13)}: ${failed} of ${tried}`,
  )
}

test("each webhook counts by hour what was tried, what failed and how long it took, also of yesterday", async () => {
  const shop = await aShop([200, 400])
  const further = await aReceiver([500])
  const { webhook } = await Webhook.create(shop.bridge, further.url, {})
  await shop.outbox.append(anEvent("a"), anEvent("b"))
  await answerAll()
  later(23 * 3600)
  await shop.outbox.append(anEvent("c"))
  await answerAll()
  expect(await hoursOf(Delivery.first(shop.bridge.id))).toEqual(["20T12: 1 of 2", "21T11: 0 of 1"])
  expect(await hoursOf(webhook)).toEqual(["20T12: 1 of 1", "21T11: 0 of 3"])
})

test("a day's hours stand in a row as they were counted, a large hour at its bound, within 250 bytes", () => {
  vi.useFakeTimers({ toFake: ["Date"], now: new Date("2026-11-20T23:59:00Z") })
  let day: Usage.Day | undefined
  for (const [type, latencyMs] of [
    ["message", 700],
    ["message", 10_000],
    ["connected", 5],
  ] as const)
    day = Usage.dayWith(day, { type, end: "delivered", attempt: { isFailure: latencyMs > 9000, latencyMs } })
  const row = Usage.toRow(day!)
  expect(Usage.Day.parse(row)).toEqual(day)
  expect(day!.byHour[23]).toEqual({ tried: 3, failed: 1, ms: 10_705 })
  expect((row.packed as Uint8Array).length).toBeLessThan(250)
  const large = { ...day!, byHour: day!.byHour.map((hour) => ({ ...hour, tried: 70_000 })) }
  expect(Usage.Day.parse(Usage.toRow(large)).byHour[0]).toMatchObject({ tried: 65_535 })
})

test("the 95th percentile is the bound that 95 of 100 attempts kept", () => {
  vi.useFakeTimers({ toFake: ["Date"] })
  let day: Usage.Day | undefined
  for (let i = 0; i < 100; i++) {
    const latencyMs = i < 95 ? 40 : 20_000
    day = Usage.dayWith(day, { type: "message", attempt: { isFailure: false, latencyMs } })
  }
  expect(Usage.p95Of(day!)).toBe(50)
  day = Usage.dayWith(day, { type: "message", attempt: { isFailure: false, latencyMs: 20_000 } })
  expect(Usage.p95Of(day)).toBe(10_000)
})
