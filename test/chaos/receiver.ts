import { createHash, createHmac, timingSafeEqual } from "node:crypto"
import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { buffer } from "node:stream/consumers"
import type { Random } from "./random.ts"

/** A delivery as it reached the receiver. */
export interface Arrival {
  bridge: string
  eventId: string
  attempt: number
  /** Of the event. */
  type: string
  /** Of a message. */
  text: string | undefined
  /** SHA-256 of the raw body. */
  bytes: string
  genuine: boolean
  /** Unix milliseconds. */
  at: number
  /** What the receiver did; a status, or how it failed. */
  answered: string
}

/** What is done to a share of the deliveries. The rest is answered with 200. */
const misdeeds: { share: number; name: string; answer: (response: ServerResponse) => void }[] = [
  { share: 0.004, name: "500", answer: (response) => response.writeHead(500).end() },
  { share: 0.002, name: "429", answer: (response) => response.writeHead(429).end() },
  { share: 0.002, name: "reset", answer: (response) => response.socket?.destroy() },
  {
    share: 0.002,
    name: "hang",
    answer: (response) => void setTimeout(() => response.socket?.destroy(), 1500),
  },
]

/** The customers' receiver: `/<bridge>` for each bridge. Records everything; fails as its seed says. */
export async function startReceiver(random: Random) {
  const arrivals: Arrival[] = []
  const secrets = new Map<string, string>()
  const dead = new Set<string>()
  const texts = new Map<string, Set<string>>()
  let faulty = false
  let failing = 0

  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request)
    const bridge = request.url!.slice(1)
    const event = JSON.parse(body.toString()) as { event: string; body?: string } // looked at by the oracle
    const roll = random.next()
    let share = 0
    const misdeed =
      failing-- > 0 ? misdeeds[0] : faulty ? misdeeds.find((one) => roll < (share += one.share)) : undefined
    arrivals.push({
      bridge,
      eventId: String(request.headers["x-webhook-event-id"]),
      attempt: Number(request.headers["x-webhook-attempt"]),
      type: event.event,
      text: event.event === "message" ? event.body : undefined,
      bytes: createHash("sha256").update(body).digest("base64"),
      genuine: isGenuine(String(request.headers["x-webhook-signature"]), body, secrets.get(bridge) ?? ""),
      at: Date.now(),
      answered: misdeed?.name ?? "200",
    })
    if (event.event === "message") textsOf(bridge).add(event.body ?? "")
    if (dead.has(bridge)) return
    if (misdeed) return misdeed.answer(response)
    response.writeHead(200).end()
  }

  function textsOf(bridge: string): Set<string> {
    const found = texts.get(bridge) ?? new Set()
    texts.set(bridge, found)
    return found
  }

  const server = createServer((request, response) => {
    take(request, response).catch(() => {
      // The deliverer was killed while it spoke: nothing has arrived.
    })
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo // listening on TCP
  return {
    arrivals,
    /** How many messages of a bridge have come at least once. */
    count: (bridge: string) => textsOf(bridge).size,
    urlOf: (bridge: string) => `http://127.0.0.1:${port}/${bridge}`,
    trust: (bridge: string, secret: string) => void secrets.set(bridge, secret),
    /** The next delivery is answered with 500. */
    failNext: () => {
      failing = 1
    },
    /** Whether it leaves everything of this bridge without an answer. */
    setDead: (bridge: string, now: boolean) => void (now ? dead.add(bridge) : dead.delete(bridge)),
    /** Whether it fails now and then. */
    setFaulty: (now: boolean) => {
      faulty = now
    },
    stop: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}
export type Receiver = Awaited<ReturnType<typeof startReceiver>>

/** Spec 5.2. */
function isGenuine(header: string, body: Buffer, secret: string): boolean {
  const [, t = "", v1 = ""] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(header) ?? []
  const expected = createHmac("sha256", secret).update(`${t}.`).update(body).digest()
  const given = Buffer.from(v1, "hex")
  return given.length === expected.length && timingSafeEqual(given, expected)
}
