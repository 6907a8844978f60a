import { afterEach, expect, onTestFinished, test } from "vitest"
import { Bridge } from "#core/bridge/bridge.ts"
import { Webhook } from "#core/bridge/webhook.ts"
import { Delivery } from "#core/event/delivery.ts"
import { Resend } from "#core/event/resend.ts"
import { store } from "#core/store/store.ts"
import { tables } from "#core/store/tables.ts"
import { deliver } from "#functions/delivery/deliver.ts"
import { answerDoorbells } from "#functions/delivery/handler.ts"
import { startPoller } from "#one-machine/delivery/doorbells.ts"
import { listenForNewEvents, noteRow } from "#one-machine/delivery/new-events.ts"
import { countRequests } from "#test/support/count-requests.ts"
import { doorbellsFrom } from "#test/support/doorbells-from-queue.ts"
import { aBridge } from "#test/support/service/bridge.ts"
import { aReceiver } from "#test/support/service/receiver.ts"
import { anEvent, anOutbox, forgetDoorbells } from "#test/support/session/events-and-doorbells.ts"
import { dynamoDb, sqs } from "#test/support/store.ts"
import { until } from "#test/support/until.ts"

dynamoDb.watch(tables.events, noteRow)

afterEach(forgetDoorbells)

/** How long deliveries wait here, in ms: these tests may be slow. */
const patient = 2000

async function aDelivery(script: Parameters<typeof aReceiver>[0] = []) {
  const receiver = await aReceiver(script)
  const bridge = await aBridge(receiver.url)
  const outbox = await anOutbox(bridge)
  const head = async () => (await Delivery.get(Delivery.first(bridge.id)))?.head
  return { receiver, bridge, outbox, head }
}

function bodiesAt(receiver: Awaited<ReturnType<typeof aReceiver>>): unknown[] {
  return receiver.arrivals.map(({ body }) => (JSON.parse(body.toString()) as { body: string }).body)
}

test("events that follow one another are one delivery's: it waits for no doorbell, and does not read them", async () => {
  onTestFinished(listenForNewEvents(patient))
  const { receiver, bridge, outbox } = await aDelivery()
  await outbox.write(anEvent("1"))
  const updates = countRequests("UpdateItem")
  const delivered = deliver(Delivery.first(bridge.id))
  await receiver.atLeast(1)
  const [gets, queries] = [countRequests("GetItem"), countRequests("Query")]
  for (const n of [2, 3, 4]) {
    await outbox.write(anEvent(String(n)))
    await receiver.atLeast(n)
  }
  expect(gets()).toBe(0)
  // Each event asks at most for the webhooks of the account.
  expect(queries()).toBeLessThanOrEqual(3)
  expect(await delivered).toBeUndefined()
  expect(bodiesAt(receiver)).toEqual(["1", "2", "3", "4"])
  // At most one to claim the delivery, and one for each event.
  expect(updates()).toBeLessThanOrEqual(5)
  expect(await Delivery.get(Delivery.first(bridge.id))).toMatchObject({ head: 4, due: 0, holder: "" })
})

test("several events that come at once while nothing waited are delivered in order", async () => {
  onTestFinished(listenForNewEvents(patient))
  const { receiver, bridge, outbox, head } = await aDelivery()
  await outbox.write(anEvent("1"))
  const delivered = deliver(Delivery.first(bridge.id))
  await until(async () => (await head()) === 1)
  await outbox.write(...["2", "3", "4"].map((body) => anEvent(body)))
  await delivered
  expect(bodiesAt(receiver)).toEqual(["1", "2", "3", "4"])
})

test("what is written after an event may linger where no newer one is known, and only there", async () => {
  onTestFinished(listenForNewEvents(patient))
  const asked: (boolean | undefined)[] = []
  const { send } = store
  store.send = async (command, options) => {
    if (command.input.UpdateExpression?.startsWith("SET head")) asked.push(options?.mayLinger?.())
    return await send(command, options)
  }
  onTestFinished(() => void (store.send = send))
  const { bridge, outbox, head } = await aDelivery()
  await outbox.write(anEvent("1"))
  const delivered = deliver(Delivery.first(bridge.id))
  await until(async () => (await head()) === 1)
  await outbox.write(anEvent("2"))
  await until(async () => (await head()) === 2)
  await outbox.write(anEvent("3"), anEvent("4"))
  await delivered
  // Whether an event is newer than the first is not known: the first was there before the delivery listened.
  expect(asked).toEqual([false, true, false, true])
})

