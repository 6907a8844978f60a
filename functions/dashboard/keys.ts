import { Hono } from "hono"
import type { Context } from "hono"
import { ApiKey } from "#core/account/api-key.ts"
import { keysPage } from "#dashboard/pages/keys.ts"
import { page } from "./answer.ts"
import type { DashboardEnv } from "./env.ts"
import { unlessFresh } from "./guard.ts"

/** The account's API keys. */
export const keys = new Hono<DashboardEnv>()
  .get("/keys", async (c) => await show(c))
  .post("/keys", async (c) => {
    const again = unlessFresh(c, "/keys")
    if (again) return again
    const { name } = await c.req.parseBody()
    const given = typeof name === "string" ? name.trim().slice(0, 100) : ""
    return await show(c, await ApiKey.create(c.var.accountId, given))
  })
  .post("/keys/:id/revoke", async (c) => {
    await ApiKey.revoke(c.var.accountId, c.req.param("id"))
    return c.redirect("/keys", 303)
  })

async function show(c: Context<DashboardEnv>, fresh?: string) {
  const all = await ApiKey.list(c.var.accountId)
  const keys = all.toSorted((a, b) => b.createdAt - a.createdAt)
  const mayChange = c.var.me.role !== "viewer"
  const baseUrl = new URL(c.req.url).origin
  const body = keysPage({ keys, mayChange, baseUrl, ...(fresh !== undefined && { fresh }) })
  return await page(c, { title: "API keys", place: "keys", body })
}
