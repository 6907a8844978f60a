import { setTimeout as sleep } from "node:timers/promises"
import type { Context } from "hono"
import { getCookie, setCookie } from "hono/cookie"
import { createMiddleware } from "hono/factory"
import { html } from "hono/html"
import { Account } from "#core/account/account.ts"
import { Browser } from "#core/account/browser.ts"
import { Member } from "#core/account/member.ts"
import { Person } from "#core/account/person.ts"
import type { LinkSession } from "#core/bridge/link-session.ts"
import { ApiError, rateLimited } from "#core/error.ts"
import { RateLimit } from "#core/limits/rate-limit.ts"
import { config } from "#core/platform/config.ts"
import { log } from "#core/platform/log.ts"
import { runWatched, sinceStoreAnswerMs, StoreAway, type UnderWay } from "#core/store/store.ts"
import { addressOf, atOneName, originOf } from "#functions/http/address.ts"
import type { ApiEnv } from "#functions/http/contract-router.ts"
import { anyPage } from "./answer.ts"
import type { BillingPages } from "./billing-pages.ts"
import type { Html } from "./elements.ts"
import { refusalBody } from "./layout.ts"

/** Who is signed in, and where. */
interface Signed {
  person: Person.Info
  browser: Browser.Info
}

/** The account that a person sees, and their role there. A viewer may change nothing. */
interface Me extends Signed {
  account: Account.Info
  role: Member.Role
  mayChange: boolean
}

export interface DashboardEnv {
  Variables: ApiEnv["Variables"] & {
    signed: Signed
    me: Me
    link: LinkSession.Info
    billing: BillingPages | undefined
  }
}

/** @param embedAt the site that may show this page in a frame */
function policy(billing: BillingPages | undefined, embedAt = "'none'"): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "media-src 'self'",
    "connect-src 'self'",
    ["form-action 'self'", ...(billing?.formTargets() ?? [])].join(" "),
    "base-uri 'none'",
    `frame-ancestors ${embedAt}`,
  ].join("; ")
}

/** Headers that keep a browser from doing what our pages do not need. */
export const securityHeaders = createMiddleware<DashboardEnv>(async (c, next) => {
  await next()
  putSecurityHeaders(c)
})

export function putSecurityHeaders(c: Context<DashboardEnv>): void {
  // Unset on all pages but those of link sessions.
  const link = c.get("link") as LinkSession.Info | undefined
  // A stranger's file has a stricter one.
  if (!c.res.headers.has("content-security-policy"))
    c.header("content-security-policy", policy(c.var.billing, link?.embedAt))
  c.header("referrer-policy", "same-origin")
  c.header("permissions-policy", "camera=(), microphone=(self), geolocation=()")
  c.header("cross-origin-opener-policy", "same-origin")
}

/**
 * After how long a page is looked at; and for how long the store may then have left one of its requests
 * unanswered, and everybody else's, too, in ms. A store that answers others is busy, not away.
 */
const [pageWaitsMs, silentMs] = [750, 500]
/**
 * The time between two looks, and how late a look may be, in ms. A process that is later is busy itself: it
 * may not have read the answers yet.
 */
const [lookAgainMs, lateMs] = [100, 50]

/**
 * Says within a second that the store does not answer: the client's own retries take twenty. @throws
 * StoreAway
 */
export async function withinTime<Result>(c: Context, work: () => Promise<Result>): Promise<Result> {
  if (c.req.method === "POST") return await work()
  const over = new AbortController()
  const underWay: UnderWay = new Set()
  let isLate = false
  const made = runWatched(underWay, work).finally(() => over.abort())
  made.catch((error: unknown) => {
    if (isLate) log.warn({ error, requestId: c.var.requestId }, "a page failed that nobody waited for")
  })
  const late = storeIsSilent(underWay, over.signal).catch((error: unknown) => {
    isLate = true
    throw error
  })
  return await Promise.race([made, late])
}

/** Rejects once the store has left a page's request unanswered at two looks in a row; never resolves. */
async function storeIsSilent(underWay: UnderWay, over: AbortSignal): Promise<never> {
  let wasSilent = false
  for (let waitMs = pageWaitsMs; !over.aborted; waitMs = lookAgainMs) {
    const dueMs = performance.now() + waitMs
    await sleep(waitMs, undefined, { signal: over }).catch(() => {})
    const isInTime = performance.now() - dueMs < lateMs
    const [oldest] = underWay
    const isSilent =
      oldest !== undefined && performance.now() - oldest.sinceMs > silentMs && sinceStoreAnswerMs() > silentMs
    if (!over.aborted && wasSilent && isSilent && isInTime)
      throw new StoreAway("the store gives a page no answer")
    wasSilent = isSilent
  }
  return await new Promise<never>(() => {})
}

