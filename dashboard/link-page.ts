import { Hono } from "hono"
import type { Context } from "hono"
import { Account } from "#core/account/account.ts"
import { hashOf } from "#core/account/token.ts"
import { LinkSession } from "#core/bridge/link-session.ts"
import { ApiError } from "#core/error.ts"
import { nowMs } from "#core/platform/clock.ts"
import { log } from "#core/platform/log.ts"
import { RateLimit } from "#core/rate-limit.ts"
import { ask } from "#functions/api/ask-host.ts"
import { lonePage } from "./answer.ts"
import { type Html, elsewhere, span } from "./elements.ts"
import type { DashboardEnv } from "./guard.ts"
import { type Piece, live } from "./live.ts"
import { codeFor, codeOf, lookEachMs, roundMs } from "./numbers/codes.ts"
import { evidenceOf, forStrangers, isLinked } from "./numbers/evidence.ts"
import { type Code, codePiece, steps } from "./numbers/linking.ts"
import { deadLink, linkDone, linkPage, linkRefused, linkTaken, linkTyped } from "./pages/link-session.ts"

/** The page where somebody without an account links a phone: all they have is the URL of a link session. */
export const link = new Hono<DashboardEnv>()
  .get("/link/:token", async (c) => {
    const session = await LinkSession.open(c.req.param("token"))
    if (!session) return await dead(c)
    const { place, evidence } = await placeOf(c, session)
    if (place === "done") return await show(c, linkDone(session))
    if (place === "taken") return await show(c, linkTaken(await about(session)))
    const isRefused = place === "refused" || c.req.query("refused") !== undefined
    const at = nowMs()
    return await show(
      c,
      linkPage({
        ...(await about(session)),
        at: c.req.path,
        begunMs: at,
        nowMs: at,
        evidence,
        isRefused,
      }),
    )
  })
  .get("/link/:token/stream", async (c) => {
    const token = c.req.param("token")
    const { begun = "0", typed } = c.req.query()
    const ends = Number(begun) + roundMs
    const at = `/link/${token}`
    const first = await LinkSession.open(token)
    if (!first) return await dead(c)
    let unlinkAtMs = 0
    const follow = async (): Promise<Map<string, Piece>> => {
      const session = await LinkSession.open(token)
      if (!session) return new Map([["over", { html: elsewhere(at) }]])
      const { place, evidence } = await placeOf(c, session)
      if (place === "refused") {
        // A host that does not unlink it is left alone for a while.
        if (nowMs() < unlinkAtMs) return new Map([["steps", { html: steps(evidence) }]])
        unlinkAtMs = nowMs() + unlinkEachMs
        if (await unlink(c, session)) return new Map([["refused", { html: elsewhere(`${at}?refused`) }]])
        return new Map([["steps", { html: steps(evidence) }]])
      }
      if (place !== "open") return new Map([[place, { html: elsewhere(at) }]])
      const pieces = new Map<string, Piece>([["steps", { html: steps(evidence) }]])
      if (typed !== undefined || isLinked(evidence)) return pieces
      const code: Code = nowMs() < ends ? await codeOf(session.bridge, c.var.requestId) : { kind: "over" }
      if (code.kind === "linked") return pieces
      if (code.kind === "shown") await LinkSession.show(token, session)
      return pieces.set("code", { html: codePiece(at, code) })
    }
    return await live(c, lookEachMs, follow, undefined, `LINK#${first.bridge.id}`)
  })
  .post("/link/:token", async (c) => {
    const token = c.req.param("token")
    const session = await LinkSession.open(token)
    if (!session) return await dead(c)
    const { place } = await placeOf(c, session)
    if (place === "refused") await unlink(c, session)
    if (place !== "open") return c.redirect(c.req.path, 303)
    const { phone: written } = await c.req.parseBody()
    const { requestId } = c.var
    const asked = await RateLimit.count("typedCodes", hashOf(token))
    if (asked.isExceeded) {
      const sentence = `Try again in ${span(asked.endsMs - nowMs())}.`
      const body = linkRefused({
        ...(await about(session)),
        at: c.req.path,
        code: "rate_limited",
        sentence,
        phone: "",
      })
      return await show(c, body, 429)
    }
    const typed = await codeFor(session.bridge, written, { requestId, expected: session.expectedPhone })
    const shown = { ...(await about(session)), at: c.req.path }
    if (typed.refused) return await show(c, linkRefused({ ...shown, ...typed.refused }), typed.refused.status)
    await LinkSession.show(token, { shownAt: 0 })
    const evidence = forStrangers(await evidenceOf(session.bridge))
    return await show(c, linkTyped({ ...shown, ...typed, evidence, nowMs: nowMs() }))
  })

/**
 * How far a link session is: `taken` when a phone was linked elsewhere, `refused` when one was linked on this page that is not
 * the expected one. Opening the page unlinks nothing, since programs that scan mails open links, too: its stream and its form
 * do. A scanner that runs the page's script unlinks as well.
 */
type Place = "open" | "done" | "taken" | "refused"

async function placeOf(c: Context<DashboardEnv>, session: LinkSession.Info) {
  const evidence = forStrangers(await evidenceOf(session.bridge))
  const at = (place: Place) => ({ place, evidence })
  if (session.isUsed) return at("done")
  // A session that signs in says its number a moment later.
  if (!isLinked(evidence) || evidence.phone === "") return at("open")
  switch (LinkSession.judge(session, evidence.phone)) {
    case "foreign":
      return at("taken")
    case "other":
      return at("refused")
    case "own":
      await LinkSession.finish(c.req.param("token") ?? "")
      return at("done")
  }
}

/** How long to wait before asking a host again that did not unlink a phone. */
const unlinkEachMs = 10_000

/** @returns false when it is not known to be unlinked */
async function unlink(c: Context<DashboardEnv>, { bridge }: LinkSession.Info): Promise<boolean> {
  const { requestId } = c.var
  try {
    const call = { method: "DELETE", path: "/logout", bridgeId: bridge.id, requestId } as const
    const { refusal } = await ask(call, true)
    if (refusal) return false
    log.info({ requestId, bridgeId: bridge.id }, "another phone than the expected one was unlinked")
    return true
  } catch (error) {
    // The page asks again by itself.
    if (!(error instanceof ApiError)) throw error
    return false
  }
}

/** Who is asking: the account's public name, if it has one. */
async function about({ bridge, expiresAt, expectedPhone, returnUrl }: LinkSession.Info) {
  const account = await Account.get(bridge.accountId)
  const isSandbox = bridge.isSandbox
  return {
    name: account && Account.publicName(account),
    isSandbox,
    expiresMs: expiresAt * 1000,
    expectedPhone,
    returnUrl,
  }
}

async function show(c: Context<DashboardEnv>, body: Html, status: ApiError["status"] | 200 = 200) {
  return await lonePage(c, { title: "Link a phone", body, status, isBroad: true })
}

async function dead(c: Context<DashboardEnv>) {
  return await lonePage(c, { title: "Link a phone", body: deadLink(), status: 404 })
}
