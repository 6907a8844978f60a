import { Hono } from "hono"
import type { Context } from "hono"
import { ApiKey } from "#core/account/api-key.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import { ApiError } from "#core/error.ts"
import { nowMs } from "#core/platform/clock.ts"
import { makeKey } from "#functions/api/account.ts"
import { originOf } from "#functions/http/address.ts"
import { page, sentenceCase } from "./answer.ts"
import { takeDraft, textsOf, unlessFresh } from "./fresh-sign-in.ts"
import type { DashboardEnv } from "./guard.ts"
import { keysPage } from "./pages/keys.ts"

/** The account's API keys. */
export const keys = new Hono<DashboardEnv>()
  .get("/keys", async (c) => await show(c))
  .post("/keys", async (c) => {
    const typed = textsOf(await c.req.parseBody(), "name", "may")
    const again = unlessFresh(c, "/keys", typed)
    if (again) return again
    const { may } = typed
    const name = typed.name.trim().slice(0, 64)
    try {
      const { key } = await makeKey(c.var.accountId, { name, ...scopeOf(may) })
      return await show(c, { fresh: key })
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      // The only thing that can be missing here.
      const isGone = error.code === "not_found"
      const problem = isGone
        ? "This number is not there any more: choose another one."
        : sentenceCase(error.message)
      return await show(c, { problem, typed }, error.status)
    }
  })
  .post("/keys/:id/revoke", async (c) => {
    const isRevoked = await ApiKey.revoke(c.var.accountId, c.req.param("id"))
    if (!isRevoked) return c.redirect("/keys", 303)
    return await show(c, { told: "The key is revoked: programs that use it are refused from now on." })
  })

/** `all`, `read`, or a bridge as `bridge:shop`. Any other value gets the narrowest scope. */
function scopeOf(may: string): { scope: ApiKey.Scope; customerRef?: string } {
  if (may === "all") return { scope: "all" }
  if (!may.startsWith("bridge:")) return { scope: "read" }
  return { scope: "bridge", customerRef: may.slice("bridge:".length) }
}

async function show(
  c: Context<DashboardEnv>,
  more: { fresh?: string; problem?: string; told?: string; typed?: { name: string; may: string } } = {},
  status?: ApiError["status"],
) {
  const { accountId, me } = c.var
  const draft = takeDraft(c)
  const [all, bridges] = await Promise.all([ApiKey.list(accountId), Bridge.list(accountId)])
  const body = keysPage({
    typed: { name: draft.get("name") ?? "", may: draft.get("may") ?? "" },
    ...more,
    keys: all.toSorted((a, b) => b.createdAt - a.createdAt),
    refs: bridges.filter(Bridge.isOffered).map(({ customerRef }) => customerRef),
    mayChange: me.role !== "viewer",
    baseUrl: originOf(c),
    nowMs: nowMs(),
  })
  return await page(c, { title: "API keys", place: "keys", body, ...(status && { status }) })
}
