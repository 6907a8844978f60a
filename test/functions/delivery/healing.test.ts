import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { AccountWebhook } from "#core/bridge/account-webhook.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import { Webhook } from "#core/bridge/webhook.ts"
import { Claim } from "#core/event/claim.ts"
import { Delivery } from "#core/event/delivery.ts"
import { EventLists } from "#core/event/event-lists.ts"
import { Resend } from "#core/event/resend.ts"
import { deliver } from "#functions/delivery/deliver.ts"
import { ringOverdue } from "#functions/sweep/bells.ts"
import { aBridge } from "#test/support/service/bridge.ts"
import { aReceiver } from "#test/support/service/receiver.ts"
import { anEvent, anOutbox, answerAll, forgetDoorbells } from "#test/support/session/events-and-doorbells.ts"
import { dynamoDb } from "#test/support/store.ts"

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }))
afterEach(async () => {
  vi.useRealTimers()
  await forgetDoorbells()
})

function pass(seconds: number): void {
  vi.setSystemTime(Date.now() + seconds * 1000)
}

/** A new bridge whose receiver answers with this status, until it is told otherwise. */
async function aShop(status: number) {
  let answers = (_text: string) => status
  const receiver = await aReceiver([], ({ text = "" }) => answers(text))
  const bridge = await aBridge(receiver.url)
  const outbox = await anOutbox(bridge)
  const id = Delivery.first(bridge.id)
  const say = (next: number | ((text: string) => number)) =>
    void (answers = typeof next === "number" ? () => next : next)
  const come = async (...texts: string[]) => {
    const ids = await outbox.append(...texts.map((text) => anEvent(text)))
    await answerAll()
    return ids
  }
  /** What came since the last look, and whether it was sent again. */
  let seen = 0
  const came = () => {
    const told = receiver.arrivals
      .slice(seen)
      .map(({ text, headers }) => (headers["x-webhook-resend"] === "true" ? `${text} again` : text))
    seen = receiver.arrivals.length
    return told
  }
  const row = async () => (await Delivery.get(id))!
  const undelivered = async () =>
    (await EventLists.page(id, { state: "undelivered", after: 0, limit: 10 })).map(({ n }) => n)
  /** Time passes, and the sweep looks, until the next probe was made. */
  const probe = async () => {
    const { resumesAt } = (await row()).healing!
    pass(Math.max(0, resumesAt - Date.now() / 1000) + 1)
    await ringOverdue()
    return await answerAll()
  }
  return { bridge, id, outbox, receiver, say, come, came, row, undelivered, probe }
}

test("what was given up is sent again in order once a new event is taken, between newer ones", async () => {
  const { say, come, came, row, undelivered } = await aShop(404)
  await come("a", "b", "c")
  expect(came()).toEqual(["a", "b", "c"])
  expect(await undelivered()).toEqual([1, 2, 3])
  say(200)
  await come("d", "e", "f")
  expect(came()).toEqual(["d", "a again", "e", "b again", "f", "c again"])
  expect(await undelivered()).toEqual([])
  expect(await row()).toMatchObject({ due: 0, head: 6, holder: "", givenUp: 0 })
  expect((await row()).healing).toBeUndefined()
  expect((await row()).recovered).toMatchObject({ events: 3, left: 0 })
})

test("a receiver that gets no new event is found to be back by the oldest that was given up", async () => {
  const { say, come, came, row, undelivered, probe } = await aShop(404)
  await come("a", "b")
  came()
  expect(await probe()).toBe(1)
  expect(came()).toEqual(["a again", "b again"])
  const { resumesAt } = (await row()).healing!
  await probe()
  expect((await row()).healing!.resumesAt).toBeGreaterThan(resumesAt)
  came()
  say(200)
  await probe()
  expect(came()).toEqual(["a again", "b again"])
  expect(await undelivered()).toEqual([])
  const { healing, failingSince, recovered } = await row()
  expect([healing, failingSince, recovered?.events]).toEqual([undefined, undefined, 2])
  pass(100_000)
  await ringOverdue()
  expect(await answerAll()).toBe(0)
})

test("one that answers once and fails again keeps what is left for the next time", async () => {
  const { say, come, came, undelivered, probe } = await aShop(404)
  await come("a", "b", "c")
  came()
  say((text) => (text === "d" ? 200 : 500))
  await come("d")
  expect(came()).toEqual(["d", "a again"])
  expect(await undelivered()).toEqual([1, 2, 3])
  say(200)
  await probe()
  expect(came()).toEqual(["a again", "b again", "c again"])
})

