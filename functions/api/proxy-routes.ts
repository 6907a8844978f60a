import { createHash } from "node:crypto"
import type { HttpBindings } from "@hono/node-server"
import type { RouteConfig } from "@hono/zod-openapi"
import type { Context, TypedResponse } from "hono"
import { webhookLogs } from "#contract/delivery.ts"
import type { ErrorCode } from "#contract/error.ts"
import { IdempotencyKey, isSend } from "#contract/idempotency-key.ts"
import { findMessage } from "#contract/message.ts"
import { proxy as prefix } from "#contract/route-parts.ts"
import { routes } from "#contract/routes.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import { ApiError } from "#core/error.ts"
import { AttemptLog } from "#core/event/attempt-log.ts"
import { Receiver } from "#core/event/receiver.ts"
import { AnswerInBucket } from "#core/files/answer-in-bucket.ts"
import { wakeOrRefuse } from "#core/lease/call-holder.ts"
import { type Call, type HostAnswer, outcomeUnknown } from "#core/lease/call-host.ts"
import { Idempotency } from "#core/message/idempotency.ts"
import { newMessageId } from "#core/message/message-id.ts"
import { now } from "#core/platform/clock.ts"
import { DiskRoom } from "#core/platform/disk-room.ts"
import { log } from "#core/platform/log.ts"
import { Metrics } from "#core/platform/metrics.ts"
import { type ApiEnv, contractRouter } from "../http/contract-router.ts"
import { answerStored } from "../http/stored-media.ts"
import { askHost, hostHeaders } from "./ask-host.ts"

/**
 * The routes below `/proxy`. For all but the first two the host answers by itself, or says where the answer
 * is.
 */
export const proxy = contractRouter()
  .openapi(webhookLogs, async (c) => {
    await wakeOrRefuse(c.var.bridge.id)
    return c.json(await AttemptLog.latest(Receiver.first(c.var.bridge.id)), 200)
  })
  .openapi(findMessage, async (c) => {
    const { accountId, bridge, requestId } = c.var
    const { idempotency_key: key } = c.req.valid("query")
    await wakeOrRefuse(bridge.id)
    const messageId = await Idempotency.messageIdOf({ accountId, bridgeId: bridge.id, key })
    if (messageId === undefined) throw new ApiError("not_found", noSuchKey)
    const path = `/messages/${messageId}`
    const { refusal, success } = await askHost({ method: "GET", path, bridgeId: bridge.id, requestId }, true)
    if (refusal?.code === "not_found") throw new ApiError("not_found", noMessageYet)
    if (refusal) throw refusal
    return c.body(Buffer.from(success.body), 200, hostHeaders(success.headers, "content-type")) as Answered
  })

const noSuchKey =
  "no message of this bridge has this Idempotency-Key: a key is kept for 24 hours, and is free after a send that failed"

/** The key has a record. */
const noMessageYet =
  "the request with this Idempotency-Key has left no message so far: it may still be running, was not completed, or made " +
  "something else, as a group. Repeat it with its key to find out"

for (const route of Object.values(routes).flatMap((group) => Object.values(group)))
  if (route.path.startsWith(`${prefix}/`) && route !== webhookLogs && route !== findMessage)
    proxy.openapi(route, (c) => answer(c, route))

/** The call to a host carries its path twice, and Node takes 16 KiB of headers. */
const maxPath = 4096

/** The host's own answer. The host is responsible for keeping to the contract. */
type Answered = Response & TypedResponse<never, never, never>

async function answer(c: Context<ApiEnv>, route: RouteConfig): Promise<Answered> {
  return (await forward(c, route)) as Answered
}

async function forward(c: Context<ApiEnv>, route: RouteConfig): Promise<Response> {
  const path = suffixOf(c.req.url)
  if (path.length > maxPath)
    throw new ApiError(
      "invalid_request",
      `the path is too long: at most ${maxPath} characters with its query`,
    )
  const call: Call = {
    method: c.req.method as Call["method"], // of a route of the contract
    path,
    bridgeId: c.var.bridge.id,
    requestId: c.var.requestId,
    body: route.request?.body && (await c.req.text()),
  }
  const isSent = isSend(route)
  if (isSent && !DiskRoom.hasRoom()) throw DiskRoom.refusal()
  const key = isSent ? idempotencyKeyOf(c) : undefined
  if (key !== undefined) {
    const { body, headers } = await sendOnce(c.var.bridge, call, key)
    return c.body(body, 200, headers)
  }

  const messageId = isSent ? newMessageId() : undefined
  const { refusal, success } = await askHost(
    { ...call, messageId, isNew: true },
    answers(route, "application/json"),
  )
  if (refusal) throw refusal
  const stored = AnswerInBucket.bucketKeyOf(success.headers)
  if (stored !== undefined) return await answerStored(c, stored)
  const headers = hostHeaders(
    success.headers,
    "content-type",
    "cache-control",
    "x-qr-expires",
    "x-qr-value",
    "x-next-after",
  )
  return c.body(Buffer.from(success.body), 200, {
    ...headers,
    ...(answers(route, "image/jpeg") && asDownload),
  })
}

