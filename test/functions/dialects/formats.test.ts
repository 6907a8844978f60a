import { createHmac } from "node:crypto"
import { afterEach, expect, onTestFinished, test, vi } from "vitest"
import type { Event } from "#contract/event.ts"
import { Webhook } from "#core/bridge/webhook.ts"
import { Delivery } from "#core/event/delivery.ts"
import { Resend } from "#core/event/resend.ts"
import { aBridge } from "#test/support/service/bridge.ts"
import { aReceiver } from "#test/support/service/receiver.ts"
import { anEvent, anOutbox, answerAll, forgetDoorbells } from "#test/support/session/events-and-doorbells.ts"

// Webhooks that get events in another gateway's form.

afterEach(forgetDoorbells)

const preview = { total: 1, messages: 1, notifications: 0, receipts: 0, app_data_changes: 0 }
/** It has no counterpart in Evolution. */
const without: Event = { event: "offline_sync_preview", ...preview }

async function aWebhook(choice: Webhook.Choice, script: Parameters<typeof aReceiver>[0] = []) {
  const receiver = await aReceiver(script)
  const bridge = await aBridge(receiver.url)
  const first = async () => (await Delivery.get(Delivery.first(bridge.id)))!
  if (Object.keys(choice).length > 0) await Webhook.update(bridge, await first(), choice)
  const bodies = () =>
    receiver.arrivals.map(({ body }) => JSON.parse(body.toString()) as Record<string, unknown>)
  return { bridge, receiver, first, outbox: await anOutbox(bridge), bodies }
}

test("events come in the webhook's form and in order, signed; one without counterpart is passed over", async () => {
  const { bridge, receiver, outbox, bodies, first } = await aWebhook({ format: "evolution" })
  const ids = await outbox.append(anEvent("a"), without, anEvent("b"))
  await answerAll()
  expect(receiver.arrivals.map(({ eventId }) => eventId)).toEqual([ids[0], ids[2]])
  expect(bodies()).toMatchObject(
    ["a", "b"].map((conversation) => ({
      event: "messages.upsert",
      instance: bridge.customerRef,
      apikey: null,
      destination: receiver.url,
      data: {
        key: { remoteJid: "491711234567@s.whatsapp.net", fromMe: false },
        pushName: "Ada",
        messageType: "conversation",
        message: { conversation },
      },
    })),
  )
  expect(await first()).toMatchObject({ head: 3, due: 0 })
})

test("what is tried again keeps its form and its place; what waits when the form ends comes in ours", async () => {
  const { bridge, receiver, outbox, bodies, first } = await aWebhook({ format: "evolution" }, [500])
  await outbox.append(anEvent("a"), anEvent("b"))
  await answerAll()
  await Webhook.update(bridge, await first(), { format: null })
  // The clocks of the store and the queue follow this one.
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 11_000 })
  onTestFinished(() => void vi.useRealTimers())
  await answerAll()
  expect(bodies()).toMatchObject([
    { event: "messages.upsert" },
    { event: "message", body: "a" },
    { event: "message", body: "b" },
  ])
  expect(receiver.arrivals).toHaveLength(3)
})

test("a webhook gets only the events of the form that its options name, each at a path of its own", async () => {
  const formatOptions = { events: ["CONNECTION_UPDATE"], path_per_event: true }
  const { receiver, outbox } = await aWebhook({ format: "evolution", formatOptions })
  await outbox.append(anEvent("a"), { event: "connected", phone: "491719876543" })
  await answerAll()
  expect(receiver.arrivals.map(({ path }) => path)).toEqual([expect.stringMatching(/\/connection-update$/)])
})

test("WAHA's signature stands beside ours", async () => {
  const { receiver, outbox } = await aWebhook({ format: "waha", formatOptions: { hmac_key: "a key" } })
  await outbox.append(anEvent("a"))
  await answerAll()
  const [{ headers, body }] = receiver.arrivals as [(typeof receiver.arrivals)[number]]
  expect(headers["x-webhook-hmac"]).toBe(createHmac("sha512", "a key").update(body).digest("hex"))
  expect(headers["x-webhook-signature"]).toMatch(/^t=/)
})

test("somebody who asks for an event without counterpart gets it in our form", async () => {
  const { bridge, receiver, outbox, bodies } = await aWebhook({ format: "evolution" })
  await outbox.append(without)
  await answerAll()
  await Resend.ask(Delivery.first(bridge.id), 1)
  await answerAll()
  expect(receiver.arrivals).toHaveLength(1)
  expect(bodies()).toMatchObject([without])
})

test("a batch has no such form, whichever of the two is set first, and options need one", async () => {
  const batched = await aWebhook({ batch: 2 })
  const refused = { code: "invalid_request" }
  const set = async ({ bridge, first }: typeof batched, choice: Webhook.Choice) =>
    await Webhook.update(bridge, await first(), choice)
  await expect(set(batched, { format: "evolution" })).rejects.toMatchObject(refused)
  const formatted = await aWebhook({ format: "evolution" })
  await expect(set(formatted, { batch: 2 })).rejects.toMatchObject(refused)
  await expect(set(await aWebhook({}), { formatOptions: { media: true } })).rejects.toMatchObject(refused)
  await set(batched, { batch: null, format: "evolution" })
})

test("of a form and a batch that are set at once, one is refused", async () => {
  const { bridge, first } = await aWebhook({})
  const row = await first()
  const both = [{ format: "evolution" as const }, { batch: 2 }].map((choice) =>
    Webhook.update(bridge, row, choice),
  )
  const outcomes = await Promise.allSettled(both)
  expect(outcomes.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"])
})
