import "#test/support/store.ts"
import { afterEach, expect, test, vi } from "vitest"
import { Deliveries, DeliveryOfEvent } from "#contract/delivery.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import { WebhookSecret } from "#core/bridge/webhook-secret.ts"
import { Webhook } from "#core/bridge/webhook.ts"
import { Claim } from "#core/event/claim.ts"
import { Delivery } from "#core/event/delivery.ts"
import { EventRow } from "#core/event/event-row.ts"
import { Resend } from "#core/event/resend.ts"
import { retryEvent, skipEvent } from "#core/event/retry-and-skip.ts"
import { getRow } from "#core/store/store.ts"
import { tables } from "#core/store/tables.ts"
import { rowsOf } from "#test/support/rows-of.ts"
import { aCustomer, json } from "#test/support/service/customer.ts"
import { aReceiver } from "#test/support/service/receiver.ts"
import { type Answer, isGenuine } from "#test/support/service/start-receiver.ts"
import { anEvent, anOutbox, answerAll, forgetDoorbells } from "#test/support/session/events-and-doorbells.ts"

afterEach(async () => {
  vi.useRealTimers()
  await forgetDoorbells()
})

const at = (path: string) => `/api/instances/shop/deliveries${path}`

/**
 * A customer's bridge with an outbox, whose receiver answers by script. The clock stands under the test's
 * control.
 */
async function aShop(script: Answer[] = []) {
  vi.useFakeTimers({ toFake: ["Date"] })
  const customer = await aCustomer()
  const receiver = await aReceiver(script)
  const url = `${receiver.url}?token=1`
  await customer.post("/api/instances", { customer_ref: "shop", webhook_url: url })
  // What is given up stays so here; `test/functions/delivery/healing.test.ts` has the rest.
  await customer.patch("/api/instances/shop/webhooks/first", { healing: false })
  const fresh = () => Bridge.get(customer.account.id, "shop")
  const bridge = await fresh()
  const summary = async () => Deliveries.strict().parse(await json(customer.get(at(""))))
  const of = async (id: string | undefined) => DeliveryOfEvent.parse(await json(customer.get(at(`/${id}`))))
  const ask = async (path: string, body?: unknown): Promise<Record<string, unknown>> => {
    const answer = await customer.post(at(path), body)
    return { status: answer.status, ...(await json(answer)) }
  }
  const came = () => receiver.arrivals.map(({ text, attempt }) => `${text} ${attempt}`)
  return { ...customer, bridge, fresh, receiver, url, outbox: await anOutbox(bridge), summary, of, ask, came }
}

function later(seconds: number) {
  vi.setSystemTime(Date.now() + seconds * 1000)
}

test("the head line says what waits, since when, when it is tried next, and since when the receiver fails", async () => {
  const shop = await aShop([500, 500, 200])
  expect(await shop.summary()).toEqual({ waiting: 0, resending: 0, attempts: [] })
  const start = Math.floor(Date.now() / 1000)
  const ids = await shop.outbox.append(...["a", "b", "c"].map(anEvent))
  await answerAll()
  later(11)
  await answerAll()
  const failing = await shop.summary()
  expect(failing).toMatchObject({
    waiting: 3,
    head: ids[0],
    attempts: [{ attempt: 2, status_code: 500 }, { attempt: 1 }],
  })
  expect(failing.oldest_at! - start).toBeLessThanOrEqual(3)
  expect(failing.failing_since! - start).toBeLessThanOrEqual(5)
  expect(failing.next_attempt_at! - failing.failing_since!).toBeGreaterThanOrEqual(40)
  later(31)
  await answerAll()
  expect(await shop.summary()).toEqual({ waiting: 0, resending: 0, attempts: expect.any(Array) })
})

const wordy: Answer = (response) =>
  response
    .writeHead(503, { "set-cookie": "a=b", "x-mended": "never", "x-long": "y".repeat(2000) })
    .end(`é<b>${"x".repeat(2000)}`)

