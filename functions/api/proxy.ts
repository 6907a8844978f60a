import type { TypedResponse } from "hono"
import type { Context } from "hono"
import { ErrorBody, errorStatus } from "#core/contract/error.ts"
import { debugStats, healthz } from "#core/contract/debug.ts"
import { webhookLogs } from "#core/contract/delivery.ts"
import * as message from "#core/contract/message.ts"
import * as session from "#core/contract/session.ts"
import { Delivery } from "#core/delivery.ts"
import { ApiError } from "#core/error.ts"
import { log } from "#core/log.ts"
import { newMessageId } from "#core/message-id.ts"
import type { Call, HostAnswer } from "./call-host.ts"
import { callHolder, runningLease } from "./holder.ts"
import { type ApiEnv, router } from "./router.ts"

/** The routes that the host of the session answers. */
export const proxy = router()
  .openapi(session.status, (c) => forward(c))
  .openapi(session.qr, (c) => forward(c))
  .openapi(healthz, (c) => forward(c))
  .openapi(debugStats, (c) => forward(c))
  .openapi(message.sendText, (c) => forward(c, newMessageId()))
  .openapi(webhookLogs, async (c) => {
    await runningLease(c.var.bridge.id)
    return c.json(await Delivery.latestAttempts(c.var.bridge.id), 200)
  })

/** The host's own answer: that it keeps to the contract is the host's duty. */
type Forwarded = Response & TypedResponse<never, never, never>

async function forward(c: Context<ApiEnv>, messageId?: string): Promise<Forwarded> {
  const url = new URL(c.req.url)
  const answer = await callHolder({
    method: c.req.method === "HEAD" ? "GET" : (c.req.method as Call["method"]), // of a route of the contract
    path: url.pathname.slice(url.pathname.indexOf("/proxy/") + "/proxy".length) + url.search,
    bridgeId: c.var.bridge.id,
    requestId: c.var.requestId,
    messageId,
    body: (await c.req.text()) || undefined,
  })
  if (answer.status >= 400) throw refusalOf(answer, c)
  const response = c.body(
    Buffer.from(answer.body),
    200,
    pick(answer.headers, "content-type", "cache-control", "x-qr-expires"),
  )
  return response as Forwarded
}

/** The host says what it refuses as the API does; the request id is the API's. */
const HostRefusal = ErrorBody.omit({ request_id: true })

/** What the host refused, if it is one of the contract's refusals; whatever else it says stays here. */
function refusalOf(answer: HostAnswer, c: Context<ApiEnv>): ApiError {
  const refusal = HostRefusal.safeParse(jsonOf(answer.body)).data
  if (refusal && errorStatus[refusal.code] === answer.status && refusal.code !== "unauthorized") {
    const { code, error, ...fields } = refusal
    return new ApiError(code, error, { fields, headers: pick(answer.headers, "retry-after") })
  }
  log.error({ requestId: c.var.requestId, bridgeId: c.var.bridge.id, status: answer.status }, "host failed")
  return new ApiError("internal_error", "something went wrong on our side")
}

function jsonOf(body: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(body).toString())
  } catch {
    // Not JSON, so not a refusal of ours: the caller says so.
    return undefined
  }
}

function pick(headers: HostAnswer["headers"], ...names: string[]): Record<string, string> {
  const found = names.flatMap((name) => {
    const value = headers[name]
    return typeof value === "string" ? [[name, value] as const] : []
  })
  return Object.fromEntries(found)
}