test("an event that is refused in five turns while others are taken is left, and holds up none", async () => {
  const { say, come, came, row, undelivered, probe } = await aShop(200)
  say((text) => (text === "b" ? 400 : 200))
  await come("a", "b", "c", "d")
  expect(came()).toEqual(["a", "b", "c", "b again", "d"])
  for (const text of ["e", "f", "g", "h"]) {
    await come(text)
    await probe()
    expect(came()).toEqual([text, "b again"])
  }
  await come("i")
  expect(came()).toEqual(["i"])
  expect(await undelivered()).toEqual([2])
  expect((await row()).healing).toBeUndefined()
})

test("of events that are refused, those before one that is taken are left at once, others after five turns", async () => {
  const { say, come, came, row, undelivered, probe } = await aShop(404)
  await come("a", "b", "c", "d", "e")
  came()
  say((text) => (["b", "d", "e"].includes(text) ? 400 : 200))
  await come("f")
  expect(came()).toEqual(["f", "a again", "b again", "c again", "d again", "e again"])
  expect(await undelivered()).toEqual([2, 4, 5])
  for (const text of ["g", "h", "i", "j"]) {
    await come(text)
    await probe()
    expect(came()).toEqual([text, "d again", "e again"])
  }
  expect((await row()).healing).toBeUndefined()
  expect(await undelivered()).toEqual([2, 4, 5])
})

test("an event at which the receiver breaks is left after five turns, if it takes others meanwhile", async () => {
  const { say, come, came, row, undelivered, probe } = await aShop(404)
  await come("a", "b")
  say((text) => (text === "a" ? 500 : 200))
  await come("c")
  came()
  for (const text of ["d", "e", "f"]) {
    await come(text)
    await probe()
    expect(came()).toEqual([text, "a again"])
  }
  await come("g")
  await probe()
  expect(came()).toEqual(["g", "a again", "b again"])
  expect(await undelivered()).toEqual([1])
  expect((await row()).recovered).toMatchObject({ events: 1, left: 1 })
})

test("without a new event the one behind it is tried, too, once it has failed for some time", async () => {
  const { say, come, came, undelivered, probe } = await aShop(404)
  await come("a", "b", "c")
  say((text) => (text === "a" ? 500 : 200))
  came()
  for (let turns = 0; turns < 5; turns++) {
    await probe()
    expect(came()).toEqual(["a again"])
  }
  await probe()
  expect(came()).toEqual(["a again", "b again", "c again"])
  expect(await undelivered()).toEqual([1])
})

test("a receiver that is away for long is tried ever more seldom, and at last each six hours", async () => {
  const { come, receiver, row, probe } = await aShop(500)
  await come("a")
  for (const wait of [10, 30, 60, 180]) {
    pass(wait + 1)
    await answerAll()
    await forgetDoorbells()
    await deliver(await row())
  }
  const begun = Date.now()
  const posted = receiver.arrivals.length
  while (Date.now() - begun < 29 * 86_400_000) await probe()
  expect(receiver.arrivals.length - posted).toBeLessThan(150)
  const { resumesAt } = (await row()).healing!
  expect(resumesAt - Date.now() / 1000).toBeLessThanOrEqual(6 * 3600)
}, 60_000)

test("what has been kept for longer than thirty days is not sent again", async () => {
  const { say, come, came, row, probe } = await aShop(404)
  await come("a", "b")
  came()
  pass(31 * 86_400)
  say(200)
  await probe()
  expect(came()).toEqual([])
  expect((await row()).healing).toBeUndefined()
})

test("the events of a batch that was refused as a whole are sent again one by one: the bad one is left", async () => {
  const { bridge, id, say, outbox, receiver, undelivered } = await aShop(200)
  await Webhook.update(bridge, (await Delivery.get(id))!, { batch: 3 })
  say(200)
  receiver.say(400)
  await outbox.append(...["a", "b", "c", "d"].map(anEvent))
  receiver.say(200, 200, 400)
  await answerAll()
  expect(await undelivered()).toEqual([2])
})

test("a deliverer that dies during an attempt leaves it to the next, and nothing else is sent twice", async () => {
  const { id, say, come, came, undelivered, probe } = await aShop(404)
  await come("a", "b", "c")
  came()
  say(200)
  pass(61)
  const held = (await Claim.acquire(id, "dies")) as Delivery.Info
  expect((await Resend.countHealing(held))?.healAttempt).toBe(1)
  pass(Delivery.claimedFor() + Delivery.allowedLateness() + 1)
  await probe()
  expect(came()).toEqual(["a again", "b again", "c again"])
  expect(await undelivered()).toEqual([])
})

