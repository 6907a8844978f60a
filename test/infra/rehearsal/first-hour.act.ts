import { randomUUID } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest"
import { z } from "zod"
import { apiClient, call, patiently } from "#one-machine/api-client.ts"
import { link, untilConnected } from "#one-machine/network/link.ts"
import { messagingBridge } from "#sdk-typescript/index.ts"
import { run } from "#test/packages/clients/command-line.ts"
import { aNetwork, type Network } from "#test/support/network/network.ts"
import { urlEvent } from "#test/support/service/function-url.ts"
import { type Receiver, startReceiver } from "#test/support/service/start-receiver.ts"
import { until } from "#test/support/until.ts"
import { aCheckout } from "../checkout.ts"
import { evaluate, type Resource, type World } from "../evaluate.ts"
import { type Graph, graphOf } from "../graph.ts"
import { aBrowser, admin as asOperator } from "./people.ts"
import { type Stage, startStage } from "./stage.ts"

let network: Network
let receiver: Receiver
let stage: Stage
let bob: Awaited<ReturnType<Network["phone"]>>
let ada: Awaited<ReturnType<Network["phone"]>>
let key = ""
let accountId = ""
let bridgeId = ""
/** As `stages/staging.env` would have them. */
let settings: Record<string, string> = { MAIL_FROM: "bridge@mail.example.com" }
/** The resources that the last deploy made, and its settings. */
let before: Resource[] = []
let deployed: Record<string, string> = {}

beforeAll(async () => {
  // For the clients that stand in for Lambda's own.
  Object.assign(process.env, {
    AWS_REGION: "eu-central-1",
    AWS_ACCESS_KEY_ID: "local",
    AWS_SECRET_ACCESS_KEY: "local",
  })
  network = await aNetwork()
  receiver = await startReceiver()
  stage = await startStage(network)
  ;[ada, bob] = [await network.phone("Ada"), await network.phone("Bob")]
}, 300_000)
afterAll(async () => {
  // Where an act failed, this is mostly why.
  for (const one of new Set(denied())) console.error(`refused by its policy: ${one}`)
  await stage?.close()
  await receiver?.stop()
  await network?.close()
})

/**
 * `sst deploy --stage staging` with these settings; `between` when the functions are there and the router is
 * not.
 */
async function deploy(world: World = {}, between?: () => Promise<void>): Promise<Graph> {
  vi.resetModules()
  for (const [name, value] of Object.entries(settings)) process.env[name] = value
  before = await evaluate("staging", { ...world, before, deployed })
  deployed = { ...settings }
  const graph = graphOf(before)
  await stage.deploy(graph, between)
  return graph
}

const admin = (...words: string[]) => asOperator(stage, ...words)
const api = (method: string, path: string, body?: unknown) => apiClient(stage.url, key)(method, path, body)
const bearer = (key: string) => ({ headers: { authorization: `Bearer ${key}` } })
let browser: ReturnType<typeof aBrowser>
const page = (...asked: Parameters<typeof browser.page>) => browser.page(...asked)

/** Signs a newcomer up at the dashboard, with the code of a mail. */
async function signUp(email: string): Promise<void> {
  browser = aBrowser(stage)
  await browser.signUp(email)
}

const soon = () => AbortSignal.timeout(120_000)
let said = 0

/**
 * A message each way, through the router, delivery and the customer's receiver. @returns the type of the
 * event
 */
async function talk(): Promise<string> {
  const text = `message ${++said}`
  const headers = { authorization: `Bearer ${key}`, "idempotency-key": randomUUID() }
  const url = `${stage.url}/api/instances/shop/proxy/send/text`
  await patiently(soon(), () => call(url, "POST", { chat: bob.number, body: text }, headers))
  await bob.read({ text })
  await bob.send(ada.number, `answer to ${text}`)
  const arrived = () => receiver.arrivals.find((one) => one.text === `answer to ${text}`)
  return (await until(arrived, { withinMs: 60_000 })).type
}

/** Resolves when no host of before runs, and the bridge is up at another. */
async function replaced(before: string[]): Promise<void> {
  const isOver = () => stage.tasks().length > 0 && stage.tasks().every((task) => !before.includes(task))
  await until(isOver, { what: "hosts of the new task definition alone", withinMs: 150_000 })
  await untilConnected("shop", { api: apiClient(stage.url, key), signal: soon() })
}

