import type { OpenAPIHono } from "@hono/zod-openapi"
import type { Hono } from "hono"
import type { Context } from "hono"
import { createMiddleware } from "hono/factory"
import { requestId } from "hono/request-id"
import { RequestLog } from "#core/account/request-log.ts"
import { BridgeLog } from "#core/bridge/bridge-log.ts"
import { ApiError } from "#core/error.ts"
import { log } from "#core/platform/log.ts"
import { Metrics } from "#core/platform/metrics.ts"
import { originOf, routed } from "./address.ts"
import { authenticate } from "./authenticate.ts"
import { bridgeIsHere, bridgeOfPath } from "./bridge-of-path.ts"
import { type ApiEnv, contractRouter } from "./contract-router.ts"
import { jsonBody } from "./json-body.ts"
import { onlyTheirMethods } from "./methods.ts"
import { byAccount, byAddress, byKey, countAddress, inTurn, isOfSession, rateHeaders } from "./rate-limits.ts"
import { refuse } from "./refuse.ts"
import { withinChats, withinScope } from "./scope.ts"

type Routes = OpenAPIHono<ApiEnv>

interface Rooms {
  /**
   * For people. These count visitors themselves, so that a program at the same address does not shut people
   * out.
   */
  pages?: Hono<ApiEnv>
  /** Answers a browser that asks for a path that nothing has. */
  missing?: (c: Context<ApiEnv>) => Promise<Response>
  /** For everybody. */
  open?: Hono<ApiEnv>[]
  /** For callers with a key. */
  guarded?: Routes[]
}

/** An app with these routes. */
export function door({ pages, missing, open = [], guarded = [] }: Rooms): Routes {
  const app = contractRouter()
  // A call is checked in this order: rate of the address, key, rate of the key, bridge, scope of the key,
  // body, chats of the key. Its method is checked last, but a HEAD is refused at once.
  const methods = onlyTheirMethods(app)
  app.use(routed, withRequestId, withHeadersAndLog)
  app.use("/api/*", inTurn)
  for (const path of ["/api/*", "/docs/*", "/healthz", "/uploads"]) app.use(path, byAddress)
  app.use(methods.first)
  if (pages) app.route("/", pages)
  app.get("/healthz", (c) => c.json({ ok: true }))
  for (const routes of open) app.route("/", routes)
  app.use("/api/*", authenticate, byKey, byAccount)
  app.use("/api/instances/:customer_ref/*", bridgeOfPath)
  app.use("/api/*", withinScope)
  app.use("/api/instances/:customer_ref/*", bridgeIsHere)
  app.use("/api/*", jsonBody, withinChats, methods.beforeRoutes)
  for (const routes of guarded) app.route("/", routes)

  app.notFound(async (c) => {
    const isForPerson = c.req.method === "GET" && c.req.header("accept")?.includes("text/html")
    if (missing && isForPerson) return await missing(c)
    if (!c.get("window")) await countAddress(c)
    return refuse(new ApiError("not_found", "there is no such path: GET /api/docs lists every path"), c)
  })
  app.onError(refuse)
  return app
}

/** Uses the caller's own request id, if it has the form of one. */
export const withRequestId = requestId({
  headerName: "",
  generator: (c) => {
    const given = c.req.header("x-request-id") ?? ""
    return /^[A-Za-z0-9-]{8,64}$/.test(given) ? given : RequestLog.newId()
  },
})

/** Adds the headers of every answer and writes the answer's line in our log. */
export const withHeadersAndLog = createMiddleware<ApiEnv>(async (c, next) => {
  const start = performance.now()
  await next()
  // The stream function passes on another door's answer. It has all these headers already, and was counted.
  const { headers } = c.res
  if (headers.has("x-request-id")) return
  const { requestId, accountId, bridge, window } = c.var
  headers.set("x-request-id", requestId)
  headers.set("x-content-type-options", "nosniff")
  if (originOf(c).startsWith("https:")) headers.set("strict-transport-security", "max-age=31536000")
  // Nearly every answer carries a secret, a code or personal data.
  if (!headers.has("cache-control")) headers.set("cache-control", "no-store")
  if (window) for (const [name, value] of Object.entries(rateHeaders(window))) headers.set(name, value)
  const about = { requestId, accountId, bridgeId: bridge?.id, method: c.req.method, route: c.req.routePath }
  const ms = Math.round(performance.now() - start)
  log.info({ ...about, status: c.res.status, ms }, "request answered")
  // A function may be frozen after this.
  Metrics.flush()
  await Promise.all([BridgeLog.flush(), addToRequestLog(c, ms)])
})

/**
 * Contract, "Requests": what is refused, and what changes something. A message that was sent is among the
 * messages.
 */
async function addToRequestLog(c: Context<ApiEnv>, ms: number): Promise<void> {
  const { accountId, keyId, requestId, refusal } = c.var
  const { method, path } = c.req
  const { status } = c.res
  // A request of an agent is no change: its tool calls the API, and that call is looked at by itself.
  const isChange = method !== "GET" && path.startsWith("/api/") && !isOfSession(path)
  const isKept = status >= 400 || isChange
  // Who calls with an unknown key has no account.
  if (keyId === undefined || !isKept) return
  await RequestLog.add(accountId, {
    requestId,
    method,
    path: readable(path),
    status,
    keyId,
    ms,
    ...(refusal && { refusal: { code: refusal.code, sentence: refusal.message, ...networkCodeOf(refusal) } }),
  })
}

function networkCodeOf({ fields: { network_code: code } }: ApiError): { networkCode?: number } {
  return typeof code === "number" ? { networkCode: code } : {}
}

/** As its caller wrote it. */
function readable(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    // It is shown as it came.
    return path
  }
}
