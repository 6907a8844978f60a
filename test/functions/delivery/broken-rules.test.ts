import "#test/support/store.ts"
import { afterEach, expect, onTestFinished, test, vi } from "vitest"
import type { Bridge } from "#core/bridge/bridge.ts"
import { Webhook } from "#core/bridge/webhook.ts"
import { Delivery } from "#core/event/delivery.ts"
import { EventRow } from "#core/event/event-row.ts"
import type { Receiver } from "#core/event/receiver.ts"
import { log, logOutput } from "#core/platform/log.ts"
import { type Key, updateRow } from "#core/store/store.ts"
import { tables } from "#core/store/tables.ts"
import { aBridge } from "#test/support/service/bridge.ts"
import { aReceiver } from "#test/support/service/receiver.ts"
import {
  aDoorbell,
  anEvent,
  anOutbox,
  forgetDoorbells,
  pass,
} from "#test/support/session/events-and-doorbells.ts"

afterEach(forgetDoorbells)

/** Writes a number into a row directly, past the code that owns it. */
async function write(key: Key, name: string, value: number) {
  const update = { UpdateExpression: "SET #name = :value", ExpressionAttributeNames: { "#name": name } }
  const values = { ":value": value }
  await updateRow({ ...update, TableName: tables.events, Key: key, ExpressionAttributeValues: values })
}

const setHead = (id: Receiver.Id, head: number) => write(Delivery.key(id), "head", head)

/** Passes every doorbell that rings. @returns what was logged, and which doorbells stay. */
async function passAll() {
  const logged = vi.spyOn(logOutput, "write").mockReturnValue(true)
  const usual = log.level
  log.level = "error"
  onTestFinished(() => {
    log.level = usual
    logged.mockRestore()
  })
  const kept: string[] = []
  for (let doorbell = await aDoorbell(); doorbell; doorbell = await aDoorbell())
    if ((await pass(doorbell)) === "kept") kept.push(doorbell.Body!)
  return { logged: logged.mock.calls.join(""), kept }
}

/** Whether this delivery alone ends with this sentence, while that of another bridge goes on. */
async function expectOneEnds(bridge: Bridge.Info, sentence: RegExp) {
  const other = await aReceiver()
  await (await anOutbox(await aBridge(other.url))).append(anEvent())
  const { logged, kept } = await passAll()
  expect(logged).toMatch(sentence)
  expect(kept).toHaveLength(1)
  expect(kept[0]).toContain(bridge.id)
  expect(other.arrivals).toHaveLength(1)
}

test.for([
  ["takes it", 200],
  ["does not take it", 500],
  ["refuses it", 400],
] as const)(
  "a head that moves while an event is posted ends the delivery: its receiver %s",
  async ([, status]) => {
    const receiver = await aReceiver([
      (response) => void setHead(Delivery.first(bridge.id), 2).then(() => response.writeHead(status).end()),
    ])
    const bridge = await aBridge(receiver.url)
    await (await anOutbox(bridge)).append(anEvent(), anEvent(), anEvent())
    await expectOneEnds(bridge, /a delivery has come to event [01], and its row says 2/)
    expect(receiver.arrivals).toHaveLength(1)
  },
)

test("a webhook whose head has gone back behind its beginning gets nothing of what was before", async () => {
  const first = await aReceiver()
  const bridge = await aBridge(first.url)
  const outbox = await anOutbox(bridge)
  await outbox.append(anEvent(), anEvent())
  await passAll()
  const receiver = await aReceiver()
  const { webhook } = await Webhook.create(bridge, receiver.url, {})
  await setHead({ bridgeId: bridge.id, webhookId: webhook.webhookId }, 0)
  await outbox.append(anEvent())
  await expectOneEnds(bridge, /a delivery that began after event 2 has gone back to 0/)
  expect(receiver.arrivals).toEqual([])
  expect(first.arrivals).toHaveLength(3)
})

test("an event whose row says another number than its key is not passed over", async () => {
  const receiver = await aReceiver()
  const bridge = await aBridge(receiver.url)
  const outbox = await anOutbox(bridge)
  await outbox.write(anEvent(), anEvent())
  await write(EventRow.key(bridge.id, 1), "n", 7)
  await outbox.append(anEvent())
  await expectOneEnds(bridge, /the row EVENT#000000000001 says that it is event 7/)
  expect(receiver.arrivals).toEqual([])
  expect(await Delivery.get(Delivery.first(bridge.id))).toMatchObject({ head: 0, holder: "" })
})