test("an event's page has the bytes and headers that were sent, and each answer's first kilobyte", async () => {
  const shop = await aShop([wordy, 200])
  const [id] = await shop.outbox.append(anEvent("Grüße 👋"))
  await answerAll()
  later(11)
  await answerAll()
  const { attempts, headers, ...about } = await shop.of(id)
  const last = shop.receiver.arrivals.at(-1)!
  expect(about).toMatchObject({ event_id: id, state: "delivered", body: last.body.toString() })
  expect(attempts).toMatchObject([
    { attempt: 1, status_code: 503, success: false, resend: false, url: shop.url, error: "server_error" },
    { attempt: 2, status_code: 200, success: true, resend: false, url: "", answer: "" },
  ])
  expect(attempts[0]!.answer).toMatch(/^é<b>x+$/)
  expect(Buffer.byteLength(attempts[0]!.answer)).toBe(1024)
  expect(attempts[0]!.answer_headers).toMatchObject({ "x-mended": "never" })
  expect(Object.keys(attempts[0]!.answer_headers)).not.toContain("set-cookie")
  expect(headers.authorization).toBe("Bearer ***")
  expect({ ...last.headers, authorization: "Bearer ***" }).toMatchObject(headers)
})

test("a failure is found for a week behind 200 later attempts; it is sealed, and a success has no such row", async () => {
  const shop = await aShop([400])
  const [id] = await shop.outbox.append(anEvent("a"))
  await answerAll()
  await shop.outbox.append(...Array.from({ length: 90 }, () => anEvent()))
  await shop.outbox.append(...Array.from({ length: 90 }, () => anEvent()))
  await shop.outbox.append(...Array.from({ length: 25 }, () => anEvent()))
  await answerAll()
  expect((await shop.of(id)).attempts).toMatchObject([{ status_code: 400, answer: "ignored", url: shop.url }])
  const rows = await rowsOf(tables.events, shop.bridge.id, "FAILURE#")
  expect(rows).toHaveLength(1)
  expect(JSON.stringify(rows)).not.toContain("ignored")
  later(7 * 86_400 + 1)
  expect((await shop.of(id)).attempts).toEqual([])
})

test("a retry ends the wait, counts among the five attempts, and the resting doorbell does no harm", async () => {
  const shop = await aShop([500, 500, 500, 500, 500])
  const [id] = await shop.outbox.append(anEvent("a"), anEvent("b"))
  await answerAll()
  for (let n = 0; n < 4; n++) {
    expect(await shop.ask(`/${id}/retry`)).toEqual({ status: 202, ok: true })
    await answerAll()
  }
  expect(shop.came()).toEqual(["a 1", "a 2", "a 3", "a 4", "a 5", "b 1"])
  expect(await shop.outbox.states()).toEqual(["undelivered", "delivered"])
  // The doorbell that rested holds back no later one.
  await shop.outbox.append(anEvent("c"))
  await answerAll()
  expect(shop.came().at(-1)).toBe("c 1")
  later(600)
  await answerAll()
  expect(shop.came()).toHaveLength(7)
  expect(await Delivery.get(Delivery.first(shop.bridge.id))).toMatchObject({ head: 3, due: 0, holder: "" })
})

test("a skip gives up the head alone, at once, and the next event goes out; it can be sent again", async () => {
  const shop = await aShop([500])
  const [id] = await shop.outbox.append(anEvent("a"), anEvent("b"), anEvent("c"))
  await answerAll()
  expect(await shop.ask(`/${id}/skip`)).toEqual({ status: 200, ok: true })
  await answerAll()
  expect(shop.came()).toEqual(["a 1", "b 1", "c 1"])
  expect(await shop.outbox.states()).toEqual(["undelivered", "delivered", "delivered"])
  expect(await shop.ask("/resend", { since: 0 })).toEqual({ status: 202, ok: true, count: 1 })
  await answerAll()
  expect(shop.came().at(-1)).toBe("a 1")
  const { attempts, headers } = await shop.of(id)
  expect(attempts.map(({ resend }) => resend)).toEqual([false, true])
  expect(headers["x-webhook-resend"]).toBe("true")
  expect(await shop.outbox.states()).toEqual(["delivered", "delivered", "delivered"])
})

