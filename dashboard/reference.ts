import { randomUUID } from "node:crypto"
import { Hono } from "hono"
import type { Context } from "hono"
import { z } from "zod"
import { ApiKey } from "#core/account/api-key.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import { Contact } from "#core/contract/contact.ts"
import { examples } from "#core/contract/examples.ts"
import { ApiError } from "#core/error.ts"
import { newMessageId } from "#core/message-id.ts"
import { config } from "#core/platform/config.ts"
import { ask } from "#functions/api/ask-host.ts"
import { docs } from "#functions/docs/routes.ts"
import { type Tryable, tryOf } from "#functions/docs/tryable-routes.ts"
import { originOf } from "#functions/http/address.ts"
import { page } from "./answer.ts"
import { type DashboardEnv, accountIdOf, notAllowed } from "./guard.ts"
import { type Tried, tryPage } from "./pages/try.ts"

/** The reference as somebody reads it who has the dashboard, too. */
export const reference = new Hono<DashboardEnv>().get("/api/docs", async (c) => {
  const accountId = await accountIdOf(c)
  const [newest] = accountId === undefined ? [] : await ApiKey.list(accountId)
  const reader = { baseUrl: originOf(c), mayTry: config.SANDBOX, keyName: newest?.name || undefined }
  return await docs(c, reader, "no-store")
})

/** Calls of the reference, tried on the account's sandbox. */
export const trying = new Hono<DashboardEnv>()
  .get("/try/:name", async (c) => await show(c))
  .post("/try/:name", async (c) => {
    const route = routeOf(c)
    const { body } = await c.req.parseBody()
    const text = typeof body === "string" ? body : ""
    return await show(c, { body: text, ...(await called(c, route, text)) })
  })

function routeOf(c: Context<DashboardEnv>): Tryable {
  const route = tryOf(c.req.param("name") ?? "")
  if (!route || !config.SANDBOX) throw new ApiError("not_found", "this call cannot be tried here")
  return route
}

/** Makes the call as the API would. What it refuses is an answer as well. */
async function called(c: Context<DashboardEnv>, route: Tryable, body: string): Promise<Omit<Tried, "body">> {
  const { method, path, hasBody, isSend } = route
  try {
    const { id: bridgeId } = await Bridge.get(c.var.accountId, "sandbox")
    const call = { method, path, bridgeId, requestId: c.var.requestId, ...(hasBody && { body }) }
    const { success, refusal } = await ask(
      { ...call, ...(isSend && { messageId: newMessageId(), isNew: true }) },
      true,
    )
    if (refusal) throw refusal
    return { status: success.status, answer: Buffer.from(success.body).toString() }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const said = { error: error.message, code: error.code, request_id: c.var.requestId, ...error.fields }
    return { status: error.status, answer: JSON.stringify(said) }
  }
}

async function show(c: Context<DashboardEnv>, tried?: Tried) {
  const route = routeOf(c)
  if (c.var.me.role === "viewer")
    return await notAllowed(
      c,
      "You may look at this account, but not use its sandbox: ask one of its owners.",
    )
  const { body: example } = examples[route.name] as { body?: object }
  const given = tried?.body ?? (example && JSON.stringify(await addressed(c, example), undefined, 2)) ?? ""
  const baseUrl = originOf(c)
  return await page(c, {
    title: route.summary,
    place: "start",
    body: tryPage({ route, baseUrl, given, tried }),
  })
}

/** The contract's example, to somebody whom the sandbox can reach. */
async function addressed(c: Context<DashboardEnv>, example: object): Promise<object> {
  if (!("chat" in example)) return example
  try {
    const { id: bridgeId } = await Bridge.get(c.var.accountId, "sandbox")
    const { success } = await ask(
      { method: "GET", path: "/contacts", bridgeId, requestId: randomUUID() },
      true,
    )
    const contacts = z.array(Contact).parse(JSON.parse(Buffer.from(success?.body ?? "[]").toString()))
    return { ...example, chat: contacts.find(({ name }) => name === "Echo")?.phone ?? example.chat }
  } catch (error) {
    // The sandbox starts; the example stays as it is.
    if (error instanceof ApiError) return example
    throw error
  }
}