const denied = () =>
  stage.judged
    .filter(({ isAllowed }) => !isAllowed)
    .map((one) => `${one.role}: ${one.action} on ${one.resource}`)

test("deploy: every URL answers through the router alone; the sweep looks, and starts no host without need", async () => {
  await deploy()
  expect((await fetch(`${stage.url}/healthz`)).status).toBe(200)
  // Their own URLs are open to the internet.
  for (const fn of ["Api", "Stream", "Transfer", "Dashboard", "DashboardStream"] as const)
    expect(await stage.invoke(fn, urlEvent("GET", "/healthz"))).toMatchObject({ statusCode: 403 })
  await until(() => stage.judged.filter(isLook).length > 2, { what: "three looks of the sweep" })
  expect(stage.tasks()).toEqual([])
})

test("the first account: made by the operator, as the page says", async () => {
  const [account] = await admin("account", "create", "Ada", "active", "--key")
  accountId = String(account!.id)
  key = String(account!.key)
  expect((await api("GET", "/instances")).status).toBe(200)
})

test("a bridge is made, the sweep starts a host for it, and it is linked to a phone", async () => {
  const made = await api("POST", "/instances", { customer_ref: "shop", webhook_url: receiver.url })
  const bridge = z.object({ id: z.string(), webhook_secret: z.string() }).parse(await made.json())
  bridgeId = bridge.id
  await until(() => stage.tasks().length === 1, { what: "the first host", withinMs: 60_000 })
  receiver.trust("hook", bridge.webhook_secret)
  const client = apiClient(stage.url, key)
  await link("shop", { api: client, signal: soon(), scan: (png) => network.control.scan(ada.number, png) })
  const { status } = z
    .object({ status: z.string() })
    .parse(await (await api("GET", "/instances/shop/proxy/status")).json())
  expect(status).toBe("connected")
})

test("traffic: a message each way, a webhook test, a line of its log, and no mail of a trouble", async () => {
  expect(await talk()).toBe("message")
  expect(await (await api("POST", "/instances/shop/webhook-test")).json()).toMatchObject({ success: true })
  const contacts = await api("GET", "/instances/shop/proxy/contacts")
  expect(contacts.status).toBe(200)
  const mails = stage.mails.length
  await stage.tell()
  expect(stage.mails).toHaveLength(mails)
})

test("the dashboard: a newcomer signs up with a mailed code, and sees pages and what is live on them", async () => {
  browser = aBrowser(stage)
  const { body } = await page("GET", "/sign-in")
  const style = /rel="stylesheet" href="([^"]+)"/.exec(body)![1]!
  expect(await page("GET", style)).toMatchObject({ status: 200, type: expect.stringContaining("text/css") })
  await signUp("eve@example.com")
  for (const path of ["/", "/numbers", "/keys", "/account"])
    expect([path, (await page("GET", path)).status]).toEqual([path, 200])
  const live = await page("GET", "/live/numbers")
  expect(live).toMatchObject({ status: 200, type: expect.stringContaining("text/event-stream") })
})

test("programs: the command line signs in by a code and hears events, the SDK sends, an agent calls a tool", async () => {
  const login = run(undefined, "login", stage.url)
  const code = await until(() => /[0-9A-Z]{4}-[0-9A-Z]{4}/.exec(login.said.err)?.[0])
  expect(await page("POST", "/device", { code, answer: "yes", may: "read", numbers: "*" })).toMatchObject({
    status: 200,
  })
  expect(await login.ended).toMatchObject({ code: 0, out: expect.stringContaining("signed in") })

  const listener = run({ url: stage.url, key }, "listen", "--bridge", "shop")
  await until(() => listener.said.err.includes("listening to shop"))
  await talk()
  await until(() => listener.said.out.includes(`answer to message ${said}`), { withinMs: 60_000 })
  listener.child.kill("SIGINT")
  expect((await listener.ended).code).toBe(0)

  const shop = messagingBridge({ url: stage.url, key }).bridge("shop")
  const { message_id } = await shop.sendText({ chat: bob.number, body: "from a program" })
  expect(await shop.getMessage({ id: message_id })).toMatchObject({ message_id })

  const agent = new Client({ name: "agent", version: "1" }, { versionNegotiation: { mode: "auto" } })
  const requestInit = bearer(key)
  await agent.connect(new StreamableHTTPClientTransport(new URL("/mcp", stage.url), { requestInit }))
  const told = await agent.callTool({ name: "number_status", arguments: { number: "shop" } })
  expect(JSON.stringify(told)).toContain("Connected")
  await agent.close()
})

