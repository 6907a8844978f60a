import { randomUUID } from "node:crypto"
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"
import { Account } from "#core/account/account.ts"
import { removeEmpty } from "#core/account/remove-empty.ts"
import { AccountWebhook } from "#core/bridge/account-webhook.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import { DeliveryWrites } from "#core/bridge/delivery-writes.ts"
import { WebhookSecret } from "#core/bridge/webhook-secret.ts"
import { Webhook } from "#core/bridge/webhook.ts"
import { DeliveryReport } from "#core/event/delivery-report.ts"
import { Delivery } from "#core/event/delivery.ts"
import { EventLists } from "#core/event/event-lists.ts"
import { Receiver } from "#core/event/receiver.ts"
import { Resend } from "#core/event/resend.ts"
import { tryNow } from "#core/event/retry-and-skip.ts"
import { newDataKey } from "#core/keys/wrapping.ts"
import { config } from "#core/platform/config.ts"
import { transact, updateRow } from "#core/store/store.ts"
import { tables } from "#core/store/tables.ts"
import { deliver } from "#functions/delivery/deliver.ts"
import { ringOverdue } from "#functions/sweep/bells.ts"
import { rowsOf } from "#test/support/rows-of.ts"
import { anAccount } from "#test/support/service/bridge.ts"
import { aReceiver } from "#test/support/service/receiver.ts"
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

type Script = Parameters<typeof aReceiver>[0]

interface Line {
  bridge: Bridge.Info
  ref: string
  outbox: Awaited<ReturnType<typeof anOutbox>>
}

/** An account, and ways to give it bridges, each with a webhook of its own, and webhooks. */
async function aShop() {
  const account = await anAccount()
  await Account.setBridgeLimit(account.id, 100)
  const own = await aReceiver()
  const add = async (ref: string = randomUUID()): Promise<Line> => {
    const webhookUrl = own.urlOf(ref)
    const { bridge } = await Bridge.create({ accountId: account.id, customerRef: ref, webhookUrl })
    return { bridge, ref, outbox: await anOutbox(bridge) }
  }
  const listen = async (choice: Webhook.Choice = {}, script: Script = []) => {
    const receiver = await aReceiver(script)
    const { webhook } = await AccountWebhook.create(account.id, receiver.url, choice)
    receiver.trust("hook", (await Receiver.keysOf(webhook.receiver)).secrets[0])
    const { webhookId } = webhook
    const at = ({ bridge }: Line) => ({ bridgeId: bridge.id, webhookId })
    return { webhook, receiver, at, fresh: () => AccountWebhook.get(account.id, webhookId) }
  }
  return { account, own, add, listen }
}

/** An account gets a webhook of which this process learns by reading alone. */
async function addElsewhere(accountId: string, url: string): Promise<void> {
  const webhookId = `${Receiver.accountPrefix}elsewhere`
  const owner = Receiver.ownerAtAccount({ accountId, webhookId })
  const { key: dataKey, wrapped } = await newDataKey("delivery", owner)
  const about = { ...Receiver.atAccount({ accountId, webhookId }), accountId, customerRef: "", url }
  const receiver = await Webhook.receiverOf(about, { dataKey, wrapped }, {})
  const account = (await Account.get(accountId))!
  await transact([
    DeliveryWrites.choiceOfAccount(receiver, { heals: true }),
    Account.changingWebhooks(account, [webhookId]),
  ])
}

interface Told {
  customer_ref: string
  body: string
}
const toldBy = ({ body }: { body: Buffer }) => JSON.parse(body.toString()) as Told

/** What a receiver was told of a bridge, in order. */
function toldOf({ arrivals }: Awaited<ReturnType<typeof aReceiver>>, { ref }: Line): string[] {
  return arrivals.flatMap((one) => (toldBy(one).customer_ref === ref ? [toldBy(one).body] : []))
}

