import "../slow-lease-beat.ts"
import { DynamoDBClient, QueryCommand } from "@aws-sdk/client-dynamodb"
import { expect, onTestFinished, test } from "vitest"
import { Delivery } from "#core/event/delivery.ts"
import { serviceAt } from "#core/platform/aws-client-options.ts"
import { config } from "#core/platform/config.ts"
import { tables } from "#core/store/tables.ts"
import { handler } from "#functions/delivery/handler.ts"
import { counted } from "#infra/cost/usage.ts"
import { startPoller } from "#one-machine/delivery/doorbells.ts"
import { doorbellsFrom } from "#test/support/doorbells-from-queue.ts"
import { aNetwork } from "#test/support/network/network.ts"
import { aCustomer, json } from "#test/support/service/customer.ts"
import { aReceiver } from "#test/support/service/receiver.ts"
import { aHost, held, statusOf } from "#test/support/session/host.ts"
import { codeOf } from "#test/support/session/paired.ts"
import { dynamoDb, sqs } from "#test/support/store.ts"
import { until } from "#test/support/until.ts"
import { startAwsRecorder } from "../../support/aws-recorder.ts"
import { dynamoDbMeter } from "../../support/dynamodb-meter.ts"

const messages = 10

/** A bridge, linked, with a webhook that answers, and a meter at the store. */
async function aMeteredBridge() {
  const units = dynamoDbMeter()
  const recorder = await startAwsRecorder(dynamoDb.endpoint, units.note)
  config.AWS_ENDPOINT_URL_DYNAMODB = recorder.endpoint
  let deliveries = 0
  const poller = startPoller({
    doorbells: doorbellsFrom(sqs.doorbellUrl),
    handler: async (event) => {
      deliveries++
      return await handler(event)
    },
    concurrency: 2,
  })
  onTestFinished(async () => {
    await poller.stop()
    recorder.close()
  })
  const network = await aNetwork()
  const receiver = await aReceiver()
  const customer = await aCustomer()
  await aHost(network)
  const asked = { customer_ref: "shop", webhook_url: receiver.url }
  const id = String((await json(customer.post("/api/instances", asked))).id)
  await held(id)
  const phone = await network.phone("Ada")
  await phone.scan(await codeOf(id))
  await until(async () => (await statusOf(id)) === "connected")
  const further = await aReceiver()
  const receivers = [receiver]
  return {
    customer,
    phone,
    other: await network.phone("Bob"),
    addWebhook: async () => {
      receivers.push(further)
      return await customer.post("/api/instances/shop/webhooks", { url: further.url })
    },
    /** Resolves when every receiver has a message and nothing waits any more. */
    delivered: async (text: string) => {
      await until(async () =>
        receivers.every(({ arrivals }) => arrivals.some(({ body }) => body.includes(text))),
      )
      await until(() => isIdle(id))
    },
    /** Each message's part since the last time that this was asked. */
    taken: (): Taken => {
      const { byRow, readsByRow } = units.take()
      const taken = {
        writes: each(byRow),
        reads: each(readsByRow),
        deliveries: Math.round(deliveries / messages),
      }
      deliveries = 0
      return taken
    },
  }
}

/**
 * Whether nothing waits for any of the bridge's receivers. Asked past the meter: how often depends on the
 * machine.
 */
async function isIdle(bridgeId: string): Promise<boolean> {
  const store = new DynamoDBClient(serviceAt(dynamoDb.endpoint))
  try {
    const { pk, sk } = Delivery.key(Delivery.first(bridgeId))
    const { Items } = await store.send(
      new QueryCommand({
        TableName: tables.events,
        KeyConditionExpression: "pk = :pk AND begins_with(sk, :sk)",
        ExpressionAttributeValues: { ":pk": { S: pk }, ":sk": { S: sk } },
      }),
    )
    return Items!.every(({ due }) => due?.N === "0")
  } finally {
    store.destroy()
  }
}

