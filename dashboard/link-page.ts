import { Hono } from "hono"
import type { Context } from "hono"
import { createMiddleware } from "hono/factory"
import { html } from "hono/html"
import { AccountName } from "#core/account/account-name.ts"
import { Account } from "#core/account/account.ts"
import { AuditLog } from "#core/account/audit-log.ts"
import { Brand } from "#core/account/brand.ts"
import { knownStateOf, forStrangers, isLinked } from "#core/bridge/known-state.ts"
import { LinkSession } from "#core/bridge/link-session.ts"
import { ApiError, rateLimited } from "#core/error.ts"
import { RateLimit } from "#core/limits/rate-limit.ts"
import { nowMs } from "#core/platform/clock.ts"
import { log } from "#core/platform/log.ts"
import { addressOf, originOf } from "#functions/http/address.ts"
import { lonePage } from "./answer.ts"
import { fromWhere } from "./audit-log.ts"
import { goTo, type Html, note, buttonForm, said } from "./elements.ts"
import { typedIn } from "./form.ts"
import { type DashboardEnv, pageOrigin } from "./guard.ts"
import { typedCodeFor, shownCodeOf, lookEachMs, roundOf } from "./linking/ask-for-codes.ts"
import { brandAt, logoAnswer, styleOf } from "./linking/link-page-look.ts"
import { fill, type LinkWords, linkWordsFor } from "./linking/link-words.ts"
import {
  type Code,
  codePiece,
  introduction,
  refusedCard,
  stepList,
  titleOf,
  typedCodeCard,
  cardAndSteps,
  whoAsks,
} from "./linking/linking-cards.ts"
import {
  type CardPage,
  challengeIn,
  linkingCard,
  bringPasskeyAnswer,
  turnAway,
  wantsPasskey,
} from "./linking/passkey.ts"
import { live, type Piece } from "./live.ts"
import { unlinkPhone } from "./numbers/session-answer.ts"
import { until } from "./times.ts"

/** Finds the link session of a page. A URL that is none of ours, or too old, has its own page. */
const linkFound = createMiddleware<DashboardEnv>(async (c, next) => {
  const session = await LinkSession.ofToken(tokenOf(c))
  if (session) {
    c.set("link", session)
    return await next()
  }
  const { title, over, overHow, lang } = wordsOf(c)
  return await lonePage(c, { title, body: said(over, overHow), status: 404, lang })
})

