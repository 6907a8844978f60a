import { createHash } from "node:crypto"
import type { Attempt } from "#contract/delivery.ts"
import type { Delivery } from "#core/event/delivery.ts"
import { EventRow } from "#core/event/event-row.ts"
import { Receiver } from "#core/event/receiver.ts"
import { FetchError } from "#core/fetch/fetch-error.ts"
import { type Connections, safeFetch } from "#core/fetch/safe-fetch.ts"
import { iso, now, nowMs } from "#core/platform/clock.ts"

/** Contract, "Delivery", dialling included. */
const withinMs = 10_000
/** How much of an answer's body is read, though it is ignored: enough that most connections can be reused. */
const readBytes = 16 * 1024
/** How much of an answer is kept if it is not a success (Contract, "Deliveries"). */
const keptBytes = 1024

export interface Outcome {
  verdict: "delivered" | "retry" | "failed"
  /** 0 without an answer. */
  statusCode: number
  /** Why it is not a success, in one word; `""` for a success. */
  error: string
  latencyMs: number
  /** What was sent. */
  message: PostBody
  /** The headers that were sent. They have the webhook's secret. */
  headers: Record<string, string>
  /** The first bytes of an answer that was no success, and its headers. */
  answer?: Uint8Array
  answerHeaders?: Record<string, string>
}

/** An attempt as the customer sees it. */
export function toWire(made: { event: string; eventId: string; number: number }, outcome: Outcome): Attempt {
  return {
    attempt: made.number,
    error: outcome.error,
    event: made.event,
    event_id: made.eventId,
    latency_ms: outcome.latencyMs,
    status_code: outcome.statusCode,
    success: outcome.verdict === "delivered",
    timestamp: iso(nowMs()),
  }
}

/** POSTs an event or a batch to its receiver once. The bytes signed are the bytes sent. */
export async function attempt(input: {
  id: Receiver.Id
  url: string
  keys: Pick<Receiver.Keys, "secrets" | "headers">
  message: PostBody
  number: number
  connections: Connections
  /** What was given up since the webhook last took an event. */
  givenUp?: Pick<Delivery.Info, "givenUp" | "givenUpSince">
  /** The customer asked for it, after delivery of the event had ended. */
  isResend?: boolean
  /** Nothing has happened: the customer tries the receiver. */
  isTest?: boolean
}): Promise<Outcome> {
  const { url, message, connections, keys } = input
  const { secrets } = keys
  const signed = Receiver.signedHeaders({ secrets, ...message, attempt: input.number, timestamp: now() })
  const headers = {
    ...signed,
    ...message.headers,
    ...(input.isResend && { "x-webhook-resend": "true" }),
    ...(input.isTest && { "x-webhook-test": "true" }),
    ...(input.givenUp && undeliveredHeaders(input.givenUp)),
    ...inLowerCase(keys.headers),
  }
  const start = performance.now()
  const latencyMs = () => Math.round(performance.now() - start)
  try {
    const answer = await safeFetch({
      url: message.path ? withPath(url, message.path) : url,
      connections,
      share: `${input.id.bridgeId} ${input.id.webhookId}`,
      headers,
      body: message.body,
      method: "POST",
      withinMs,
      maxBytes: readBytes,
    })
    const judged = judge(answer.status)
    const isDelivered = judged.verdict === "delivered"
    if (isDelivered) await answer.forget()
    const kept = isDelivered
      ? {}
      : { answer: await beginningOf(answer.body), answerHeaders: headersOf(answer.headers) }
    return { ...judged, ...kept, message, headers, statusCode: answer.status, latencyMs: latencyMs() }
  } catch (error) {
    if (!(error instanceof FetchError)) throw error
    return {
      verdict: "retry",
      error: error.category,
      message,
      headers,
      statusCode: 0,
      latencyMs: latencyMs(),
    }
  } finally {
    message.onPosted?.()
  }
}

