import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { z } from "zod"
import { apiClient, Unexpected } from "../api-client.ts"
import { askedToStop } from "../asked-to-stop.ts"
import { networkClient } from "../network/client.ts"
import { untilConnected } from "../network/link.ts"
import { sessionHostPids } from "../service/session-host-pids.ts"
import { noRateLimits, type SpawnedService, spawnService } from "../service/spawn-service.ts"
import { chatwootStory } from "./chatwoot.ts"
import { conversationsStory } from "./conversations.ts"
import { manyBridgesStory } from "./many-bridges.ts"
import { messagesStory } from "./messages.ts"
import { passkeyStory } from "./passkey.ts"
import { type Arrival, startReceiver } from "./receiver.ts"
import { subscriptionStory } from "./subscription.ts"

/**
 * `BRIDGES=200` links that many bridges on packed hosts and shows what they take up, instead of one bridge's
 * story.
 */
const Bridges = z.coerce.number().int().min(1).default(1)

const asked = Bridges.safeParse(process.env.BRIDGES)
if (!asked.success) {
  console.error("BRIDGES: must be a whole number from 1")
  process.exit(2)
}
const bridges = asked.data
/**
 * `--subscription`: the story of what an account pays. `--passkey`: a phone that wants a passkey is linked on
 * a page; with `--chromium <path>` in that browser, with the extension installed. `--conversations`: a group,
 * a file, statuses, and a dead webhook beside the one that is told of them. `--messages`: a
 * phone writes messages of most kinds, and the API sends most of its own. `--chatwoot`: messages go both ways
 * between a number and an inbox of a pretend Chatwoot.
 */
const options = {
  subscription: { type: "boolean", default: false },
  passkey: { type: "boolean", default: false },
  chromium: { type: "string" },
  conversations: { type: "boolean", default: false },
  messages: { type: "boolean", default: false },
  chatwoot: { type: "boolean", default: false },
} as const
const { subscription, passkey, conversations, messages, chatwoot, chromium } = parseArgs({ options }).values
const stories = { subscription, passkey, conversations, messages, chatwoot }
const name = Object.entries(stories).find(([, isWanted]) => isWanted)?.[0] ?? "demo"
/** Longer than any step may take, so that a demo that hangs fails. */
const deadlineMs = (name === "demo" ? 60_000 : 120_000) + (bridges - 1) * 6000

const environment = {
  HOST_NETWORK: "simulated",
  SANDBOX: "1",
  ...(bridges > 1 && noRateLimits),
  ...(subscription && { BILLING: "pretend" }),
}

type Receiver = Awaited<ReturnType<typeof startReceiver>>

const dataDir = mkdtempSync(join(tmpdir(), "messaging-bridge-demo-"))
const started = performance.now()
const code = await main()
rmSync(dataDir, { recursive: true, force: true })
// A story that was interrupted may wait for something that never comes.
process.exit(code)

async function main(): Promise<number> {
  const asked = askedToStop({ patienceMs: 10_000 })
  const receiver = await startReceiver()
  const signal = AbortSignal.timeout(deadlineMs)
  try {
    const service = await spawnService({ dataDir, environment })
    try {
      const told = tell(service, receiver, signal)
      const interrupted = asked.then(() => Promise.reject(new Unexpected("it was interrupted")))
      await Promise.race([told, interrupted])
    } finally {
      await service.stop()
    }
    console.log(`${name}: ok`)
    return 0
  } catch (error) {
    console.error(`${name}: failed: ${error instanceof Error ? error.message : String(error)}`)
    return 1
  } finally {
    await receiver.stop()
  }
}

async function tell(service: SpawnedService, receiver: Receiver, signal: AbortSignal): Promise<void> {
  if (subscription) return await subscriptionStory(service, { step, signal })
  if (passkey) return await passkeyStory(service, { apiKey: await newKey(service), chromium, step, signal })
  if (conversations)
    return await conversationsStory(service, { apiKey: await newKey(service), receiver, step, signal })
  if (chatwoot) return await chatwootStory(service, { apiKey: await newKey(service), step, signal })
  if (messages) return await messagesStory(service, { apiKey: await newKey(service), receiver, step, signal })
  if (bridges > 1)
    return await manyBridgesStory(service, {
      apiKey: await newKey(service),
      receiver,
      count: bridges,
      signal,
      step,
    })
  return await story(service, receiver, signal)
}