test("answers of the store that are lost repeat nothing and leave nothing out", async () => {
  const { bridge, say, come, came, undelivered, row } = await aShop(404)
  await come("a", "b", "c")
  came()
  say((text) => (text === "b" ? 500 : 200))
  let written = 0
  const isOfRow = (request: object) => JSON.stringify(request).includes(`${bridge.id}"},"sk":{"S":"DELIVERY"`)
  for (const operation of ["UpdateItem", "TransactWriteItems"] as const)
    dynamoDb.faults.add({
      fault: "lost-answer",
      operation,
      when: (request) => isOfRow(request) && written++ % 2 === 0,
    })
  await come("d")
  expect(came()).toEqual(["d", "a again", "b again"])
  say(200)
  pass(100)
  await come("e")
  expect(came()).toEqual(["e", "b again", "c again"])
  expect(await undelivered()).toEqual([])
  expect((await row()).recovered).toMatchObject({ events: 2, left: 0 })
})

test("another address gets what was given up, at once", async () => {
  const { bridge, come, undelivered } = await aShop(404)
  await come("a", "b")
  const next = await aReceiver()
  await Bridge.setWebhookUrl(bridge, next.url)
  await answerAll()
  expect(next.arrivals.map(({ text }) => text)).toEqual(["a", "b"])
  expect(await undelivered()).toEqual([])
})

test("a webhook that does not heal, one that is paused, and the inbox are sent nothing again", async () => {
  const { bridge, say, come, came, row, undelivered } = await aShop(404)
  await Webhook.update(bridge, await Webhook.get(bridge, "first"), { heals: false })
  await come("a")
  expect((await row()).healing).toBeUndefined()
  await Webhook.update(bridge, await Webhook.get(bridge, "first"), { heals: true })
  await come("b", "c")
  came()
  await Bridge.setWebhookUrl(bridge, "")
  say(200)
  pass(10_000)
  await ringOverdue()
  await answerAll()
  expect(came()).toEqual([])
  await Bridge.setWebhookUrl(bridge, (await aReceiver()).url)
  await answerAll()
  expect(await undelivered()).toEqual([1])
})

test("a further webhook that is paused gets nothing until it goes on", async () => {
  const { bridge, say, come } = await aShop(200)
  const further = await aReceiver([], () => (isDown ? 404 : 200))
  let isDown = true
  const { webhook } = await Webhook.create(bridge, further.url, {})
  await come("a", "b")
  expect(further.arrivals).toHaveLength(2)
  await Webhook.pause(webhook)
  isDown = false
  say(200)
  pass(10_000)
  await ringOverdue()
  await come("c")
  expect(further.arrivals).toHaveLength(2)
  await Webhook.resume(webhook)
  await answerAll()
  expect(further.arrivals.slice(2).map(({ text }) => text)).toEqual(["c", "a", "b"])
})

test("what its filter leaves out by now is passed over", async () => {
  const { bridge, say, come } = await aShop(200)
  let isDown = true
  const further = await aReceiver([], () => (isDown ? 404 : 200))
  const { webhook } = await Webhook.create(bridge, further.url, {})
  await come("a", "b")
  await Webhook.update(bridge, webhook, { events: ["connected"] })
  isDown = false
  say(200)
  pass(100)
  await ringOverdue()
  await answerAll()
  expect(further.arrivals).toHaveLength(2)
  expect((await Delivery.get(webhook))!.healing).toBeUndefined()
})

test("a webhook of the account heals at each bridge by itself", async () => {
  const { bridge, come } = await aShop(200)
  let isDown = true
  const receiver = await aReceiver([], () => (isDown ? 503 : 200))
  const { webhook } = await AccountWebhook.create(bridge.accountId, `${receiver.url}/all`, {})
  pass(2)
  await come("a")
  for (let attempts = 1; attempts < 5; attempts++) {
    pass(181)
    await answerAll()
  }
  expect(receiver.arrivals).toHaveLength(5)
  await AccountWebhook.pause(webhook)
  isDown = false
  pass(100_000)
  await ringOverdue()
  await answerAll()
  expect(receiver.arrivals).toHaveLength(5)
  await AccountWebhook.resume(webhook)
  await answerAll()
  expect(receiver.arrivals.at(-1)).toMatchObject({ headers: { "x-webhook-resend": "true" } })
  const at = (await Delivery.get({ bridgeId: bridge.id, webhookId: webhook.webhookId }))!
  expect([at.healing, at.recovered?.events]).toEqual([undefined, 1])
})