/** As `withinTime`, for a route. */
export const inTime = createMiddleware<DashboardEnv>(async (c, next) => await withinTime(c, next))

/**
 * Pages have a count of their own: a program at the same address does not shut people out. @throws ApiError
 * `rate_limited`
 */
export const counted = createMiddleware<DashboardEnv>(async (c, next) => {
  await countVisitor(c)
  await next()
})

/** @throws ApiError `rate_limited` */
export async function countVisitor(c: Context): Promise<void> {
  const window = await RateLimit.count("pages", addressOf(c))
  if (window.isExceeded) throw rateLimited(RateLimit.secondsLeft(window))
}

/** The address of a page with a slash behind it, as people type it, is that of the page. */
export const withoutSlash = createMiddleware<DashboardEnv>(async (c, next) => {
  const path = c.req.method === "GET" ? unslashed(c) : undefined
  return path === undefined ? await next() : c.redirect(path, 301)
})

/**
 * Where a path without the slashes at its end leads; undefined if it has none, or would lead to another host.
 */
export function unslashed(c: Context): string | undefined {
  const { pathname, search } = new URL(c.req.url)
  return /^\/[^/\\].*\/$/.test(pathname) ? pathname.replace(/\/+$/, "") + search : undefined
}

/** Longer than every id of ours, and shorter than what the store takes as a key. */
const longestId = 500
/** The fields of forms that have an id. */
const idFields = ["account", "person", "browser", "passkey", "email"]

/** An id that nothing can have is an error of the caller, not one of ours. */
export const possibleIds = createMiddleware<DashboardEnv>(async (c, next) => {
  const isForm = c.req.method === "POST" && !c.req.header("content-type")?.includes("json")
  const form = isForm ? await c.req.parseBody() : {}
  const ids = [...c.req.path.split("/"), c.req.query("id"), ...idFields.map((name) => form[name])]
  if (ids.some((id) => typeof id === "string" && id.length > longestId)) throw new ApiError("not_found")
  await next()
})

/** Leads to the one name of this place. */
export const toLocalhost = createMiddleware<DashboardEnv>(async (c, next) => {
  const url = new URL(c.req.url)
  const named = atOneName(url)
  if (c.req.method !== "GET" || named.hostname === url.hostname) return await next()
  return c.redirect(named.href)
})

/** The person who is signed in in a browser, if one is. */
async function signedIn(c: Context): Promise<Signed | undefined> {
  const token = cookie(c, "session")
  const browser = token === undefined ? undefined : await Browser.ofToken(token)
  const person = browser && (await Person.get(browser.personId))
  return person && { person, browser }
}

async function withAccount({ person, browser }: Signed): Promise<Me | undefined> {
  const [account, roles] = await Promise.all([Account.get(browser.accountId), Member.ofPerson(person.id)])
  const role = roles.find(({ accountId }) => accountId === browser.accountId)?.role
  return account && role && { person, account, role, browser, mayChange: role !== "viewer" }
}

/** Who looks at a page for all visitors, and in which account; undefined if they are signed in in none. */
export async function whoLooks(c: Context): Promise<Me | undefined> {
  const signed = await signedIn(c)
  return signed && (await withAccount(signed))
}

/**
 * Finds out who comes too often, as the limit refuses them before that. Their page keeps its navigation,
 * unless the store cannot tell.
 */
export async function lookWhoIsRefused(refusal: Error, c: Context<DashboardEnv>): Promise<void> {
  const isCounted = refusal instanceof ApiError && refusal.code === "rate_limited"
  if (!isCounted || c.get("me") || c.req.path.startsWith("/link/")) return
  const me = await whoLooks(c).catch(() => undefined)
  if (me) c.set("me", me)
}

/**
 * For people who are signed in, whichever account they are in. Others sign in first, and come back to the
 * page that they wanted.
 */
export const signedInOnly = createMiddleware<DashboardEnv>(async (c, next) => {
  const signed = await signedIn(c)
  if (!signed) return c.redirect(leadingTo("/sign-in", c))
  c.set("signed", signed)
  return await next()
})

/** For the account's people. A person who is no longer one of them chooses another account. */
export const inAccount = createMiddleware<DashboardEnv>(async (c, next) => {
  const me = await withAccount(c.var.signed)
  if (!me) return c.redirect(leadingTo("/accounts", c), 303)
  c.set("me", me)
  c.set("accountId", me.account.id)
  // A viewer changes nothing, whichever form they send.
  const isChange = c.req.method !== "GET" && !ofOneself.has(c.req.path)
  return isChange && !me.mayChange ? await notAllowed(c, viewerRefusal) : await next()
})