/** The page where a person without an account links a phone: all they have is the URL of a link session. */
export const linkPage = new Hono<DashboardEnv>()
  .get("/link/:token/style.css", async (c) => {
    const session = await LinkSession.ofToken(c.req.param("token"))
    const { colour } = session ? await Brand.get(session.bridge.accountId) : { colour: "" }
    return c.body(styleOf(colour, ":root"), 200, { "content-type": "text/css" })
  })
  .get("/link/:token/logo", async (c) => {
    const session = await LinkSession.ofToken(c.req.param("token"))
    return logoAnswer(c, session ? await Brand.get(session.bridge.accountId) : {})
  })
  .get("/link/:token", linkFound, async (c) => {
    const session = c.var.link
    const { place, knownState } = await placeOf(c, session)
    const words = wordsOf(c)
    const name = await nameOf(session)
    if (place === "done" && session.isLasting) {
      const card = linkDone(session, words)
      return await around(
        c,
        { name },
        cardAndSteps({ at: c.req.path, query: "shown=done", card, knownState, words }),
      )
    }
    if (place === "done") return await show(c, linkDone(session, words))
    if (place === "taken")
      return await show(c, said(words.taken, fill(words.takenHow, { who: whoAsks(name, words) })))
    const isRefused = place === "refused" || c.req.query("refused") !== undefined
    const { begun, isTyped } = roundOf(c)
    // Programs that scan mails open the link, too: they are shown no code. Our script says since when the
    // page is open.
    const isAsking = !isLinked(knownState) && !wantsPasskey(knownState) && c.req.query("begun") !== undefined
    const card = isTyped
      ? html``
      : linkingCard(knownState, shownOf(c, name), isAsking ? await codeShown(c, session) : undefined)
    const parts = cardAndSteps({ at: c.req.path, query: `begun=${begun}`, card, knownState, words })
    return await around(c, { name }, html`${isRefused ? otherPhone(session, words) : ""} ${parts}`)
  })
  .get("/link/:token/stream", linkFound, async (c) => {
    const token = tokenOf(c)
    const { taken, shown: shownPlace } = c.req.query()
    const isDoneShown = shownPlace === "done"
    const { isTyped } = roundOf(c)
    const at = pathOf(c)
    const shown = shownOf(c, await nameOf(c.var.link))
    let unlinkAtMs = 0
    const follow = async (): Promise<Map<string, Piece>> => {
      const session = await LinkSession.ofToken(token)
      if (!session) return new Map([["over", { html: goTo(at) }]])
      const { place, knownState } = await placeOf(c, session)
      const pieces = new Map<string, Piece>([["steps", { html: stepList(knownState, [], wordsOf(c)) }]])
      if (place === "refused") {
        // A host that did not unlink the phone is left alone for a while.
        if (nowMs() < unlinkAtMs) return pieces
        unlinkAtMs = nowMs() + unlinkEachMs
        const isUnlinked = await unlink(c, session)
        return isUnlinked ? new Map([["refused", { html: goTo(`${at}?refused`) }]]) : pieces
      }
      const isShown = place === "done" && isDoneShown
      if (isShown) return pieces
      // A lasting page whose phone was unlinked shows codes again.
      if (place !== "open" || isDoneShown) return new Map([[place, { html: goTo(at) }]])
      if (isLinked(knownState)) return pieces
      const isPasskeyWanted = wantsPasskey(knownState)
      if (isPasskeyWanted) await LinkSession.noteShown(token, session)
      if (isPasskeyWanted ? challengeIn(knownState) !== taken : !isTyped)
        pieces.set("linking", { html: linkingCard(knownState, shown) })
      if (isPasskeyWanted || isTyped) return pieces
      const code = await codeShown(c, session)
      return code.kind === "linked" ? pieces : pieces.set("code", { html: codePiece(at, code, wordsOf(c)) })
    }
    const reader = { id: `LINK#${c.var.link.bridge.id}`, most: openLinkPages }
    return await live(c, lookEachMs, follow, undefined, reader)
  })
  .post("/link/:token", linkFound, async (c) => {
    const session = c.var.link
    const { place } = await placeOf(c, session)
    if (place === "refused") await unlink(c, session)
    if (place !== "open") return c.redirect(c.req.path, 303)
    const { phone: written } = await typedIn(c, "phone")
    const { requestId } = c.var
    const typed = await typedCodeFor(session.bridge, written, { requestId, expected: session.expectedPhone })
    const at = c.req.path
    const words = wordsOf(c)
    const name = await nameOf(session)
    if (typed.refused) {
      const digits = session.expectedPhone?.slice(-4)
      const card = refusedCard({ at, ...typed.refused, digits, words })
      return await around(c, { name, status: typed.refused.status }, card)
    }
    await LinkSession.noteShown(tokenOf(c), { shownAt: 0 })
    const knownState = forStrangers(await knownStateOf(session.bridge))
    const card = typedCodeCard({ ...typed, at, words })
    return await around(c, { name }, cardAndSteps({ at, query: "typed=1", card, knownState, words }))
  })
  .post("/link/:token/passkey", linkFound, async (c) => {
    const session = c.var.link
    const { place } = await placeOf(c, session)
    const name = await nameOf(session)
    const shown = shownOf(c, name)
    if (place !== "open") return c.redirect(shown.at, 303)
    const { answer } = await typedIn(c, "answer")
    await LinkSession.noteShown(tokenOf(c), { shownAt: 0 })
    const { bridge } = session
    const readState = async () => forStrangers(await knownStateOf(bridge))
    const { requestId } = c.var
    const { body, status } = await bringPasskeyAnswer(answer, { bridge, requestId, readState, shown })
    return await around(c, { name, status }, body)
  })
  .post("/link/:token/report", linkFound, async (c) => {
    const window = await RateLimit.count("mailsFor", addressOf(c))
    if (window.isExceeded) throw rateLimited(RateLimit.secondsLeft(window))
    await report(c, c.var.link)
    const { thanks, thanksHow } = wordsOf(c)
    return await show(c, said(thanks, thanksHow))
  })
  .post("/link/:token/again", linkFound, async (c) => {
    await turnAway(c.var.link.bridge, c.var.requestId)
    return c.redirect(pathOf(c), 303)
  })

/** The code to scan now. A code that is shown is noted for the link session. */
async function codeShown(c: Context<DashboardEnv>, session: LinkSession.Info): Promise<Code> {
  const code = await shownCodeOf(session.bridge, { requestId: c.var.requestId, isOver: roundOf(c).isOver })
  if (code.kind === "shown") await LinkSession.noteShown(tokenOf(c), session)
  return code
}

/** Tells the people who run the service: in the audit log of their account, which mails it to its owners. */
async function report(c: Context<DashboardEnv>, { bridge }: LinkSession.Info): Promise<void> {
  const account = await Account.get(bridge.accountId)
  const about = `the number ${bridge.customerRef} (${bridge.id}) of the account ${account?.name ?? ""} (${bridge.accountId})`
  const entry = { by: "A visitor", act: "link_page_reported", about, ...fromWhere(c) } as const
  const operators = (await Account.list()).filter(({ isOperator }) => isOperator)
  await Promise.all(
    operators.map(async ({ id }) => await AuditLog.recordAndMail(id, entry, { origin: pageOrigin(c) })),
  )
  log.warn({ accountId: bridge.accountId, bridgeId: bridge.id }, "a link page was reported")
}