/** By what is done to which kind of row, in units. */
interface Taken {
  writes: Map<string, number>
  reads: Map<string, number>
  deliveries: number
}

/**
 * The units that every message uses, by kind of row. What is done by the clock, and once in a while, is left
 * out: how much of it falls into a test depends on the machine.
 */
function each(byRow: Map<string, number>): Map<string, number> {
  const parts = [...byRow].map(([row, units]) => [row, Math.round(units / messages)] as const)
  return new Map(parts.filter(([, units]) => units > 0).toSorted(([, a], [, b]) => b - a))
}

/** Shows where the units go: what to look at when they are too many. */
function sum(direction: string, { writes, reads, deliveries }: Taken) {
  for (const [row, units] of writes) console.log(`${direction}: ${units} units written, ${row}`)
  for (const [row, units] of reads) console.log(`${direction}: ${units} units read, ${row}`)
  return { writeUnits: total(writes), readUnits: total(reads), deliveries }
}

function total(byRow: Map<string, number>): number {
  return [...byRow.values()].reduce((all, units) => all + units, 0)
}

/**
 * A message that is sent after a silence reads its key and the lease as well, a unit each. In a burst the API
 * mostly knows them: how often it does depends on the machine.
 */
const remembered = /^GetItem (Leases LEASE|Accounts KEY)/

test("a message costs what the price says, in, out, and at each further webhook", async () => {
  const { customer, phone, other, addWebhook, delivered, taken } = await aMeteredBridge()
  const receive = async (body: string) => {
    await other.send(phone.number, body)
    await delivered(body)
  }
  // The first in each direction sets up a ratchet.
  await receive("first")
  taken()
  for (let i = 0; i < messages; i++) await receive(`inbound ${i}`)
  expect(sum("a text in", taken())).toEqual(counted.inbound)

  const send = (body: string) => {
    const asked = { chat: other.number, body }
    return customer.call("POST", "/api/instances/shop/proxy/send/text", asked, { "idempotency-key": body })
  }
  expect((await send("first")).status).toBe(200)
  await other.read({ text: "first" })
  taken()
  for (let i = 0; i < messages; i++) {
    expect((await send(`outbound ${i}`)).status).toBe(200)
    await other.read({ text: `outbound ${i}` })
  }
  const { reads, ...rest } = taken()
  const others = new Map([...reads].filter(([row]) => !remembered.test(row)))
  const { readUnits, ...out } = sum("a text out", { ...rest, reads: others })
  expect({ ...out, readUnits: readUnits + 2 }).toEqual({ ...counted.outbound, deliveries: 0 })

  expect((await addWebhook()).status).toBe(201)
  await receive("at both")
  taken()
  for (let i = 0; i < messages; i++) await receive(`at both ${i}`)
  const { inbound, webhook } = counted
  expect(sum("a text in, two webhooks", taken())).toEqual({
    writeUnits: inbound.writeUnits + webhook.writeUnits,
    readUnits: inbound.readUnits + webhook.readUnits,
    deliveries: inbound.deliveries + webhook.deliveries,
  })

  expect((await customer.patch("/api/instances/shop", { keep: 30 })).status).toBe(200)
  await receive("kept")
  taken()
  for (let i = 0; i < messages; i++) await receive(`kept ${i}`)
  expect(sum("a text in, two webhooks, kept", taken())).toMatchObject({
    writeUnits: inbound.writeUnits + webhook.writeUnits + counted.kept.writeUnits,
    readUnits: inbound.readUnits + webhook.readUnits + counted.kept.readUnits,
  })
  for (let i = 0; i < messages; i++) expect((await send(`kept, outbound ${i}`)).status).toBe(200)
  await other.read({ text: `kept, outbound ${messages - 1}` })
  expect(sum("a text out, kept", taken()).writeUnits).toBe(
    counted.outbound.writeUnits + counted.kept.writeUnits,
  )
})
