import "../other-table-names.ts"
import { randomUUID } from "node:crypto"
import { expect, inject, onTestFinished, test } from "vitest"
import { z } from "zod"
import { sqs } from "#test/support/store.ts"
import { aBridge } from "#test/support/service/bridge.ts"
import { urlEvent } from "#test/support/service/function-url.ts"
import { startLambdaApi } from "#test/support/service/lambda-api.ts"
import { anEvent, anOutbox } from "#test/support/session/events-and-doorbells.ts"
import { aReceiver } from "#test/support/service/receiver.ts"
import { until } from "#test/support/until.ts"
import { Account } from "#core/account/account.ts"
import { accountAtSignIn } from "#core/account/account-at-sign-in.ts"
import { Troubles } from "#core/account/troubles.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import { BridgesOfPhone } from "#core/bridge/bridges-of-phone.ts"
import { aHeldLease } from "#test/support/held-lease.ts"
import { aScriptedHost, sayJson } from "#test/support/scripted-host.ts"
import { startSes } from "#test/support/ses.ts"
import { ApiKey } from "#core/account/api-key.ts"
import { now } from "#core/platform/clock.ts"
import { Delivery } from "#core/event/delivery.ts"
import { Host } from "#core/lease/host.ts"
import { FREE, Lease } from "#core/lease/lease.ts"
import { update } from "#core/store/store.ts"
import { tables } from "#core/store/tables.ts"
import { startEcs } from "#local/ecs/ecs.ts"
import { doorbellsAt } from "#local/delivery/doorbell-sources.ts"
import { startPoller } from "#local/delivery/poller.ts"
import { graphOf } from "../graph.ts"
import { aLambda } from "../lambda.ts"

test("customers are told of troubles by mail and by a signed POST, within permissions that change no bridge", async () => {
  const ses = await startSes()
  onTestFinished(ses.close)
  const receiver = await aReceiver()
  const { accountId } = await accountAtSignIn("owner@example.com")
  await Account.setSubscription(accountId, "active")
  const { bridge } = await Bridge.create({ accountId, customerRef: "shop" })
  const held = await aHeldLease(bridge.id)
  await Lease.report(held, { status: "unpaired", phone: "sealed", since: now(), epoch: held.epoch })
  await Troubles.choose(accountId, "owners", receiver.url)

  const troubles = await aLambda("Troubles", { ses: ses.endpoint })
  await troubles.invoke({})
  await Lease.report(held, { status: "connected", phone: "sealed", since: now(), epoch: held.epoch })
  await troubles.invoke({})
  await troubles.invoke({})
  const [begun, over] = ses.mails
  expect(ses.mails).toHaveLength(2)
  expect(begun).toMatchObject({ to: "owner@example.com", subject: "shop: its phone was unlinked" })
  expect(begun!.text).toMatch(/ https:\/\/[\w.-]+\/numbers\/shop$/m)
  expect(over!.subject).toBe("shop is well again: it is over that its phone was unlinked")
  expect(receiver.arrivals.map(({ headers }) => headers["x-webhook-signature"])).toEqual([
    expect.stringMatching(/^t=/),
    expect.stringMatching(/^t=/),
  ])
  expect(denied("TroublesRole", troubles.uses)).toEqual([])
})

const { denied, environment } = graphOf(inject("production"))

const routerSecret = environment("ApiFunction").ROUTER_SECRET!

const Answer = z.object({ statusCode: z.number(), body: z.string() })

/** Lambda with the function that calls session hosts, from its bundle. @returns where it is */
async function callsOfHosts(): Promise<string> {
  const calls = await aLambda("Calls")
  const service = await startLambdaApi({ [environment("ApiFunction").CALLS_FUNCTION!]: calls.invoke })
  onTestFinished(service.close)
  return service.endpoint
}

test.for([
  "Api",
  "Calls",
  "Stream",
  "Transfer",
  "Dashboard",
  "DashboardStream",
  "Delivery",
  "Sweep",
  "Troubles",
])("the bundle of %s starts, and is small", async (name) => {
  const { bundleKb, initMs, rssMb } = await aLambda(name)
  console.log(
    `${name}: bundle ${bundleKb.toFixed(0)} KB, init ${initMs.toFixed(0)} ms, then ${rssMb.toFixed(0)} MB`,
  )
  expect(bundleKb).toBeLessThan(3600)
})

