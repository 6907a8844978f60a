import type { HttpBindings } from "@hono/node-server"
import type { RouteConfig } from "@hono/zod-openapi"
import type { Context, TypedResponse } from "hono"
import { webhookLogs } from "#contract/delivery.ts"
import { IdempotencyKey, isSend } from "#contract/idempotency-key.ts"
import { findMessage } from "#contract/message.ts"
import { proxy as prefix } from "#contract/route-parts.ts"
import { routes } from "#contract/routes.ts"
import { ApiError } from "#core/error.ts"
import { AttemptLog } from "#core/event/attempt-log.ts"
import { Receiver } from "#core/event/receiver.ts"
import { AnswerInBucket } from "#core/files/answer-in-bucket.ts"
import { wakeOrRefuse } from "#core/lease/call-holder.ts"
import type { Call } from "#core/lease/call-host.ts"
import { Idempotency } from "#core/message/idempotency.ts"
import { newMessageId } from "#core/message/message-id.ts"
import { DiskRoom } from "#core/platform/disk-room.ts"
import { type ApiEnv, contractRouter } from "../http/contract-router.ts"
import { answerStored } from "../http/stored-media.ts"
import { askHost, hostHeaders } from "./ask-host.ts"
import { sendOnce } from "./send-once.ts"

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