/** A browser must not run what strangers made. */
const asDownload = {
  "content-disposition": "attachment",
  "content-security-policy": "sandbox",
  "cache-control": "private",
}

/** Whether a success of this route has this content type. */
function answers(route: RouteConfig, contentType: "application/json" | "image/jpeg"): boolean {
  const success = route.responses[200]
  return success !== undefined && "content" in success && contentType in (success.content ?? {})
}

/** The path at the host: the part of the public path after `/proxy`, with its query. */
function suffixOf(url: string): string {
  const { pathname, search } = new URL(url)
  return pathname.replace(/^\/api\/instances\/[^/]+\/[^/]+/, "") + search
}

/** The request's idempotency key, if it has one. @throws ApiError `invalid_idempotency_key` */
function idempotencyKeyOf(c: Context<ApiEnv>): string | undefined {
  const given = c.req.header("idempotency-key")
  if (given === undefined) return undefined
  const { success, data } = IdempotencyKey.safeParse(given)
  if (success && !isTwice(c)) return data
  throw new ApiError("invalid_idempotency_key")
}

/**
 * Two such headers arrive joined by a comma, but a single key may contain one, too. Only Node tells them
 * apart; Lambda joins them beforehand.
 */
function isTwice(c: Context<ApiEnv>): boolean {
  const { incoming } = (c.env ?? {}) as Partial<HttpBindings> // what the door passes along
  const names = incoming?.rawHeaders?.filter((_, at) => at % 2 === 0) ?? []
  return names.filter((name) => name.toLowerCase() === "idempotency-key").length > 1
}

/** The JSON of a send's answer, and the headers that go with it. */
interface Answer {
  body: Uint8Array<ArrayBuffer>
  headers: Record<string, string>
}

/**
 * Sends a message under a key, or answers from the key's record if it was used before
 * (Contract, "Idempotency"). The API and the dashboard send like this.
 * @throws ApiError `idempotency_conflict`, or the reason why it was not sent
 */
export async function sendOnce(bridge: Bridge.Info, call: Call, key: string): Promise<Answer> {
  const fingerprint = fingerprintOf(call)
  const notAfter = now() + Idempotency.beginsWithin()
  const owner = { accountId: bridge.accountId, bridgeId: call.bridgeId }
  const outcome = await Idempotency.claim({ ...owner, key, fingerprint })
  switch (outcome.kind) {
    case "conflict":
      Metrics.add("IdemConflict")
      throw new ApiError("idempotency_conflict")
    case "replay": {
      Metrics.add("IdemReplay")
      const answer = JSON.stringify(outcome.answerUnder(await Bridge.deliveryKeyOf(bridge)))
      const headers = { "content-type": "application/json", ...replayed(outcome.mismatch) }
      return { body: new Uint8Array(Buffer.from(answer)), headers }
    }
    case "claimed": {
      const { claim, mismatch } = outcome
      const { messageId, isNew, record } = claim
      const sent = await settled(claim, { ...call, messageId, isNew, record, notAfter })
      // An earlier request's message was sent, whatever this request asks for.
      const isOld = sent.headers["x-send-repeated"] === "true"
      return {
        body: sent.body as Uint8Array<ArrayBuffer>,
        headers: { ...hostHeaders(sent.headers, "content-type"), ...(isOld && replayed(mismatch)) },
      }
    }
  }
}

/**
 * Sends, and settles the key according to the outcome: the host has recorded a success, a definite failure
 * frees the key, and after an unknown outcome the record keeps the message's id.
 */
async function settled(claim: Idempotency.Claim, call: Call): Promise<HostAnswer> {
  const { success, refusal } = await askHost(call, true).catch(async (error: unknown) => {
    // Only the host knows whether an earlier transmission of this message went out.
    await release(claim)
    throw error
  })
  // The host keeps the answer (of creating a group), and gives it to a retry: this record only keeps the id.
  if (success?.headers["x-send-kept"] === "true") await release(claim)
  if (success) return success
  if (!isDefinite(refusal)) await release(claim)
  // The key was taken over meanwhile: the message's outcome is no longer ours to report.
  else if (!(await Idempotency.free(claim))) throw outcomeUnknown()
  throw refusal
}

/** Refusals of the host after which the message may still have gone out, in this call or an earlier one. */
const maybeSent = new Set<ErrorCode>(["send_outcome_unknown", "session_unavailable", "idempotency_conflict"])

function isDefinite(refusal: ApiError): boolean {
  return !maybeSent.has(refusal.code)
}

/** If this write fails, the claim ends by itself. */
async function release(claim: Idempotency.Claim): Promise<void> {
  await Idempotency.release(claim).catch((error: unknown) => log.warn({ error }, "claim not released"))
}

function replayed(mismatch: boolean): Record<string, string> {
  return { "x-idempotency-replayed": "true", ...(mismatch && { "x-idempotency-mismatch": "true" }) }
}

/** Identifies a request by its method, path and body. */
function fingerprintOf(call: Call): string {
  const hash = createHash("sha256")
  return hash.update(`${call.method} ${call.path}\n${call.body ?? ""}`).digest("hex")
}
