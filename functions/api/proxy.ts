import type { TypedResponse } from "hono"
import type { Context } from "hono"
import { ErrorBody, errorStatus } from "#core/contract/error.ts"
import * as contract from "#core/contract/session.ts"
import { Delivery } from "#core/delivery.ts"
import { ApiError } from "#core/error.ts"
import { log } from "#core/log.ts"
import { newMessageId } from "#core/message-id.ts"
import type { Call, HostAnswer } from "./call-host.ts"
import { callHolder, runningLease } from "./holder.ts"
import { type ApiEnv, router } from "./router.ts"

/** The routes that the host of the session answers. */
export const proxy = router()
  .openapi(contract.status, (c) => forward(c))
  .openapi(contract.qr, (c) => forward(c))
  .openapi(contract.healthz, (c) => forward(c))
  .openapi(contract.debugStats, (c) => forward(c))
  .openapi(contract.sendText, (c) => forward(c, newMessageId()))
  .openapi(contract.webhookLogs, async (c) => {
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

/** What the host refused, if it is one of the contract's refusals; whatever else it says stays here. */
function refusalOf(answer: HostAnswer, c: Context<ApiEnv>): ApiError {
  const refusal = ErrorBody.safeParse(jsonOf(answer.body)).data
  if (refusal && errorStatus[refusal.code] === answer.status && refusal.code !== "unauthorized") {
    const { code, error, request_id: _, ...fields } = refusal
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