describe("an account's webhook", () => {
  test("gets the events of all bridges, each in order and with its bridge, beside the bridges' own", async () => {
    const { own, add, listen } = await aShop()
    const before = [await add(), await add(), await add()]
    for (const { outbox } of before) await outbox.append(anEvent("before"))
    await answerAll()
    later(1)
    const { receiver } = await listen()
    const lines = [...before, await add()]
    for (const text of ["a", "b", "c"]) for (const { outbox } of lines) await outbox.append(anEvent(text))
    await answerAll()
    for (const line of lines) {
      expect(toldOf(receiver, line)).toEqual(["a", "b", "c"])
      const ofOwn = own.arrivals.filter(({ bridge }) => bridge === line.ref)
      expect(ofOwn.map((one) => toldBy(one).body).slice(-3)).toEqual(["a", "b", "c"])
    }
    expect(receiver.arrivals.every(({ genuine, attempt }) => genuine && attempt === 1)).toBe(true)
    expect(own.arrivals.every((one) => toldBy(one).customer_ref === undefined)).toBe(true)
  })

  test("comes with its own headers, choice of events and batches, and with each event's bridge there", async () => {
    const { add, listen } = await aShop()
    const line = await add()
    const { receiver } = await listen({ batch: 10, headers: { "X-Key": "k" }, ignore: ["groups"] })
    const ofGroup = { ...anEvent("in a group"), chat_id: "120363000000000001@g.us", is_group: true }
    await line.outbox.append(anEvent("a"), ofGroup, anEvent("b"))
    await answerAll()
    const [{ body, headers } = receiver.arrivals[0]!] = receiver.arrivals
    expect(headers["x-key"]).toBe("k")
    const events = (JSON.parse(body.toString()) as { event: Told }[]).map(({ event }) => event)
    expect(events.map((one) => [one.body, one.customer_ref])).toEqual([
      ["a", line.ref],
      ["b", line.ref],
    ])
  })

  test("that is dead holds up no bridge's own, and a bridge's failing event holds up no other bridge", async () => {
    const { own, add, listen } = await aShop()
    const [one, other] = [await add(), await add()]
    const dead = await listen({}, [500])
    const alive = await listen()
    await one.outbox.append(anEvent("a"))
    await answerAll()
    await one.outbox.append(anEvent("b"))
    await other.outbox.append(anEvent("c"))
    await answerAll()
    expect(own.arrivals.map((arrival) => toldBy(arrival).body)).toEqual(["a", "b", "c"])
    expect(toldOf(dead.receiver, one)).toEqual(["a"])
    expect(toldOf(dead.receiver, other)).toEqual(["c"])
    expect(toldOf(alive.receiver, one)).toEqual(["a", "b"])
    later(11)
    await answerAll()
    expect(toldOf(dead.receiver, one)).toEqual(["a", "a", "b"])
  })

  test("reaches at once a bridge whose own webhook fails, whose next attempt is minutes away", async () => {
    const { own, add, listen } = await aShop()
    const line = await add()
    own.say(500)
    await line.outbox.append(anEvent("before"))
    await answerAll()
    later(1)
    const { receiver } = await listen()
    await line.outbox.append(anEvent("after"))
    await answerAll()
    expect(own.arrivals).toHaveLength(1)
    expect(toldOf(receiver, line)).toEqual(["after"])
  })

  test("that another process added gets each later event, whatever this process has read just before", async () => {
    const { account, add } = await aShop()
    const line = await add()
    await line.outbox.append(anEvent("before"))
    await answerAll()
    const receiver = await aReceiver()
    await addElsewhere(account.id, receiver.url)
    await line.outbox.append(anEvent("after"))
    await answerAll()
    expect(toldOf(receiver, line)).toContain("after")
  })

  test("that another process resumed gets what waits at once, also where a deliverer knows it as paused", async () => {
    const { add, listen } = await aShop()
    const line = await add()
    const { receiver, at, fresh } = await listen()
    await AccountWebhook.pause(await fresh())
    await line.outbox.append(anEvent("a"))
    await answerAll()
    expect(toldOf(receiver, line)).toEqual([])
    // As `resume` does, apart from what this process remembers: its clock stands still.
    const Key = Delivery.key(await fresh())
    await updateRow({ TableName: tables.events, Key, UpdateExpression: "REMOVE paused_at" })
    await tryNow(at(line))
    await answerAll()
    expect(toldOf(receiver, line)).toEqual(["a"])
  })

  test("is found by the sweep at a bridge whose deliverer died before it rang", async () => {
    const { add, listen } = await aShop()
    const line = await add()
    const { receiver, webhook } = await listen()
    await line.outbox.append(anEvent("a"))
    await deliver(Delivery.first(line.bridge.id))
    await forgetDoorbells()
    later(151)
    await ringOverdue()
    await answerAll()
    expect(toldOf(receiver, line)).toEqual(["a"])
    expect((await Delivery.get(Delivery.first(line.bridge.id)))!.further).toEqual([webhook.webhookId])
  })

  test("gets nothing of the sandbox", async () => {
    config.SANDBOX = true
    const { account, listen } = await aShop()
    const { bridge } = await Bridge.create({ accountId: account.id, customerRef: "sandbox" })
    const { receiver } = await listen()
    await (await anOutbox(bridge)).append(anEvent())
    await answerAll()
    expect(receiver.arrivals).toEqual([])
  })

  test("gets again what was given up at a bridge, and the bridge says so of it alone", async () => {
    const { add, listen } = await aShop()
    const line = await add()
    const { receiver, at } = await listen({}, [400])
    const [id] = await line.outbox.append(anEvent("a"))
    await answerAll()
    const event = (await EventLists.find(line.bridge.id, id!))!
    const row = (await Delivery.get(at(line)))!
    expect(await DeliveryReport.ofEvent(line.bridge, row, event)).toMatchObject({
      state: "delivered",
      webhooks: [
        { id: "first", state: "delivered" },
        { id: row.webhookId, state: "undelivered" },
      ],
      body: receiver.arrivals[0]!.body.toString(),
    })
    expect(await Resend.askSpan(row, { since: 0 })).toEqual({ count: 1 })
    await answerAll()
    expect(toldOf(receiver, line)).toEqual(["a", "a"])
  })
})

