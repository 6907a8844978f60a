import { spawn } from "node:child_process"
import { createHmac } from "node:crypto"
import { once } from "node:events"
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import type { Document } from "#contract/openapi.ts"
import { stopListening, listen } from "#one-machine/listen.ts"
import { messagingBridge } from "#sdk-typescript/index.ts"
import { startReceiver } from "../../support/service/start-receiver.ts"
import { until } from "../../support/until.ts"
import { friend, owner, service, shop } from "./shop.ts"

// A real n8n, with the package as it is packed: `N8N` is the folder in which n8n is installed.

const folder = mkdtempSync(join(tmpdir(), "n8n-"))
const modules = join(folder, ".n8n/nodes/node_modules")
mkdirSync(modules, { recursive: true })
symlinkSync(process.env.N8N_PACKAGE!, join(modules, "n8n-nodes-messaging-bridge"))

const free = createServer()
const port = await listen(free)
await stopListening(free)
const base = `http://127.0.0.1:${port}`
const n8n = spawn(process.execPath, [join(process.env.N8N!, "node_modules/n8n/bin/n8n"), "start"], {
  env: {
    PATH: process.env.PATH,
    HOME: folder,
    N8N_USER_FOLDER: folder,
    N8N_PORT: String(port),
    N8N_LISTEN_ADDRESS: "127.0.0.1",
    WEBHOOK_URL: base,
    N8N_SECURE_COOKIE: "false",
    N8N_DIAGNOSTICS_ENABLED: "false",
    N8N_VERSION_NOTIFICATIONS_ENABLED: "false",
    N8N_TEMPLATES_ENABLED: "false",
    N8N_RUNNERS_TASK_BROKER_PORT: String(port + 1),
  },
})
let said = ""
for (const stream of [n8n.stdout, n8n.stderr])
  stream.on("data", (chunk: Buffer) => (said += chunk.toString()))
let cookie = ""
let credential: Answer

interface Answer {
  id: string
  name: string
  versionId: string
}