test("rotation of the router's secret: calls pass before the router knows it, and after", async () => {
  settings = { ...settings, ROUTER_SECRET_VERSION: "2" }
  await deploy({}, async () => {
    expect(await talk()).toBe("message")
    expect(await page("GET", "/account")).toMatchObject({ status: 200 })
  })
  expect(await talk()).toBe("message")
  expect(await page("GET", "/account")).toMatchObject({ status: 200 })
})

test("rotation of the pepper: keys of before are void, and a new one is issued", async () => {
  settings = { ...settings, API_KEY_PEPPER_VERSION: "2" }
  await deploy()
  await expect(api("GET", "/instances")).rejects.toThrow(/answered 401/)
  const [made] = await admin("key", "create", accountId)
  key = String(made!.key)
  expect(await talk()).toBe("message")
})

test("rotation of a customer's API key: both work until the old one is revoked", async () => {
  const old = key
  const [made] = await admin("key", "create", accountId)
  expect((await api("GET", "/instances")).status).toBe(200)
  key = String(made!.key)
  expect(await talk()).toBe("message")
  const [, id] = old.split("_")
  await admin("key", "revoke", accountId, id!)
  const isVoid = async () => {
    // A look each second: an address may ask 300 times a minute.
    await sleep(1000)
    return (await fetch(`${stage.url}/api/instances`, bearer(old))).status === 401
  }
  await until(isVoid, { what: "the end of a revoked key", withinMs: 45_000 })
  expect(await talk()).toBe("message")
})

test("rotation of a bridge's webhook secret: both sign until its customer ends that, and then the new one", async () => {
  const rolled = await api("POST", "/instances/shop/webhook-secret/roll")
  const { webhook_secret } = z.object({ webhook_secret: z.string() }).parse(await rolled.json())
  const isGenuine = async () => {
    await talk()
    return receiver.arrivals.findLast(({ type }) => type === "message")!.genuine
  }
  expect(await isGenuine()).toBe(true)
  receiver.trust("hook", webhook_secret)
  expect(await isGenuine()).toBe(true)
  await api("POST", "/instances/shop/webhook-secret/finish")
  expect(await isGenuine()).toBe(true)
})

test("rotation of the host token: hosts of before take calls until the sweep has replaced them", async () => {
  const old = stage.tasks()
  settings = { ...settings, HOST_TOKEN_VERSION: "2" }
  await deploy({}, async () => {
    expect(stage.tasks()).toEqual(old)
    expect((await api("GET", "/instances/shop/proxy/status")).status).toBe(200)
  })
  await replaced(old)
  expect(await talk()).toBe("message")
})

test("rotation of the wrapping keys, and wrapping anew", async () => {
  await admin("wrapping", "rotate")
  await admin("wrapping", "rewrap")
  expect(await talk()).toBe("message")
})

test("upgrade: another image replaces the hosts while messages go on", async () => {
  const old = stage.tasks()
  const { folder, remove } = aCheckout({ changed: { "core/error.ts": "export {}" } })
  onTestFinished(remove)
  await deploy({ root: folder })
  const talking = talk()
  await replaced(old)
  expect(await talking).toBe("message")
  expect(await talk()).toBe("message")
})

test("roll back: the image of before replaces the hosts again", async () => {
  const old = stage.tasks()
  await deploy()
  await replaced(old)
  expect(await talk()).toBe("message")
})

/** The subscription of each account, by the account's id. */
async function subscriptions(): Promise<Map<string, string>> {
  return new Map((await admin("account", "list")).map((one) => [String(one.id), String(one.subscription)]))
}
let payer = ""