describe("a change of an account's webhook", () => {
  test("of its URL or its secret holds for all bridges, also for what waits", async () => {
    const { add, listen } = await aShop()
    const lines = [await add(), await add()]
    const { receiver, webhook, fresh } = await listen({}, [500, 500])
    for (const { outbox } of lines) await outbox.append(anEvent("a"))
    await answerAll()
    const url = receiver.urlOf("moved")
    await AccountWebhook.update(webhook, { url })
    const third = await add()
    lines.push(third)
    await third.outbox.append(anEvent("a"))
    await answerAll()
    const moved = receiver.arrivals.filter(({ bridge }) => bridge === "moved")
    expect(moved.map((one) => toldBy(one).customer_ref).toSorted()).toEqual(
      lines.map(({ ref }) => ref).toSorted(),
    )
    receiver.trust("moved", (await WebhookSecret.roll(await fresh())).secret)
    for (const { outbox } of lines) await outbox.append(anEvent("b"))
    await answerAll()
    const after = receiver.arrivals.slice(-lines.length)
    expect(after.every(({ genuine }) => genuine)).toBe(true)
    expect(after.every(({ headers }) => /v1=.*v1=/.test(String(headers["x-webhook-signature"])))).toBe(true)
    await WebhookSecret.endOverlap(await fresh())
    await lines[0]!.outbox.append(anEvent("c"))
    await answerAll()
    expect(String(receiver.arrivals.at(-1)!.headers["x-webhook-signature"])).not.toMatch(/v1=.*v1=/)
    expect(receiver.arrivals.at(-1)!.genuine).toBe(true)
  })

  test("that pauses it stops all bridges, and one that resumes it lets each go on where it stood", async () => {
    const { add, listen } = await aShop()
    const lines = [await add(), await add()]
    const { receiver, fresh } = await listen()
    for (const { outbox } of lines) await outbox.append(anEvent("a"))
    await answerAll()
    await AccountWebhook.pause(await fresh())
    const [one, other] = lines as [Line, Line]
    await one.outbox.append(anEvent("b"))
    await answerAll()
    expect(receiver.arrivals).toHaveLength(2)
    await AccountWebhook.resume(await fresh())
    await answerAll()
    expect(toldOf(receiver, one)).toEqual(["a", "b"])
    await other.outbox.append(anEvent("c"))
    await answerAll()
    expect(toldOf(receiver, other)).toEqual(["a", "c"])
    expect(receiver.arrivals.every(({ attempt }) => attempt === 1)).toBe(true)
  })

  test("that resumes it and dies before it has said so is noticed within three minutes", async () => {
    const { add, listen } = await aShop()
    const line = await add()
    const { receiver, fresh } = await listen()
    await AccountWebhook.pause(await fresh())
    await line.outbox.append(anEvent("a"))
    await answerAll()
    const end = dynamoDb.faults.add({ fault: "denied", operation: "BatchGetItem" })
    await AccountWebhook.resume(await fresh()).catch(() => undefined)
    end()
    later(181)
    await answerAll()
    expect(toldOf(receiver, line)).toEqual(["a"])
  })

  test("that deletes it ends all deliveries, and the bridges' rows go with the next look", async () => {
    const { own, add, listen } = await aShop()
    const lines = [await add(), await add()]
    const { receiver, at, fresh } = await listen({}, [500, 500])
    for (const { outbox } of lines) await outbox.append(anEvent("a"))
    await answerAll()
    await AccountWebhook.remove(await fresh())
    later(11)
    await answerAll()
    for (const line of lines) expect(await Delivery.get(at(line))).toBeUndefined()
    for (const { outbox } of lines) await outbox.append(anEvent("b"))
    await answerAll()
    expect(receiver.arrivals).toHaveLength(2)
    expect(own.arrivals).toHaveLength(4)
    for (const { bridge } of lines)
      expect((await Delivery.get(Delivery.first(bridge.id)))!.further).toEqual([])
  })

  test("is refused where there are two already, also when they are asked for at once", async () => {
    const { account } = await aShop()
    const asked = [1, 2, 3].map((i) => AccountWebhook.create(account.id, `https://shop.example/${i}`, {}))
    const outcomes = await Promise.allSettled(asked)
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "fulfilled", "rejected"])
    const twice = await AccountWebhook.create(
      account.id,
      (await AccountWebhook.list(account.id))[0]!.receiver.url,
      {},
    )
    expect(twice.created).toBe(false)
  })

  test("leaves nothing of it once its account is deleted", async () => {
    const { account, listen } = await aShop()
    await listen()
    expect(await rowsOf(tables.events, account.id)).toHaveLength(1)
    expect(await removeEmpty(account.id)).toBe(true)
    expect(await rowsOf(tables.events, account.id)).toEqual([])
  })
})