test("only the event whose turn it is can be tried or skipped: the sentence says which one that is", async () => {
  const shop = await aShop([200, 500])
  const [first, head, next] = await shop.outbox.append(...["a", "b", "c"].map(anEvent))
  await answerAll()
  for (const verb of ["retry", "skip"]) {
    expect(await shop.ask(`/${next}/${verb}`)).toMatchObject({
      status: 409,
      code: "not_waiting",
      error: `it is not this event's turn: ${head} is before it`,
    })
    expect(await shop.ask(`/${first}/${verb}`)).toMatchObject({ status: 409, code: "not_waiting" })
  }
  expect(shop.came()).toEqual(["a 1", "b 1"])
})

test("a skip waits for the attempt that is under way: never are two events on their way at once", async () => {
  let isOpen = false
  const slow: Answer = (response) => {
    isOpen = true
    setTimeout(() => {
      isOpen = false
      response.writeHead(500).end()
    }, 400)
  }
  const shop = await aShop([slow, (response) => response.writeHead(isOpen ? 508 : 200).end()])
  const [id] = await shop.outbox.append(anEvent("a"), anEvent("b"))
  const delivering = answerAll()
  await shop.receiver.atLeast(1)
  const skipped = await shop.ask(`/${id}/skip`)
  await delivering
  await answerAll()
  expect(skipped.status).toBe(200)
  expect(shop.came()).toEqual(["a 1", "b 1"])
  expect(await shop.outbox.states()).toEqual(["undelivered", "delivered"])
})

test("an event that a deliverer holds is not skipped, and one that it delivers meanwhile was not waiting", async () => {
  const shop = await aShop()
  await shop.outbox.append(anEvent("a"))
  // Free, and not early.
  const held = (await Claim.acquire(Delivery.first(shop.bridge.id), "somebody")) as Delivery.Info
  const event = (await EventRow.get(shop.bridge.id, 1))!
  await expect(skipEvent(Delivery.first(event.bridgeId), event, { withinMs: 0 })).rejects.toMatchObject({
    code: "not_waiting",
  })
  await retryEvent(Delivery.first(event.bridgeId), event)
  await Claim.advance(held)
  await expect(skipEvent(Delivery.first(event.bridgeId), event)).rejects.toMatchObject({
    code: "not_waiting",
  })
  await expect(retryEvent(Delivery.first(event.bridgeId), event)).rejects.toMatchObject({
    code: "not_waiting",
  })
})

test("all given up in a span of time is sent again, in order and at once; an open end is now", async () => {
  const shop = await aShop(Array.from({ length: 66 }, () => 400))
  const giveUp = async (name: string, count: number) => {
    await shop.outbox.append(...Array.from({ length: count }, (_, i) => anEvent(`${name} ${i}`)))
    await answerAll()
    const at = Math.floor(Date.now() / 1000)
    later(3600)
    return at
  }
  await giveUp("old", 3)
  const since = await giveUp("new", 60)
  await giveUp("newest", 3)
  shop.receiver.arrivals.splice(0)
  const span = { since: since - 60, until: since + 60 }
  expect(await shop.ask("/resend", span)).toEqual({ status: 202, ok: true, count: 60 })
  await answerAll()
  expect(shop.came()).toEqual(Array.from({ length: 60 }, (_, i) => `new ${i} 1`))
  expect(await shop.ask("/resend", span)).toEqual({ status: 202, ok: true, count: 0 })
  expect(await shop.ask("/resend", { since })).toEqual({ status: 202, ok: true, count: 3 })
  expect(await Resend.askSpan(Delivery.first(shop.bridge.id), { since: 0 })).toEqual({ count: 6 })
})