test("the API answers the calls of its URL, within its permissions", async () => {
  const api = await aLambda("Api", { lambda: await callsOfHosts() })
  const account = await Account.create({ name: "Test", subscription: "active" })
  const key = await ApiKey.create(account.id, "test")
  const ask = async (method: string, path: string, withKey?: string, body?: object) =>
    Answer.parse(
      await api.invoke(
        urlEvent(method, path, { ...(withKey && { key: withKey }), ...(body && { body }), routerSecret }),
      ),
    )

  expect(await ask("GET", "/healthz")).toMatchObject({ statusCode: 200, body: '{"ok":true}' })
  expect(await ask("GET", "/api/instances")).toMatchObject({ statusCode: 401 })
  const asked = { customer_ref: "shop", webhook_url: "" }
  const made = await ask("POST", "/api/instances", key, asked)
  expect(made).toMatchObject({ statusCode: 201 })
  const bridge = z.object({ id: z.string() }).parse(JSON.parse(made.body))
  expect(await ask("POST", "/api/instances", key, asked)).toMatchObject({ statusCode: 200 })
  expect(await ask("GET", "/api/instances", key)).toMatchObject({ statusCode: 200 })
  const changed = { webhook_url: "https://example.com/hook" }
  expect(await ask("PATCH", "/api/instances/shop", key, changed)).toMatchObject({ statusCode: 200 })
  expect(JSON.parse((await ask("GET", "/api/instances/shop", key)).body)).toMatchObject(changed)

  expect(api.uses).toContain("kms:GenerateDataKeyWithoutPlaintext SessionKey")
  expect(denied("ApiRole", api.uses)).toEqual([])
  // It is frozen once it has answered.
  expect(api.uses).toContain("logs:PutLogEvents ")
  expect(api.cloudWatch.lines(environment("ApiFunction").LOG_GROUP!, bridge.id)).toContainEqual(
    expect.stringMatching(/INFO webhook URL changed$/),
  )
})

test("logs are streamed, webhooks tested and media passed on to the API, each within its function's permissions", async () => {
  const api = await aLambda("Api", { lambda: await callsOfHosts() })
  const { API_FUNCTION = "" } = graphOf(inject("production")).environment("StreamFunction")
  const service = await startLambdaApi({ [API_FUNCTION]: api.invoke })
  onTestFinished(service.close)
  const stream = await aLambda("Stream", { lambda: service.endpoint })
  const transfer = await aLambda("Transfer", { lambda: service.endpoint })
  const account = await Account.create({ name: "Test", subscription: "active" })
  const key = await ApiKey.create(account.id, "test")
  const receiver = await aReceiver()
  const asked = { customer_ref: "shop", webhook_url: receiver.url }
  await api.invoke(urlEvent("POST", "/api/instances", { key, body: asked, routerSecret }))
  const ask = async (method: string, path: string) => {
    const { statusCode, body } = Answer.parse(
      await transfer.invoke(urlEvent(method, path, { key, routerSecret })),
    )
    return { statusCode, body: Buffer.from(body, "base64").toString() }
  }

  const tested = await ask("POST", "/api/instances/default/webhook-test")
  expect(tested).toMatchObject({ statusCode: 200, body: expect.stringContaining('"success":true') })
  // No host holds the bridge, and the API says so.
  expect(await ask("GET", "/api/instances/shop/proxy/messages/3EB0AA/media")).toMatchObject({
    statusCode: 503,
    body: expect.stringContaining("session_unavailable"),
  })
  // It is open for ten minutes; this test goes when it has seen enough.
  stream
    .invoke(urlEvent("GET", "/api/instances/shop/logs", { key, routerSecret }))
    .catch(() => "ended with the test")
  await until(async () => stream.uses.has("logs:GetLogEvents "))
  expect(denied("StreamRole", stream.uses)).toEqual([])
  expect(denied("TransferRole", transfer.uses)).toEqual([])
})

