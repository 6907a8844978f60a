import { randomUUID } from "node:crypto"
import { createMiddleware } from "hono/factory"
import { methodNotAllowed } from "hono/method-not-allowed"
import { requestId } from "hono/request-id"
import { ApiError } from "#core/error.ts"
import { log } from "#core/log.ts"
import { logs } from "../stream/logs.ts"
import { webhookTest } from "../stream/webhook-test.ts"
import { authenticate } from "./authenticate.ts"
import { bridgeOfPath, bridges } from "./bridges.ts"
import { events } from "./events.ts"
import { jsonBody, limited } from "./json-body.ts"
import { proxy } from "./proxy.ts"
import { byAddress, byKey, rateHeaders } from "./rate-limits.ts"
import { reference } from "./reference.ts"
import { refuse } from "./refuse.ts"
import { type ApiEnv, router } from "./router.ts"

/** The HTTP API, whole: the same on Lambda and on one machine. */
export const app = router()

/** A caller's own request id, if it is shaped like one. */
const identified = requestId({
  headerName: "",
  generator: (c) => {
    const given = c.req.header("x-request-id") ?? ""
    return /^[A-Za-z0-9-]{8,64}$/.test(given) ? given : randomUUID()
  },
})

const answered = createMiddleware<ApiEnv>(async (c, next) => {
  const start = performance.now()
  await next()
  c.header("x-request-id", c.var.requestId)
  c.header("x-content-type-options", "nosniff")
  // Nearly every answer carries a secret, a code or somebody's data.
  if (!c.res.headers.has("cache-control")) c.header("cache-control", "no-store")
  const { requestId, accountId, bridge, window } = c.var
  if (window) for (const [name, value] of Object.entries(rateHeaders(window))) c.header(name, value)
  const about = { requestId, accountId, bridgeId: bridge?.id, method: c.req.method, route: c.req.routePath }
  log.info({ ...about, status: c.res.status, ms: Math.round(performance.now() - start) }, "request answered")
})

app.use(identified, answered)
app.use(
  methodNotAllowed({
    app,
    onMethodNotAllowed: (c, methods) => {
      const sentence = `this path takes ${methods.join(", ")}`
      return refuse(
        new ApiError("method_not_allowed", sentence, { headers: { allow: methods.join(", ") } }),
        c,
      )
    },
  }),
)

// The order in which a call is refused: its address, its key, its key's rate, its bridge, its body.
app.use(byAddress)
app.get("/healthz", (c) => c.json({ ok: true }))
app.route("/", reference)
app.use("/api/*", authenticate, byKey)
app.use("/api/instances/:customer_ref/*", bridgeOfPath)
app.use("/api/*", limited, jsonBody)
app.route("/", bridges)
app.route("/", events)
app.route("/", logs)
app.route("/", webhookTest)
app.route("/", proxy)

app.notFound((c) => refuse(new ApiError("not_found", "there is no such path"), c))
app.onError(refuse)