test("an address that was changed while a delivery waited for more holds for what comes then", async () => {
  onTestFinished(listenForNewEvents(patient))
  const { receiver, bridge, outbox, head } = await aDelivery()
  const other = await aReceiver()
  await outbox.write(anEvent("1"))
  const delivered = deliver(Delivery.first(bridge.id))
  await until(async () => (await head()) === 1)
  await Bridge.setWebhookUrl(bridge, other.url)
  await outbox.write(anEvent("2"))
  await delivered
  expect(bodiesAt(receiver)).toEqual(["1"])
  expect(bodiesAt(other)).toEqual(["2"])
})

test("a webhook that was paused while its delivery waited for more gets nothing that comes then", async () => {
  onTestFinished(listenForNewEvents(patient))
  const { bridge, outbox } = await aDelivery()
  const further = await aReceiver()
  const { webhook } = await Webhook.create(bridge, further.url, {})
  await outbox.write(anEvent("1"))
  const delivered = deliver(webhook)
  await until(async () => (await Delivery.get(webhook))?.head === 1)
  await Webhook.pause((await Delivery.get(webhook))!)
  await outbox.write(anEvent("2"))
  await delivered
  expect(bodiesAt(further)).toEqual(["1"])
  expect(await Delivery.get(webhook)).toMatchObject({ head: 1, holder: "" })
})

test("a webhook that was deleted while its delivery waited for more gets nothing that comes then", async () => {
  onTestFinished(listenForNewEvents(patient))
  const { bridge, outbox } = await aDelivery()
  const further = await aReceiver()
  const { webhook } = await Webhook.create(bridge, further.url, {})
  await outbox.write(anEvent("1"))
  const delivered = deliver(webhook)
  await until(async () => (await Delivery.get(webhook))?.head === 1)
  await Webhook.remove(bridge, webhook.webhookId)
  await outbox.write(anEvent("2"))
  await delivered
  expect(bodiesAt(further)).toEqual(["1"])
})

test("a delivery that has lost its claim while it waited for more posts nothing that comes then", async () => {
  onTestFinished(listenForNewEvents(patient))
  const { receiver, bridge, outbox, head } = await aDelivery()
  await outbox.write(anEvent("1"))
  const delivered = deliver(Delivery.first(bridge.id))
  await until(async () => (await head()) === 1)
  const { due } = (await Delivery.get(Delivery.first(bridge.id)))!
  // As if its time were over.
  expect(await Delivery.promise(Delivery.first(bridge.id), due)).toBe(true)
  await outbox.write(anEvent("2"))
  await delivered
  expect(bodiesAt(receiver)).toEqual(["1"])
  expect(await Delivery.get(Delivery.first(bridge.id))).toMatchObject({ head: 1, holder: "" })
})

test("an event whose resending was asked for while a delivery waited goes out after what comes then", async () => {
  onTestFinished(listenForNewEvents(patient))
  const { receiver, bridge, outbox, head } = await aDelivery()
  await outbox.write(anEvent("1"))
  const delivered = deliver(Delivery.first(bridge.id))
  await until(async () => (await head()) === 1)
  expect(await Resend.ask(Delivery.first(bridge.id), 1)).toBe("noted")
  await outbox.write(anEvent("2"))
  await delivered
  expect(bodiesAt(receiver)).toEqual(["1", "2", "1"])
  expect(await Delivery.get(Delivery.first(bridge.id))).toMatchObject({
    head: 2,
    due: 0,
    holder: "",
    resend: [],
  })
})

const aPoller = () =>
  startPoller({
    doorbells: doorbellsFrom(sqs.doorbellUrl),
    handler: answerDoorbells,
    concurrency: 10,
  })

test("a planned stop ends a busy bridge's delivery after the event under way; the next start goes on", async () => {
  onTestFinished(listenForNewEvents())
  const stopped = Promise.withResolvers<void>()
  const { receiver, bridge, outbox } = await aDelivery([
    200,
    200,
    (response) => {
      poller.stop().then(stopped.resolve, stopped.reject)
      response.end()
    },
  ])
  const bodies = ["1", "2", "3", "4", "5", "6"]
  await outbox.append(...bodies.map((body) => anEvent(body)))
  const poller = aPoller()
  await stopped.promise
  expect(bodiesAt(receiver)).toEqual(["1", "2", "3"])
  expect(await Delivery.get(Delivery.first(bridge.id))).toMatchObject({ head: 3, holder: "" })

  const next = aPoller()
  onTestFinished(next.stop)
  await receiver.atLeast(bodies.length)
  expect(bodiesAt(receiver)).toEqual(bodies)
  expect(receiver.arrivals.every(({ attempt }) => attempt === 1)).toBe(true)
})