/** What the editor asks of n8n. */
async function ask(method: string, path: string, body?: unknown): Promise<Answer> {
  const headers = { "content-type": "application/json", cookie }
  const answer = await fetch(`${base}/rest${path}`, { method, headers, body: JSON.stringify(body) })
  cookie ||= answer.headers.getSetCookie().join("; ").split(";")[0]!
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}\n${said.slice(-2000)}`)
  return (JSON.parse(text) as { data: Answer }).data
}

const isUp = () =>
  fetch(`${base}/healthz/readiness`).then(
    ({ ok }) => ok,
    () => false,
  )

const about = {
  name: "bridge",
  type: "messagingBridgeApi",
  data: { url: `${service.baseUrl}/`, apiKey: shop.key },
}
const receiver = await startReceiver()

beforeAll(async () => {
  await until(isUp, { withinMs: 240_000 })
  const [email, password] = ["owner@example.com", "Owner-of-n8n-1"]
  await ask("POST", "/owner/setup", { email, password, firstName: "Owner", lastName: "Owner" })
  credential = await ask("POST", "/credentials", about)
  await bridge.updateBridge({ keep: 7, webhook_url: receiver.url })
}, 300_000)
afterAll(async () => {
  await receiver.stop()
  n8n.kill("SIGINT")
  if (n8n.exitCode === null) await once(n8n, "close")
  rmSync(folder, { recursive: true, force: true })
})

const bridge = messagingBridge({ url: service.baseUrl, key: shop.key }).bridge("shop")

type Node = [name: string, parameters: object, more?: object]

/** Activates a workflow of a trigger and what follows on it, one after the other. @returns what ends it */
async function activate(trigger: object, ...nodes: Node[]) {
  const all = [["in", trigger] as Node, ...nodes].map(([name, parameters, more], i) => ({
    id: crypto.randomUUID(),
    name,
    type: `n8n-nodes-messaging-bridge.messagingBridge${i === 0 ? "Trigger" : ""}`,
    typeVersion: 1,
    position: [200 * i, 0],
    parameters: { number: "shop", ...parameters },
    credentials: { messagingBridgeApi: { id: credential.id, name: credential.name } },
    ...(i === 0 ? { webhookId: crypto.randomUUID() } : { executeOnce: true }),
    ...more,
  }))
  const connections = Object.fromEntries(
    all.slice(1).map(({ name }, i) => [all[i]!.name, { main: [[{ node: name, type: "main", index: 0 }]] }]),
  )
  const made = await ask("POST", "/workflows", { name: "a workflow", nodes: all, connections, settings: {} })
  const { versionId } = await ask("POST", `/workflows/${made.id}/activate`, { versionId: made.versionId })
  // n8n does both a moment later.
  const webhook = await until(async () =>
    (await bridge.listWebhooks()).find(({ url }) => url.startsWith(base)),
  )
  const end = async () => {
    await ask("POST", `/workflows/${made.id}/deactivate`, { versionId })
    await until(async () => (await bridge.listWebhooks()).length === 1)
  }
  return { webhook, end }
}

const texts = async () => JSON.stringify(await service.network.read(friend, {}))
const heard = async (text: string) => await service.network.read(friend, { text, wait: 30_000 })

const tested = (key: string) =>
  ask("POST", "/credentials/test", {
    credentials: { ...about, id: credential.id, data: { ...about.data, apiKey: key } },
  })

test("the credential is tested by a call", async () => {
  expect(await tested(shop.key)).toMatchObject({ status: "OK" })
  expect(await tested("mbk_wrong")).toMatchObject({ status: "Error" })
})

test("a workflow answers what comes, and its webhook is gone when it is deactivated", async () => {
  const workflow = await activate(
    { events: ["message"], ignore: [], takenWhen: "onReceived" },
    [
      "reply",
      {
        operation: "reply",
        chat: "={{$json.chat_id}}",
        quoted: "={{$json.message_id}}",
        body: "=You said: {{$json.body}}",
        key: "={{$json.event_id}}",
      },
    ],
    [
      "again",
      {
        operation: "sendText",
        chat: "={{$('in').item.json.chat_id}}",
        body: "=You said: {{$('in').item.json.body}}",
        key: "={{$('in').item.json.event_id}}",
      },
    ],
  )
  expect(workflow.webhook).toMatchObject({ events: ["message"] })
  await service.network.send(friend, owner, "a question")
  expect(await heard("You said: a question")).toMatchObject([{ text: "You said: a question" }])
  await workflow.end()
})

test("a delivery is taken if it is genuine, alone or in a batch; it brings back what was given up", async () => {
  const workflow = await activate({ events: ["message"], ignore: [], takenWhen: "onReceived" }, [
    "reply",
    { operation: "sendText", chat: "={{$json.chat_id}}", body: "={{$json.event_id}}" },
    { executeOnce: false },
  ])
  const { url, secret } = workflow.webhook
  const event = { event: "message", chat_id: `${friend}@s.whatsapp.net`, body: "" }
  const post = async (said: object, { key = secret, age = 0, end = "", more = {} } = {}) => {
    const body = JSON.stringify(said)
    const time = Math.floor(Date.now() / 1000) - age
    const proof = createHmac("sha256", key).update(`${time}.${body}`).digest("hex")
    const headers = {
      "content-type": "application/json",
      "x-webhook-signature": `t=${time},v1=${proof}`,
      ...more,
    }
    return (await fetch(url, { method: "POST", headers, body: `${body}${end}` })).status
  }
  const one = { more: { "x-webhook-event-id": "evt_alone" } }
  const early = new Set<number>()
  await until(async () => {
    const status = await post(event, one)
    early.add(status)
    return status === 200
  })
  expect([503, 200]).toEqual(expect.arrayContaining([...early]))
  const after = { "x-webhook-event-id": "evt_after", "x-webhook-undelivered-since": "1" }
  expect(await post(event, { more: after })).toBe(200)
  const calls = await messagingBridge({ url: service.baseUrl, key: shop.key }).listRequests()
  expect(calls).toContainEqual(
    expect.objectContaining({ path: "/api/instances/shop/deliveries/resend", status: 202 }),
  )
  for (const wrong of [
    { key: "whsec_b3RoZXI=" },
    { key: "undefined" },
    { age: 310 },
    { age: -310 },
    { end: " " },
  ])
    expect([wrong, await post(event, wrong)]).toEqual([wrong, 401])
  expect(
    await post({ ...event, body: "x".repeat(300_000) }, { more: { "x-webhook-event-id": "evt_large" } }),
  ).toBe(200)
  const batch = ["evt_first", "evt_second"].map((event_id) => ({ event_id, event }))
  expect(await post(batch, { more: { "x-webhook-batch": "2" } })).toBe(200)
  for (const id of ["evt_alone", "evt_large", "evt_first", "evt_second"])
    expect(await heard(id)).toHaveLength(1)
  await workflow.end()
})

const [message_id, chat_id] = ["message_id", "chat_id"].map((field) => `={{$('in').first().json.${field}}}`)

const operations: Node[] = [
  ["numbers", { resource: "number", operation: "listBridges" }],
  ["status", { resource: "number", operation: "status" }],
  [
    "poll",
    { operation: "sendPoll", chat: chat_id, question: "When?", options: ["now", "later"], maxAnswers: 1 },
  ],
  [
    "file",
    {
      operation: "sendMedia",
      chat: chat_id,
      url: `${service.baseUrl}/llms.txt`,
      caption: "a list",
      filename: "list.txt",
    },
  ],
  ["react", { operation: "sendReaction", chat: chat_id, reacted: message_id, emoji: "👍" }],
  ["read", { operation: "readMessage", message: message_id }],
  ["message", { operation: "getMessage", message: message_id }],
  ["chats", { resource: "chat", operation: "listChats", returnAll: false, limit: 5 }],
  ["messages", { resource: "chat", operation: "listMessages", inChat: chat_id, returnAll: true }],
  [
    "found",
    { resource: "chat", operation: "searchMessages", words: "everything", returnAll: false, limit: 5 },
  ],
  ["older", { resource: "chat", operation: "askForOlder", inChat: chat_id }],
  [
    "later",
    { operation: "sendText", chat: chat_id, body: "later", sendAt: "={{$now.plus({ hours: 1 }).toISO()}}" },
  ],
  ["planned", { operation: "listPlanned", returnAll: true }],
  ["cancel", { operation: "cancelPlanned", planned: "={{$('later').first().json.message_id}}" }],
  ["channels", { resource: "channel", operation: "listChannels" }, { alwaysOutputData: true }],
  [
    "events",
    {
      resource: "event",
      operation: "listEvents",
      state: "",
      webhook: "first",
      returnAll: false,
      limit: 100,
    },
  ],
  [
    "resend",
    {
      resource: "event",
      operation: "resendEvent",
      event: "={{$('in').first().json.event_id}}",
      webhook: "first",
    },
  ],
  ["since", { resource: "event", operation: "resendSince", since: "2026-01-01T00:00:00", webhook: "first" }],
  [
    "all",
    {
      operation: "sendText",
      chat: chat_id,
      body: "={{ [$('status').first().json.status, $('message').first().json.status, $('numbers').all().length, $('chats').all().length, $('messages').all().length > 1, $('events').all().length > 0, $('found').all().length > 0, $('older').first().json.state, $('later').first().json.state, $('planned').all().length, $('cancel').first().json.ok, JSON.stringify($('resend').first().json), JSON.stringify($('since').first().json)].join(' ') }}",
    },
  ],
]

test("every operation does what it says", async () => {
  const workflow = await activate(
    { events: ["message"], ignore: ["status"], takenWhen: "lastNode" },
    ...operations,
  )
  await service.network.send(friend, owner, "everything")
  await expect.poll(texts).toMatch(/connected received 1 1 true true true (?:came|asked) planned 1 true/)
  await workflow.end()
})

test("an event whose workflow fails is delivered again", async () => {
  const workflow = await activate({ events: ["message"], ignore: [], takenWhen: "lastNode" }, [
    "wrong",
    { operation: "sendText", chat: "1", body: "to nobody" },
  ])
  const { id } = workflow.webhook
  await service.network.send(friend, owner, "a failure")
  await expect
    .poll(() => bridge.listDeliveries({ webhook: id }))
    .toMatchObject({ waiting: 1, failing_since: expect.any(Number) })
  await workflow.end()
})

test("the trigger offers every type of event", async () => {
  const types = await (await fetch(`${base}/types/nodes.json`, { headers: { cookie } })).json()
  const trigger = (types as { name: string }[]).find(({ name }) => name.endsWith(".messagingBridgeTrigger"))
  const document = (await (await fetch(`${service.baseUrl}/api/openapi.json`)).json()) as Document
  const offered = JSON.stringify(trigger)
  for (const type of document.components.schemas.EventType!.enum!)
    expect(offered).toContain(`"${String(type)}"`)
})