test("numbers are paid for from now on: a newcomer begins a free trial, and those of before go on", async () => {
  const { STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET, STRIPE_PRICE } = stage.stripe.environment
  const stripe = { BILLING: "stripe", STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET, STRIPE_PRICE }
  settings = { ...settings, ...stripe, DASHBOARD_URL: `https://${new URL(stage.url).host}` }
  await deploy()
  const known = await subscriptions()
  await signUp("fay@example.com")
  payer = [...(await subscriptions()).keys()].find((id) => !known.has(id))!

  const begun = await page("POST", "/subscription/begin", {})
  expect([begun.status, begun.body]).toEqual([303, ""])
  const body = new URLSearchParams({ card: "4242424242424242" })
  const paid = await fetch(begun.leadsTo!, { method: "POST", body, redirect: "manual" })
  const { pathname, search } = new URL(paid.headers.get("location")!)
  expect(await page("GET", pathname + search)).toMatchObject({ status: 303 })
  expect((await subscriptions()).get(payer)).toBe("trialing")
  expect(await talk()).toBe("message")
})

test("rotation of Stripe's key and its webhooks' secret: Stripe takes both until they are deployed", async () => {
  const next = { key: "sk_test_next", webhookSecret: "whsec_next" }
  stage.stripe.roll(next)
  settings = { ...settings, STRIPE_SECRET_KEY: next.key, STRIPE_WEBHOOK_SECRET: next.webhookSecret }
  await deploy()
  stage.stripe.revoke()
  // The free trial ends: Stripe charges the card, says so, and is asked.
  stage.stripe.advance(8)
  const isPaid = async () => {
    await stage.lookAtDue()
    return (await subscriptions()).get(payer) === "active"
  }
  expect(await until(isPaid)).toBe(true)
})

test("no policy refused a call, and every role was asked something", () => {
  expect(denied()).toEqual([])
  const roles = graphOf(before)
    .all("iam/role:Role")
    .map(({ name }) => name)
  const asked = new Set(stage.judged.map(({ role }) => role))
  expect([...asked].toSorted()).toEqual([...roles, "AdminPolicy"].toSorted())
  console.log(`${stage.judged.length} calls held against policies`)
})

test("every answer came as one event, and in order", () => {
  const texts = receiver.arrivals.filter(({ type }) => type === "message").map(({ text }) => text)
  const expected = Array.from({ length: said }, (_, i) => `answer to message ${i + 1}`)
  // Delivered at least once: what came again has the same id.
  expect([...new Set(texts)]).toEqual(expected)
  const ids = new Set(
    receiver.arrivals.filter(({ type }) => type === "message").map(({ eventId }) => eventId),
  )
  expect(ids.size).toBe(expected.length)
})

test("remove: the operator ends every host, as the page says, and the sweep starts none", async () => {
  await admin("host", "stop", "all")
  await until(() => stage.tasks().length === 0, { what: "the end of every task", withinMs: 30_000 })
  const looks = stage.judged.filter(isLook).length
  await until(() => stage.judged.filter(isLook).length > looks + 2, { what: "further looks of the sweep" })
  expect(stage.tasks()).toEqual([])
})

/** The sweep asks each time whether the operator has stopped the hosts. */
const isLook = (one: { role: string; action: string }) =>
  one.role === "SweepRole" && one.action === "dynamodb:GetItem"

test("remove: what AWS would keep is enough to read the rows", async () => {
  settings = { ...settings, REMOVABLE: "1" }
  const graph = await deploy()
  await stage.stop()
  const kept = graph.resources.filter(({ options }) => options.retainOnDelete).map(({ name }) => name)
  expect(kept).toEqual(expect.arrayContaining(["EventsTable", "LeasesTable", "DeliveryKey", "SessionKey"]))
  expect(graph.resources.filter(({ options }) => options.protect).map(({ name }) => name)).toEqual([])
  expect(await firstEvent()).toContain('"event":"')
})

/** The bridge's first event, read with what is left: tables and keys. */
async function firstEvent(): Promise<string> {
  vi.resetModules()
  Object.assign(process.env, stage.left())
  const [{ DataKeys }, { EventRow }] = [
    await import("#core/keys/data-keys.ts"),
    await import("#core/event/event-row.ts"),
  ]
  const keys = await DataKeys.get(bridgeId)
  const row = await EventRow.get(bridgeId, 1)
  return EventRow.bodyOf(row!, keys!.delivery).toString()
}
