import "./own-tables.ts"
import { randomUUID } from "node:crypto"
import { UpdateCommand } from "@aws-sdk/lib-dynamodb"
import { expect, inject, onTestFinished, test } from "vitest"
import { z } from "zod"
import { sqs } from "#test/support/store.ts"
import { aBridge } from "#test/support/bridge.ts"
import { anEvent, anOutbox } from "#test/support/outbox.ts"
import { aReceiver } from "#test/support/receiver.ts"
import { until } from "#test/support/until.ts"
import { Account } from "#core/account.ts"
import { ApiKey } from "#core/api-key.ts"
import { now } from "#core/clock.ts"
import { Delivery } from "#core/delivery.ts"
import { Host } from "#core/host.ts"
import { FREE, Lease } from "#core/lease.ts"
import { store } from "#core/store.ts"
import { events } from "#core/tables.ts"
import { startEcs } from "#local/ecs.ts"
import { startPoller } from "#local/poller.ts"
import { graphOf } from "./graph.ts"
import { aLambda } from "./lambda.ts"

const { denied } = graphOf(inject("production"))

const Answer = z.object({
  statusCode: z.number(),
  body: z.string(),
  headers: z.record(z.string(), z.string()),
})

/** What Lambda hands over for a call of a function's URL (payload 2.0). */
function urlEvent(method: string, path: string, key?: string, body?: object) {
  return {
    version: "2.0",
    routeKey: "$default",
    rawPath: path,
    rawQueryString: "",
    headers: {
      host: "abc.lambda-url.eu-central-1.on.aws",
      "x-forwarded-for": "198.51.100.1",
      ...(key && { authorization: `Bearer ${key}` }),
      ...(body && { "content-type": "application/json" }),
    },
    requestContext: {
      accountId: "anonymous",
      apiId: "abc",
      domainName: "abc.lambda-url.eu-central-1.on.aws",
      http: { method, path, protocol: "HTTP/1.1", sourceIp: "203.0.113.7", userAgent: "test" },
      requestId: randomUUID(),
      stage: "$default",
      time: "20/Nov/2026:09:26:00 +0000",
      timeEpoch: 1_795_166_760_000,
    },
    ...(body && { body: JSON.stringify(body) }),
    isBase64Encoded: false,
  }
}

test.for(["Api", "Delivery", "Sweep"])("the bundle of %s starts, and is small", async (name) => {
  const { bundleKb, initMs, rssMb } = await aLambda(name)
  console.log(
    `${name}: bundle ${bundleKb.toFixed(0)} KB, init ${initMs.toFixed(0)} ms, then ${rssMb.toFixed(0)} MB`,
  )
  expect(bundleKb).toBeLessThan(3000)
})

test("the API answers the calls of its URL, within its permissions", async () => {
  const api = await aLambda("Api")
  const account = await Account.create({ name: "Test", subscription: "active" })
  const key = await ApiKey.create(account.id, "test")
  const ask = async (...call: Parameters<typeof urlEvent>) =>
    Answer.parse(await api.invoke(urlEvent(...call)))

  expect(await ask("GET", "/healthz")).toMatchObject({ statusCode: 200, body: '{"ok":true}' })
  expect(await ask("GET", "/api/instances")).toMatchObject({ statusCode: 401 })
  const asked = { customer_ref: "shop", webhook_url: "" }
  expect(await ask("POST", "/api/instances", key, asked)).toMatchObject({ statusCode: 201 })
  expect(await ask("POST", "/api/instances", key, asked)).toMatchObject({ statusCode: 200 })
  expect(await ask("GET", "/api/instances", key)).toMatchObject({ statusCode: 200 })
  const changed = { webhook_url: "https://example.com/hook" }
  expect(await ask("PATCH", "/api/instances/shop", key, changed)).toMatchObject({ statusCode: 200 })
  expect(JSON.parse((await ask("GET", "/api/instances/shop", key)).body)).toMatchObject(changed)

  expect(api.uses).toContain("kms:GenerateDataKeyWithoutPlaintext SessionKey")
  expect(denied("ApiRole", api.uses)).toEqual([])
})

test("delivery answers doorbells and hides what it reports, within its permissions", async () => {
  const delivery = await aLambda("Delivery")
  const poller = startPoller({
    queueUrl: sqs.doorbellUrl,
    handler: async (event) =>
      z
        .object({ batchItemFailures: z.array(z.object({ itemIdentifier: z.string() })) })
        .parse(await delivery.invoke(event)),
    concurrency: 1,
  })
  onTestFinished(poller.stop)
  const receiver = await aReceiver([200, 503])
  const bridge = await aBridge(receiver.url)
  const outbox = await anOutbox(bridge)
  const [id] = await outbox.append(anEvent("one"))
  await receiver.until(1)
  await until(async () => (await outbox.states())[0] === "delivered")
  await outbox.append(anEvent("two"))
  await receiver.until(2)
  await until(async () => delivery.uses.has("sqs:ChangeMessageVisibility "))

  expect(receiver.received[0]).toMatchObject({ eventId: id, attempt: 1 })
  expect(delivery.uses).toContain("kms:Decrypt DeliveryKey")
  expect(denied("DeliveryRole", delivery.uses)).toEqual([])
})

test("the sweep starts hosts, declares dead, frees and rings, within its permissions", async () => {
  const ecs = await startEcs({
    taskDefinitions: {
      "session-host": {
        command: [process.execPath, "-e", "process.on('disconnect', process.exit)"],
        env: {},
      },
    },
  })
  onTestFinished(ecs.close)
  const overdue = await aBridge()
  const outbox = await anOutbox(overdue)
  await outbox.append(anEvent())
  await store.send(
    new UpdateCommand({
      TableName: events,
      Key: Delivery.key(overdue.id),
      UpdateExpression: "SET due = :due",
      ExpressionAttributeValues: { ":due": now() - 600 },
    }),
  )
  const orphan = await aBridge()
  const dead = { id: randomUUID(), addr: "127.0.0.1:1" }
  await Host.beat({ ...dead, capacity: 20, sessions: 1, network: "simulated" })
  await Lease.take((await Lease.get(orphan.id))!, dead)

  const sweep = await aLambda("Sweep", { ecs: ecs.endpoint })
  // It stays for 50 s; this test goes when it has seen enough.
  sweep.invoke({}).catch(() => "ended with the test")
  await until(async () => (await Lease.get(orphan.id))?.host === FREE)
  await until(async () => (await Delivery.get(overdue.id))!.due > now())
  await until(async () => ecs.pids().size > 0)
  await until(async () => sweep.uses.has("ecs:DescribeTasks "))
  expect(denied("SweepRole", sweep.uses)).toEqual([])
})