/** For viewers. */
export const viewerRefusal = "You may look at this account, but change nothing"

/** Changes of one's own sign-ins and membership: everybody's own affair. */
const ofOneself = new Set([
  "/account/sign-out",
  "/account/sign-out/others",
  "/account/address",
  "/account/address/code",
  "/account/leave",
  "/account/passkeys",
  "/account/passkeys/options",
  "/account/passkeys/remove",
])

/** Says what a person's role does not allow, and names the owners of the account, whom they can ask. */
export async function askOwners(c: Context<DashboardEnv>, what: string): Promise<Html> {
  const owners = (await Member.list(c.var.accountId)).filter(({ role }) => role === "owner")
  const named = owners.slice(0, 3).map(({ email }) => html`<a href="mailto:${email}">${email}</a>`)
  return html`${what}: ask ${named.map((one, i) => html`${i === 0 ? "" : " or "}${one}`)}.`
}

/** Refuses a person who is signed in, but not in the role for it. */
export async function notAllowed(c: Context<DashboardEnv>, what: string): Promise<Response> {
  return await refuseRole(c, await askOwners(c, what))
}

async function refuseRole(c: Context<DashboardEnv>, sentence: Html | string): Promise<Response> {
  const body = refusalBody({ title: "Not in your role", sentence })
  return await anyPage(c, { title: "Not in your role", body, status: 403 })
}

/**
 * For the people who run the service: their pages show everybody's accounts, and mails that would sign others
 * in.
 */
export const runsService = createMiddleware<DashboardEnv>(async (c, next) => {
  const { account, role } = c.var.me
  if (account.isOperator && role === "owner") return await next()
  return await refuseRole(c, "This is for the owners of the account that runs the service.")
})

/** A page that leads back to this one. A form is not sent again: its page is shown. */
function leadingTo(page: "/sign-in" | "/accounts", c: Context<DashboardEnv>): string {
  const { pathname, search } = new URL(c.req.url)
  const next = c.req.method === "GET" && pathname !== "/" ? pathname + search : ""
  return next === "" ? page : `${page}?${new URLSearchParams({ next }).toString()}`
}

/**
 * A path of ours to go to; anything else is the start. Browsers read `//` and `/\` as other hosts. The pages
 * of the sign-in are no goal: a link could lead on to the sign-in of the person who made it.
 */
export function ownPath(given: unknown): string {
  const isPath = typeof given === "string" && /^\/(?![/\\])[\x21-\x7e]{0,2000}$/.test(given)
  return isPath && !isSignIn(given) ? given : "/"
}

/** Whether a browser that follows a path comes to the sign-in. One that cannot be decoded may lead there. */
function isSignIn(path: string): boolean {
  try {
    return decodeURIComponent(new URL(path, "http://localhost").pathname).startsWith("/sign-in")
  } catch {
    return true
  }
}

/**
 * `session` signs a browser in; `asking` binds a mailed code to the browser that asked for it, `challenge` a
 * passkey's answer; `draft` is a form.
 */
type Name = "session" | "asking" | "challenge" | "draft"

export function cookie(c: Context, name: Name): string | undefined {
  return getCookie(c, nameFor(c, name), prefixOf(c))
}

/** Sets a cookie for this host only, which no script can read and no form of another site sends. */
export function putCookie(c: Context, name: Name, value: string, seconds: number): void {
  const prefix = prefixOf(c)
  setCookie(c, nameFor(c, name), value, {
    path: "/",
    httpOnly: true,
    sameSite: "Lax",
    maxAge: seconds,
    secure: prefix !== undefined,
    ...(prefix && { prefix }),
  })
}

/**
 * Cookies know no ports: without a name of our own, any other program on localhost would overwrite ours with
 * its `session`.
 */
function nameFor(c: Context, name: Name): string {
  const { port, protocol } = new URL(originOf(c))
  return protocol === "https:" ? name : `bridge-${port || "80"}-${name}`
}

/** Browsers take a `__Host-` cookie over https alone. */
function prefixOf(c: Context): "host" | undefined {
  return originOf(c).startsWith("https:") ? "host" : undefined
}

/**
 * The origin of links in mails. A request's own word counts only on this machine, or if it came through the
 * router: otherwise a stranger could make another person's mail lead to a host of their own.
 */
export function pageOrigin(c: Context<DashboardEnv>): string | undefined {
  if (config.DASHBOARD_URL !== "") return new URL(config.DASHBOARD_URL).origin
  const origin = originOf(c)
  return config.ROUTER_SECRET !== undefined || new URL(origin).hostname === "localhost" ? origin : undefined
}