function withPath(url: string, path: string): string {
  const longer = new URL(url)
  longer.pathname = longer.pathname.replace(/\/$/, "") + path
  return longer.href
}

/** Contract, "Delivery" */
function undeliveredHeaders({
  givenUp,
  givenUpSince,
}: Pick<Delivery.Info, "givenUp" | "givenUpSince">): Record<string, string> {
  if (givenUp === 0 || givenUpSince === undefined) return {}
  return { "x-webhook-undelivered": String(givenUp), "x-webhook-undelivered-since": String(givenUpSince) }
}

/**
 * In lower case, as ours are: a customer's header then replaces ours of that name instead of standing beside
 * it.
 */
function inLowerCase(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}

/**
 * Contract, "Delivery": any 2xx is a success; 429 and 5xx are retried; redirects and other refusals are not.
 */
function judge(status: number): Pick<Outcome, "verdict" | "error"> {
  if (status >= 200 && status < 300) return { verdict: "delivered", error: "" }
  if (status === 429) return { verdict: "retry", error: "rate_limited" }
  if (status >= 500) return { verdict: "retry", error: "server_error" }
  if (status >= 400) return { verdict: "failed", error: "client_error" }
  return { verdict: "failed", error: "redirect" }
}

/** The headers of an answer that are kept, without cookies. */
function headersOf(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const kept: Record<string, string> = {}
  let bytes = 0
  for (const [name, value] of Object.entries(headers)) {
    const text = Array.isArray(value) ? value.join(", ") : (value ?? "")
    bytes += name.length + text.length
    if (name === "set-cookie" || bytes > keptBytes) continue
    kept[name] = text
  }
  return kept
}

/**
 * Reads all of the body, and returns its beginning. The status has decided: an error in the body is not a
 * failure of the delivery.
 */
async function beginningOf(body: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  let first = Buffer.alloc(0)
  try {
    for await (const part of body)
      if (first.length < keptBytes) first = Buffer.concat([first, part]).subarray(0, keptBytes)
  } catch (error) {
    if (!(error instanceof FetchError)) throw error
  }
  return first
}

/** What is posted: an event alone, or a batch (Contract, "Batches"). */
export interface PostBody {
  /**
   * The event's id, or that of the batch. The same events in the same order have the same id, and no others
   * have it.
   */
  id: string
  /** How many events are in the batch; absent for an event alone. */
  batch?: number
  body: Uint8Array
  /** What another gateway's format adds to the path of the URL, and to our headers. */
  path?: string | undefined
  headers?: Record<string, string> | undefined
  /** Called once the body is needed no more. */
  onPosted?: (() => void) | undefined
}

/** The events as they are posted to this webhook. */
export function postBodyOf(
  events: [EventRow.Info, ...EventRow.Info[]],
  deliveryKey: Uint8Array,
  { batch, receiver }: Pick<Delivery.Info, "batch" | "receiver">,
): PostBody {
  const bodies = events.map((event) => ({
    eventId: event.eventId,
    body: Receiver.bodyFor(receiver, EventRow.bodyOf(event, deliveryKey)),
  }))
  return batch !== undefined ? batchOf(bodies) : { id: bodies[0]!.eventId, body: bodies[0]!.body }
}

export function batchOf(events: { eventId: string; body: Uint8Array }[]): PostBody {
  const parts = events.flatMap(({ eventId, body }, i) => [
    Buffer.from(`${i === 0 ? "[" : ","}{"event_id":"${eventId}","event":`),
    body,
    Buffer.from("}"),
  ])
  return {
    id: batchIdOf(events.map(({ eventId }) => eventId)),
    batch: events.length,
    body: Buffer.concat([...parts, Buffer.from("]")]),
  }
}

function batchIdOf(eventIds: string[]): string {
  return `batch_${createHash("sha256").update(eventIds.join()).digest("hex").slice(0, 40)}`
}