/** In the language of whoever opens the page. */
function wordsOf(c: Context): LinkWords {
  return linkWordsFor(c.req.header("accept-language"))
}

/** Where the page is, also for its forms and its stream. */
const pathOf = (c: Context<DashboardEnv>) => `/link/${tokenOf(c)}`

function tokenOf(c: Context<DashboardEnv>): string {
  return c.req.param("token") ?? ""
}

function shownOf(c: Context<DashboardEnv>, name: string | undefined): CardPage {
  const { expectedPhone } = c.var.link
  const whose = expectedPhone === undefined ? "" : `, with the number ending in ${expectedPhone.slice(-4)}`
  const words = wordsOf(c)
  return {
    words,
    at: pathOf(c),
    origin: originOf(c),
    linksTo: `${name ?? "those who sent you the page"}${whose}`,
  }
}

/**
 * How far a link session is: `taken` when a phone was linked elsewhere, `refused` when this page linked
 * another phone than the expected one. Opening the page unlinks nothing, since programs that scan mails open
 * links, too. Its stream and its form unlink, so a scanner that runs the page's script does as well.
 */
type Place = "open" | "done" | "taken" | "refused"

async function placeOf(c: Context<DashboardEnv>, session: LinkSession.Info) {
  const knownState = forStrangers(await knownStateOf(session.bridge))
  const at = (place: Place) => ({ place, knownState })
  if (session.isUsed) return at("done")
  // A session that signs in says its number a moment later.
  if (!isLinked(knownState) || knownState.phone === "") return at("open")
  switch (LinkSession.originOfLink(session, knownState.phone)) {
    case "foreign":
      return at("taken")
    case "other":
      return at("refused")
    case "own":
      if (!session.isLasting) await LinkSession.finish(tokenOf(c))
      return at("done")
  }
}

/**
 * How many streams of one link page may be open at once. It is for one phone, and lives without a stream,
 * too.
 */
const openLinkPages = 2
/** For how long a host that did not unlink a phone is not asked again, in ms. */
const unlinkEachMs = 10_000

/** @returns false when the phone is not known to be unlinked */
async function unlink(c: Context<DashboardEnv>, { bridge }: LinkSession.Info): Promise<boolean> {
  const { requestId } = c.var
  try {
    await unlinkPhone(bridge, requestId)
    log.info({ requestId, bridgeId: bridge.id }, "another phone than the expected one was unlinked")
    return true
  } catch (error) {
    // The page asks again by itself.
    if (!(error instanceof ApiError)) throw error
    return false
  }
}

/** Who is asking: the account's public name, if it has one. */
async function nameOf({ bridge }: LinkSession.Info): Promise<string | undefined> {
  const account = await Account.get(bridge.accountId)
  return account && AccountName.toStrangers(account)
}

async function show(c: Context<DashboardEnv>, body: Html, status: ApiError["status"] | 200 = 200) {
  const { title, lang } = wordsOf(c)
  const brand = brandAt(pathOf(c), await Brand.get(c.var.link.bridge.accountId))
  return await lonePage(c, { title, body, status, isBroad: true, lang, brand })
}

function otherPhone({ expectedPhone }: LinkSession.Info, words: LinkWords): Html | string {
  if (expectedPhone === undefined) return ""
  return note("bad", html`<b>${words.other}</b> ${fill(words.otherHow, { digits: expectedPhone.slice(-4) })}`)
}

/** A phone is linked, and this page is used up. */
function linkDone({ returnUrl, isLasting }: LinkSession.Info, words: LinkWords): Html {
  return html`<div class="card">
    <h1>${words.done}</h1>
    <p>${isLasting ? words.lastingDone : words.doneHow}</p>
    ${
      returnUrl === undefined
        ? html`<p>${isLasting ? "" : words.close}</p>`
        : html`<div class="row">
            <a class="button main" href="${returnUrl}" rel="noreferrer"
              >${fill(words.goOn, { host: new URL(returnUrl).host })}</a
            >
          </div>`
    }
  </div>`
}

/**
 * The page of a person who links a phone: who asks for it, how it is linked, and last of all the way to
 * report who asks.
 */
async function around(
  c: Context<DashboardEnv>,
  { name, status }: { name: string | undefined; status?: ApiError["status"] | undefined },
  parts: Html,
) {
  const words = wordsOf(c)
  const { bridge, expectedPhone, expiresAt, isLasting } = c.var.link
  const { isSandbox } = bridge
  const body = html`<div class="stack">
      <h1>${titleOf(name, words)}</h1>
      ${introduction({ name, words, isSandbox, digits: expectedPhone?.slice(-4), time: isLasting ? undefined : until(expiresAt * 1000) })}
    </div>
    ${parts} ${buttonForm({ action: `${pathOf(c)}/report`, label: words.report, kind: "bare" })}`
  return await show(c, body, status)
}
