import type { Context, Hono } from "hono"
import { ApiError } from "#core/error.ts"
import { authenticate } from "../http/authenticate.ts"
import type { ApiEnv } from "../http/contract-router.ts"
import { jsonBody } from "../http/json-body.ts"
import { Api } from "../http/own-api.ts"
import { byAddress, byKey } from "../http/rate-limits.ts"
import { WhenToAsk } from "./when-to-ask.ts"

/**
 * Adds `/mcp` to an API: the Model Context Protocol for agents (docs/agents.md). Between two requests it
 * keeps only whose words the agent has read, in the store, so any function may answer the next one.
 */
export function withAgents<App extends Hono<ApiEnv>>(app: App): App {
  app.use("/mcp", byAddress, authenticate, byKey, jsonBody)
  app.post("/mcp", async (c) => {
    const message: unknown = await c.req.json()
    // Later revisions of the protocol have no batches, and a batch of a hundred calls would count as one.
    if (Array.isArray(message)) throw new ApiError("invalid_request", "send one message at a time, no list")
    // Few callers are agents, and the protocol's library is large.
    const { mcpHandler } = await import("./server.ts")
    const caller = {
      api: new Api((request) => app.fetch(request, c.env), c.req.raw),
      access: c.var.access,
      keyId: c.var.keyId,
      key: c.req.header("authorization") ?? "",
      ask: askOf(c),
    }
    return await mcpHandler(caller)(c.req.raw, message)
  })
  return app
}

/** @throws ApiError `invalid_request` */
function askOf(c: Context): WhenToAsk {
  const { success, data } = WhenToAsk.safeParse(c.req.query("ask"))
  if (!success) throw new ApiError("invalid_request", "ask: one of new, all and never")
  return data
}