test("the dashboard mails a code, signs in and shows a session's state and what is live, within its permissions", async () => {
  const lambda = await callsOfHosts()
  const ses = await startSes()
  onTestFinished(ses.close)
  const dashboard = await aLambda("Dashboard", { lambda, ses: ses.endpoint })
  const jar = new Map<string, string>()
  const ask = async (method: string, path: string, form?: Record<string, string>) => {
    const cookies = [...jar].map(([name, value]) => `${name}=${value}`)
    const event = urlEvent(method, path, { cookies, routerSecret, ...(form && { form }) })
    const answer = Answer.extend({
      cookies: z.array(z.string()).default([]),
      headers: z.looseObject({}),
    }).parse(await dashboard.invoke(event))
    for (const line of answer.cookies) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      jar.set(name, value)
    }
    return { ...answer, body: Buffer.from(answer.body, "base64").toString() }
  }

  const first = await ask("GET", "/sign-in")
  const style = /href="(\/assets\/[^"]+)"/.exec(first.body)![1]!
  expect((await ask("GET", style)).body).toContain("--")
  expect(await ask("POST", "/sign-in", { email: "ada@example.com" })).toMatchObject({ statusCode: 303 })
  expect(ses.mails[0]).toMatchObject({ from: "bridge@mail.example.com", to: "ada@example.com" })
  expect(ses.mails[0]!.text).toContain("https://bridge.example.com/sign-in/link/")
  const code = /([0-9A-Z]{4}-[0-9A-Z]{4})/.exec(ses.mails[0]!.text)![1]!
  expect(await ask("POST", "/sign-in/code", { code })).toMatchObject({ statusCode: 303 })
  expect([...jar.keys()]).toContain("__Host-session")

  const { accountId } = await accountAtSignIn("ada@example.com")
  await Account.setSubscription(accountId, "active")
  expect(await ask("POST", "/new-number", { customer_ref: "shop" })).toMatchObject({ statusCode: 303 })
  const bridge = await Bridge.get(accountId, "shop")
  const host = await aScriptedHost((_, response) =>
    sayJson(response, 200, { status: "connected", jid: "", lid: "", phone: "491711234567", name: "Ada" }),
  )
  await host.take(bridge.id)
  expect((await ask("GET", "/numbers/shop")).body).toContain("Connected")
  for (const path of ["/", "/numbers", "/keys", "/account", "/numbers/shop/log", "/numbers/shop/deliveries"])
    expect([path, (await ask("GET", path)).statusCode]).toEqual([path, 200])
  await Account.makeOperator(accountId)
  await BridgesOfPhone.note(bridge.id, "491711234567")
  expect(await ask("GET", "/operator/find?id=%2B49%20171%201234567")).toMatchObject({
    statusCode: 200,
    body: expect.stringContaining(bridge.id),
  })
  expect(await ask("POST", "/account/invite", { email: "bob@example.com", role: "viewer" })).toMatchObject({
    statusCode: 200,
  })
  expect(denied("DashboardRole", dashboard.uses)).toEqual([])

  const live = await aLambda("DashboardStream", { lambda })
  const cookies = [`__Host-session=${jar.get("__Host-session")}`]
  // Each is open for a quarter of a minute, and gives its place back at its end.
  for (const path of ["/numbers/shop/stream", "/numbers/shop/deliveries/stream", "/live/numbers"])
    live.invoke(urlEvent("GET", path, { cookies, routerSecret })).catch(() => "ended with the test")
  const awaited = ["dynamodb:GetItem Leases", "dynamodb:Query Events", "dynamodb:DeleteItem Requests"]
  await until(async () => awaited.every((use) => live.uses.has(use)))
  expect(denied("DashboardStreamRole", live.uses)).toEqual([])
}, 120_000)

test("delivery answers doorbells and hides what it reports, within its permissions", async () => {
  const delivery = await aLambda("Delivery")
  const poller = startPoller({
    doorbells: doorbellsAt(sqs.doorbellUrl),
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
  await receiver.atLeast(1)
  await until(async () => (await outbox.states())[0] === "delivered")
  await outbox.append(anEvent("two"))
  await receiver.atLeast(2)
  await until(async () => delivery.uses.has("sqs:ChangeMessageVisibility "))

  expect(receiver.arrivals[0]).toMatchObject({ eventId: id, attempt: 1 })
  expect(delivery.uses).toContain("kms:Decrypt DeliveryKey")
  await until(async () => delivery.uses.has("logs:PutLogEvents "))
  expect(denied("DeliveryRole", delivery.uses)).toEqual([])
  const measured = ["Attempts", "EventOldestMs"].map((name) => `delivery ${name}`)
  await until(async () => measured.every((one) => delivery.metrics().includes(one)))
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
  await update({
    TableName: tables.events,
    Key: Delivery.key(Delivery.first(overdue.id)),
    UpdateExpression: "SET due = :due, since = :due",
    ExpressionAttributeValues: { ":due": now() - 600 },
  })
  const orphan = await aBridge()
  const dead = { id: randomUUID(), addr: "127.0.0.1:1" }
  await Host.beat({ ...dead, capacity: 20, sessions: 1, network: "simulated" })
  await Lease.take((await Lease.get(orphan.id))!, dead)

  const sweep = await aLambda("Sweep", { ecs: ecs.endpoint })
  // It stays for 50 s; this test goes when it has seen enough.
  sweep.invoke({}).catch(() => "ended with the test")
  await until(async () => (await Lease.get(orphan.id))?.host === FREE)
  await until(async () => (await Delivery.get(Delivery.first(overdue.id)))!.due > now())
  await until(async () => ecs.pids().size > 0)
  await until(async () => sweep.uses.has("ecs:DescribeTasks "))
  const measured = ["SessionsUp", "SessionsExpected", "SweepRang", "HostDead"].map((name) => `sweep ${name}`)
  await until(async () => measured.every((one) => sweep.metrics().includes(one)))
  expect(denied("SweepRole", sweep.uses)).toEqual([])
})