/** Creates an account and returns its API key. */
async function newKey({ admin, baseUrl }: SpawnedService): Promise<string> {
  step(`the service runs at ${baseUrl}`)
  const Made = z.object({ id: z.string(), key: z.string() })
  const { id, key } = await admin(Made, "account", "create", "demo", "active", "--key")
  await admin(z.object({ id: z.string() }), "account", "limit", id, String(bridges))
  step("an account and its API key are made")
  return key
}

async function story(service: SpawnedService, receiver: Receiver, signal: AbortSignal): Promise<void> {
  const api = apiClient(service.baseUrl, await newKey(service))

  const bridge = z
    .object({ webhook_secret: z.string() })
    .parse(
      await (await api("POST", "/instances", { customer_ref: "demo", webhook_url: receiver.url })).json(),
    )
  receiver.trust(bridge.webhook_secret)
  step("POST /api/instances made a bridge")

  const network = networkClient({ controlUrl: service.phonesUrl })
  const owner = await network.create("Olga")
  const contact = await network.create("Carl")
  const png = await api("GET", "/instances/demo/proxy/qr")
  expect(png.headers.get("content-type") === "image/png", "the QR code is not a PNG")
  step("GET proxy/qr gave a PNG")
  await network.scan(owner.number, new Uint8Array(await png.arrayBuffer()))
  step("a simulated phone read the PNG and linked the bridge")

  const connected = await receiver.arrival(({ event }) => event.event === "connected", signal)
  expect(connected.event.phone === owner.number, "`connected` names another phone")
  await untilConnected("demo", { api, signal })
  step("proxy/status is connected, and the webhook `connected` came")

  await api("POST", "/instances/demo/proxy/send/text", { chat: contact.number, body: "Hello Carl" })
  const [read] = await network.read(contact.number, { text: "Hello Carl", wait: 10_000 })
  expect(read?.from === owner.number, "the contact did not get the message")
  step("POST proxy/send/text reached the contact, who decrypted it")

  receiver.failOnce("first answer")
  await network.send(contact.number, owner.number, "first answer")
  await network.send(contact.number, owner.number, "second answer")
  await receiver.arrival(isBody("first answer"), signal)
  step("the contact's answer came as a webhook, and the receiver answered 500")
  await receiver.arrival(isBody("second answer"), signal)
  const tries = receiver.arrivals.filter(({ event }) => event.event === "message")
  expect(
    tries.map(({ event }) => event.body).join() === "first answer,first answer,second answer",
    "the retry did not keep the order",
  )
  expect(tries[0]?.eventId === tries[1]?.eventId, "the retry changed the event id")
  expect(tries[0]?.attempt === 1 && tries[1]?.attempt === 2, "the attempts are not numbered 1, 2")
  step("the retry kept event id and order")

  const { devices } = await network.phone(owner.number)
  const device = `${owner.number}:${devices.find(({ id }) => id !== 0)?.id}`
  const takeReceipts = await network.fault({ kind: "cut_before_receipt", device })
  const { id } = await network.send(contact.number, owner.number, "are you alive?")
  await receiver.arrival(isBody("are you alive?"), signal)
  for (const pid of await sessionHostPids(service)) process.kill(pid, "SIGKILL")
  await takeReceipts()
  step("the session host was killed: it had kept a message, and the network had no receipt for it")
  await untilConnected("demo", { api, signal })
  expect(await network.settled(device, 10_000), "the network still waits for a receipt")
  const copies = await network.log({ kind: "out", who: device, tag: "message", attrs: { id } })
  expect(copies.length > 1, "the network did not hand it over again")
  step("the network handed it over again, to a new session host, which knew it")

  await network.send(contact.number, owner.number, "good")
  await receiver.arrival(isBody("good"), signal)
  const times = receiver.arrivals.filter(isBody("are you alive?")).length
  expect(times === 1, `it arrived ${times} times`)
  expect(
    receiver.arrivals.every(({ genuine }) => genuine),
    "a signature is not genuine",
  )
  step(`it arrived once, and all ${receiver.arrivals.length} signatures are genuine`)
}

function isBody(body: string) {
  return ({ event }: Arrival) => event.event === "message" && event.body === body
}

function expect(truth: boolean, otherwise: string): void {
  if (!truth) throw new Unexpected(otherwise)
}

function step(what: string): void {
  console.log(`${((performance.now() - started) / 1000).toFixed(1).padStart(6)} s  ${what}`)
}