test("of a span whose events fail again three are tried; more than a hundred requests wait for their turn", async () => {
  const shop = await aShop(Array.from({ length: 10 }, () => 400))
  const id = Delivery.first(shop.bridge.id)
  await shop.outbox.append(...Array.from({ length: 7 }, (_, i) => anEvent(`${i}`)))
  await answerAll()
  shop.receiver.arrivals.splice(0)
  for (let i = 0; i < 100; i++) expect(await Resend.askSpan(id, { since: 0 })).toEqual({ count: 7 })
  expect(await shop.ask("/resend", { since: 0 })).toMatchObject({ status: 429 })
  await answerAll()
  expect(shop.came().slice(0, 4)).toEqual(["0 1", "1 1", "2 1", "0 1"])
})

test("one call asks for what was given up in a span of time of all numbers and webhooks, and says of which", async () => {
  const shop = await aShop()
  const further = await aReceiver()
  const { webhook } = await Webhook.create(shop.bridge, further.url, { heals: false })
  await shop.post("/api/instances", { customer_ref: "cafe", webhook_url: shop.receiver.urlOf("cafe") })
  await shop.post("/api/instances", { customer_ref: "inbox" })
  const cafe = await Bridge.get(shop.account.id, "cafe")
  await shop.patch("/api/instances/cafe/webhooks/first", { healing: false })
  const since = Math.floor(Date.now() / 1000)
  const at = await anOutbox(cafe)
  shop.receiver.say(404, 404, 404)
  further.say(404)
  await shop.outbox.append(anEvent("a"), anEvent("b"))
  await at.append(anEvent("c"))
  await answerAll()
  const later = Math.floor(Date.now() / 1000) + 3600
  expect(await json(shop.post("/api/deliveries/resend", { since: later }))).toEqual({
    ok: true,
    count: 0,
    requested: [],
  })
  expect(await json(shop.post("/api/deliveries/resend", { since, until: later }))).toEqual({
    ok: true,
    count: 4,
    requested: [
      { customer_ref: "cafe", webhook: "first", count: 1, all: true },
      { customer_ref: "shop", webhook: "first", count: 2, all: true },
      { customer_ref: "shop", webhook: webhook.webhookId, count: 1, all: true },
    ],
  })
  await answerAll()
  expect(await json(shop.post("/api/deliveries/resend", { since: 0, after: "cafe" }))).toMatchObject({
    count: 0,
  })
  expect(await at.states()).toEqual(["delivered"])
  expect(await shop.outbox.states()).toEqual(["delivered", "delivered"])
})

test("a webhook says whether it heals, takes the choice, and says what it last sent again by itself", async () => {
  const shop = await aShop([404, 404])
  const webhook = async () => await json(shop.get("/api/instances/shop/webhooks/first"))
  await shop.patch("/api/instances/shop/webhooks/first", { healing: true })
  expect(await webhook()).toMatchObject({ healing: true })
  await shop.outbox.append(anEvent("a"), anEvent("b"), anEvent("c"))
  await answerAll()
  expect(await webhook()).toMatchObject({
    recovered: { at: expect.any(Number), events: 2, left: 0, took_ms: expect.any(Number) },
  })
  expect(await shop.summary()).toMatchObject({ recovered: { events: 2 } })
  const off = await shop.patch("/api/instances/shop/webhooks/first", { healing: false })
  expect(await json(off)).toMatchObject({ healing: false })
  const created = shop.post("/api/instances/shop/webhooks", { url: shop.receiver.urlOf("b"), healing: false })
  expect(await json(created)).toMatchObject({ healing: false })
  const ofAll = shop.post("/api/webhooks", { url: shop.receiver.urlOf("all") })
  expect(await json(ofAll)).toMatchObject({ healing: true })
})

const v1s = (header: string) => [...header.matchAll(/,v1=[0-9a-f]{64}/g)].length

