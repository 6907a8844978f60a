import { BridgeError } from "./bridge-error.ts"
import { argument } from "./call.ts"
import type { Event } from "./generated.ts"

type EventType = Event["event"]

/** An event that a webhook got, proved to be the service's. */
export interface Received<Type extends EventType = EventType> {
  event: Extract<Event, { event: Type }>
  /** The same each time that this event is delivered: use it to deduplicate. */
  eventId: string
  /** The number of the attempt at delivering it, from 1. */
  attempt: number
  /** It was asked for again: newer events may have come before it. */
  isResend: boolean
  /** The bridge that the event is of; only where the webhook is the account's. */
  customerRef?: string
  /** What was given up since this webhook last took an event; only beside the first event of a delivery. */
  undelivered?: Undelivered
}

/** Events that the service gave up, since this webhook did not take them. */
export interface Undelivered {
  count: number
  /** When the first was given up, Unix seconds: `resendSince({ since })` has them delivered again. */
  since: number
}

/** What to do with the events of each type; `other` gets those that are not named. */
export type Handlers = {
  [Type in EventType]?: (event: Extract<Event, { event: Type }>, about: Received<Type>) => unknown
} & { other?: (event: Event, about: Received) => unknown }

export interface WebhookSettings {
  /**
   * The bridge's `webhook_secret`, or the `secret` of a further webhook or of the account's, `whsec_`
   * included.
   */
  secret: string
  /**
   * Is told what a handler threw, which the service is answered with 500, so that it delivers the event
   * again.
   */
  onError?: (error: unknown) => void
  /**
   * Is told, before the delivery's events are handled, that events before them were given up, as after an
   * outage of yours. `onError` is told what it throws. The events are handled then, and after three seconds,
   * all the same: a receiver that fails here would go on losing events.
   */
  onUndelivered?: (undelivered: Undelivered) => unknown
}

/** In seconds: an older delivery may be a copy that an attacker sends again. */
const tolerance = 300
/** In bytes. A batch has 1 MB, unless a single event is larger. */
const mostBytes = 16_000_000

/**
 * The events of a delivery. The request must be as it arrived: read no body of it before.
 * @param now Unix seconds
 * @throws BridgeError `invalid_signature` if it is not genuine, too old or too large
 */
export async function verify(request: Request, secret: string, now = Date.now() / 1000): Promise<Received[]> {
  const body = await gathered(request.body)
  const { headers } = request
  if (!(await isGenuine(body, headers.get("x-webhook-signature"), checkedSecret(secret), now)))
    throw new BridgeError(
      "invalid_signature",
      "this delivery is not genuine, or more than five minutes old: is the secret that of this webhook, the clock right, and the body as it came?",
      { status: 401 },
    )
  const about = {
    attempt: Number(headers.get("x-webhook-attempt") ?? 1),
    isResend: headers.has("x-webhook-resend"),
  }
  const said: unknown = JSON.parse(new TextDecoder().decode(body))
  const one = {
    event_id: headers.get("x-webhook-event-id") ?? "",
    event: said as Event & { customer_ref?: string },
  }
  // Signed by the service.
  const events = headers.has("x-webhook-batch") ? (said as (typeof one)[]) : [one]
  const undelivered = undeliveredIn(headers)
  return events.map(({ event_id, event }, i) => ({
    event,
    eventId: event_id,
    ...about,
    ...(event.customer_ref !== undefined && { customerRef: event.customer_ref }),
    ...(i === 0 && undelivered && { undelivered }),
  }))
}

function undeliveredIn(headers: Headers): Undelivered | undefined {
  const count = Number(headers.get("x-webhook-undelivered"))
  const since = Number(headers.get("x-webhook-undelivered-since"))
  return count > 0 ? { count, since } : undefined
}

/**
 * Whether these bytes were signed with this secret, within the last five minutes.
 * @param signature the header `X-Webhook-Signature`
 * @param now Unix seconds
 */
export async function isGenuine(
  body: Uint8Array<ArrayBuffer>,
  signature: string | null | undefined,
  secret: string,
  now = Date.now() / 1000,
): Promise<boolean> {
  // While a secret is replaced there are two signatures: any that matches will do.
  const [, time, signatures] = /^t=(\d{1,12})((?:,v1=[0-9a-f]{64})+)$/.exec(signature ?? "") ?? []
  if (time === undefined || signatures === undefined || signature?.endsWith("\n")) return false
  if (Math.abs(now - Number(time)) > tolerance) return false
  const hmac = { name: "HMAC", hash: "SHA-256" }
  const key = await crypto.subtle.importKey("raw", new TextEncoder().encode(secret), hmac, false, ["verify"])
  const prefix = new TextEncoder().encode(`${time}.`)
  const signed = new Uint8Array(prefix.length + body.length)
  signed.set(prefix)
  signed.set(body, prefix.length)
  const given = signatures.split(",v1=").slice(1)
  const verdicts = await Promise.all(
    given.map((one) => crypto.subtle.verify(hmac, key, bytesOfHex(one), signed)),
  )
  return verdicts.includes(true)
}