test("for a day after a roll both secrets sign, new first; then, or once it is finished, the new one alone", async () => {
  const shop = await aShop()
  const old = (await WebhookSecret.ofBridge(shop.bridge.id)).secrets[0]
  const roll = () => shop.post("/api/instances/shop/webhook-secret/roll")
  const rolled = await json(roll())
  const secret = String(rolled.webhook_secret)
  expect(secret).toMatch(/^whsec_/)
  expect(secret).not.toBe(old)
  expect(await json(shop.get("/api/instances/shop"))).toMatchObject({
    webhook_secret: secret,
    secret_overlap_until: rolled.overlap_until,
  })
  expect(await json(roll())).toMatchObject({ code: "secret_overlap" })

  const next = async (name: string) => {
    await shop.outbox.append(anEvent(name))
    await answerAll()
    const { body, headers } = shop.receiver.arrivals.at(-1)!
    const signature = String(headers["x-webhook-signature"])
    const signed = (by: string) => isGenuine(body, signature, by)
    expect(headers.authorization).toBe(`Bearer ${secret}`)
    expect(String(headers["webhook-signature"]).split(" ")).toHaveLength(v1s(signature))
    return [v1s(signature), signed(secret), signed(old)]
  }
  vi.useRealTimers()
  expect(await next("a")).toEqual([2, true, true])
  await shop.post("/api/instances/shop/webhook-test")
  expect(v1s(String(shop.receiver.arrivals.at(-1)!.headers["x-webhook-signature"]))).toBe(2)
  await shop.patch("/api/instances/shop", { webhook_url: `${shop.receiver.url}?moved` })
  expect(await next("b")).toEqual([2, true, true])
  expect((await WebhookSecret.ofBridge(shop.bridge.id)).secrets).toEqual([secret, old])

  expect((await shop.post("/api/instances/shop/webhook-secret/finish")).status).toBe(200)
  expect(await next("c")).toEqual([1, true, false])
  expect((await shop.post("/api/instances/shop/webhook-secret/finish")).status).toBe(200)
  expect(await json(shop.get("/api/instances/shop"))).not.toHaveProperty("secret_overlap_until")
})

test("after a day the replaced secret signs no more, and may be rolled again", async () => {
  const shop = await aShop()
  await WebhookSecret.roll(await Webhook.get(shop.bridge, "first"))
  later(86_401)
  expect((await WebhookSecret.ofBridge(shop.bridge.id)).secrets).toHaveLength(1)
  await shop.outbox.append(anEvent("a"))
  await answerAll()
  expect(v1s(String(shop.receiver.arrivals[0]!.headers["x-webhook-signature"]))).toBe(1)
  await WebhookSecret.roll(await Webhook.get(shop.bridge, "first"))
})

test("one of two rolls at once is refused, and a finish of yesterday's ends no secret of today", async () => {
  const shop = await aShop()
  const webhook = await Webhook.get(shop.bridge, "first")
  const outcomes = await Promise.allSettled([WebhookSecret.roll(webhook), WebhookSecret.roll(webhook)])
  expect(outcomes.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"])
  const yesterday = await Webhook.get(shop.bridge, "first")
  later(86_401)
  await WebhookSecret.roll(yesterday)
  await WebhookSecret.endOverlap(yesterday)
  expect((await WebhookSecret.ofBridge(shop.bridge.id)).secrets).toHaveLength(2)
  const { receiver } = (await Delivery.get(Delivery.first(shop.bridge.id)))!
  expect(receiver?.before).toBeDefined()
})

test("a bridge that was deleted meanwhile gets no secret, and no row of it comes back", async () => {
  const shop = await aShop()
  const webhook = await Webhook.get(shop.bridge, "first")
  await Bridge.remove(shop.bridge)
  await expect(WebhookSecret.roll(webhook)).rejects.toMatchObject({
    code: "not_found",
  })
  expect(await getRow(tables.events, Delivery.key(Delivery.first(shop.bridge.id)))).toBeUndefined()
})