function bytesOfHex(hex: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(hex.match(/../g)!, (byte) => Number.parseInt(byte, 16))
}

/**
 * A webhook for what takes a `Request`: Hono, Next, Workers, Bun, Deno. It answers 204 when the handler is
 * done, within the 10 seconds that the service waits; 401 to what is not genuine; 500 if the handler throws.
 * The events of a POST are handled one after the other, in order.
 * @throws BridgeError `invalid_argument` for a secret that is none
 */
export function handler(
  handlers: Handlers,
  settings: WebhookSettings,
): (request: Request) => Promise<Response> {
  const secret = checkedSecret(settings.secret)
  const onError = settings.onError ?? console.error
  return async (request) => {
    if (request.method !== "POST") return new Response(undefined, { status: 405, headers: { allow: "POST" } })
    try {
      for (const received of await verify(request, secret)) {
        if (received.undelivered) await tell(received.undelivered, settings.onUndelivered, onError)
        await dispatch(handlers, received)
      }
      return new Response(undefined, { status: 204 })
    } catch (error) {
      if (error instanceof BridgeError && error.code === "invalid_signature")
        return refused(error.status, error.message)
      onError(error)
      return new Response(undefined, { status: 500 })
    }
  }
}

/** Waits for it, since some platforms end with the answer what nobody waits for; but not for long. */
async function tell(
  undelivered: Undelivered,
  onUndelivered: WebhookSettings["onUndelivered"],
  onError: (error: unknown) => void,
): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise((resolve) => (timer = setTimeout(resolve, 3000)))
  await Promise.race([Promise.resolve(undelivered).then(onUndelivered).catch(onError), late])
  clearTimeout(timer)
}

async function dispatch(handlers: Handlers, received: Received): Promise<void> {
  const type = received.event.event
  const named = Object.hasOwn(handlers, type) ? handlers[type] : handlers.other
  await (named as Handlers["other"])?.(received.event, received) // it is of its type
}

/** What is used of Node's request, which Express and Fastify pass along. */
interface NodeRequest extends AsyncIterable<Uint8Array> {
  method?: string | undefined
  headers: Record<string, string | string[] | undefined>
  /** What a parser has made of the body, if there is one. */
  body?: unknown
}

interface NodeResponse {
  writeHead(status: number, headers: Record<string, string>): { end(body?: string): unknown }
}

/**
 * The same webhook for Node's `http` and for Express: `app.post("/hook", webhooks.node(handler))`. In Express
 * it comes before `express.json()`, since the signature is over the body as it came; a body from
 * `express.raw()` will do.
 */
export function node(handle: (request: Request) => Promise<Response>) {
  return async (request: NodeRequest, response: NodeResponse): Promise<void> => {
    const answer = await answerTo(handle, request)
    response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text())
  }
}

async function answerTo(
  handle: (request: Request) => Promise<Response>,
  request: NodeRequest,
): Promise<Response> {
  const { method, body } = request
  if (body !== undefined && !(body instanceof Uint8Array)) return refused(500, parsed)
  const headers = Object.entries(request.headers).map(
    ([name, value]) => [name, String(value)] as [string, string],
  )
  if (method !== "POST") return await handle(new Request("http://webhook/", { method: method ?? "GET" }))
  try {
    const bytes = new Uint8Array(body ?? (await gathered(request)))
    return await handle(new Request("http://webhook/", { method, headers, body: bytes }))
  } catch (error) {
    if (error instanceof BridgeError) return refused(error.status, error.message)
    return refused(400, "the request broke off")
  }
}

/**
 * The operator of the webhook reads it in the service's list of deliveries, which keeps the answers of
 * attempts that failed.
 */
const parsed =
  "the body was parsed before this webhook could check its signature: put it before express.json()"

function refused(status: number, why: string): Response {
  return new Response(why, { status })
}

/** @throws BridgeError `invalid_signature`, with the status 413, for more bytes than any delivery has */
async function gathered(body: AsyncIterable<Uint8Array> | null): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body ?? []) {
    size += chunk.length
    if (size > mostBytes)
      throw new BridgeError("invalid_signature", "no delivery is as large as this", { status: 413 })
    chunks.push(chunk)
  }
  const all = new Uint8Array(size)
  let at = 0
  for (const chunk of chunks) {
    all.set(chunk, at)
    at += chunk.length
  }
  return all
}

function checkedSecret(secret: string | undefined): string {
  if (secret?.startsWith("whsec_")) return secret
  throw argument(
    "secret is missing, or not one: it begins with whsec_, and is the webhook_secret of the bridge",
  )
}
