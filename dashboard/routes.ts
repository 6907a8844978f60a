import { type Context, Hono, type MiddlewareHandler } from "hono"
import { bodyLimit } from "hono/body-limit"
import { csrf } from "hono/csrf"
import { createMiddleware } from "hono/factory"
import { Billing } from "#core/account/billing.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import { ApiError, mustBeHere } from "#core/error.ts"
import { originOf } from "#functions/http/address.ts"
import type { ApiEnv } from "#functions/http/contract-router.ts"
import { refusedPage } from "./answer.ts"
import { assetRoutes } from "./assets.ts"
import { auditLog } from "./audit-log.ts"
import type { BillingPages } from "./billing-pages.ts"
import { aboutChat } from "./conversations/about-chat.ts"
import { answering, largestFile } from "./conversations/answer.ts"
import { channels } from "./conversations/channels.ts"
import { chats } from "./conversations/chats.ts"
import { groups } from "./conversations/groups.ts"
import { planned } from "./conversations/planned.ts"
import { deliveries } from "./events/deliveries.ts"
import { event } from "./events/event.ts"
import { events } from "./events/events.ts"
import {
  toLocalhost,
  counted,
  countVisitor,
  type DashboardEnv,
  securityHeaders,
  inAccount,
  inTime,
  signedInOnly,
  lookWhoIsRefused,
  runsService,
  possibleIds,
  putSecurityHeaders,
  unslashed,
  whoLooks,
  withinTime,
  withoutSlash,
} from "./guard.ts"
import { home } from "./home.ts"
import { keys } from "./keys.ts"
import { linkPage } from "./link-page.ts"
import { linking } from "./linking/linking.ts"
import { newLinkPage } from "./linking/new-link-page.ts"
import { numbersAsCsv } from "./numbers/bulk.ts"
import { log } from "./numbers/log.ts"
import { newNumber } from "./numbers/new-number.ts"
import { number } from "./numbers/number.ts"
import { numbers } from "./numbers/numbers.ts"
import { settings } from "./numbers/settings.ts"
import { request } from "./one-request.ts"
import { findAndStop } from "./operator/find-and-stop.ts"
import { mail } from "./operator/mail.ts"
import { operator } from "./operator/operator.ts"
import { passkeyExtension } from "./passkey-extension.ts"
import { account } from "./people/account.ts"
import { accounts } from "./people/accounts.ts"
import { address } from "./people/address.ts"
import { ownData } from "./people/export-and-delete.ts"
import { byPasskey, passkeys } from "./people/sign-in-passkeys.ts"
import { signIn } from "./people/sign-in.ts"
import { consent } from "./programs/consent.ts"
import { programPaths, programs } from "./programs/endpoints.ts"
import { reference, trying } from "./reference.ts"
import { requests } from "./requests.ts"
import { start } from "./start/start.ts"
import { usage } from "./usage.ts"
import { accountWebhooks } from "./webhooks/account-webhooks.ts"
import { webhooks } from "./webhooks/webhooks.ts"
import { message } from "./where/message.ts"
import { span } from "./where/span.ts"
import { where } from "./where/where.ts"

/** The longest form: a message of 65,536 characters, each escaped. */
const ofText = bodyLimit({
  maxSize: 256 * 1024,
  onError: () => {
    throw new ApiError("payload_too_large", "the form is longer than 256 KiB")
  },
})
const ofFile = bodyLimit({
  maxSize: largestFile + 512 * 1024,
  onError: () => {
    throw new ApiError("payload_too_large", "the file is too large: at most 16 MB")
  },
})
/** An answer in a chat may have a file. It is read into memory: only of somebody who may send it. */
const limited = createMiddleware<DashboardEnv>(async (c, next) => {
  const isAnswer = c.req.method === "POST" && /^\/numbers\/[^/]+\/chats\/[^/]+\/answer$/.test(c.req.path)
  const mayBeLong = isAnswer && (await whoLooks(c))?.mayChange === true
  return await (mayBeLong ? ofFile : ofText)(c, next)
})

/** Pages for all visitors. */
const open = ["/sign-in/*", "/sign-out", "/link/*", "/passkey-extension.zip"]
/** Pages for an account's people. */
const own = [
  "/",
  "/start",
  "/chats",
  "/numbers/*",
  "/numbers.csv",
  "/new-number",
  "/live/*",
  "/sandbox/*",
  "/try/*",
  "/keys/*",
  "/webhooks/*",
  "/requests/*",
  "/where",
  "/usage",
  "/account/*",
  "/operator/*",
  "/dev/*",
  "/subscription/*",
  "/oauth/authorize",
  "/device",
]

/** Forms come from our own pages, whatever the name of the function behind the router. */
const ownForms = csrf({ origin: (origin, c) => origin === originOf(c) })

const parts = [
  signIn,
  passkeys,
  linkPage,
  passkeyExtension,
  home,
  start,
  numbers,
  numbersAsCsv,
  newNumber,
  number,
  linking,
  newLinkPage,
  message,
  span,
  where,
  chats,
  answering,
  aboutChat,
  groups,
  channels,
  planned,
  events,
  event,
  deliveries,
  webhooks,
  accountWebhooks,
  log,
  settings,
  keys,
  requests,
  request,
  usage,
  trying,
  account,
  address,
  ownData,
  auditLog,
  accounts,
  operator,
  findAndStop,
  mail,
  consent,
]

/** Every page, and the paths of forms that are no pages. */
function pagesWith(billing: BillingPages | undefined, given: MiddlewareHandler<DashboardEnv>) {
  const pages = new Hono<DashboardEnv>()
  pages.onError(async (error, c) => {
    await lookWhoIsRefused(error, c)
    return await refusedPage(error, c)
  })
  for (const path of [...open, "/accounts/*", ...own])
    pages.use(
      path,
      given,
      securityHeaders,
      inTime,
      counted,
      withoutSlash,
      toLocalhost,
      ownForms,
      limited,
      possibleIds,
    )
  pages.use("/accounts/*", signedInOnly)
  for (const path of own) pages.use(path, signedInOnly, inAccount, byPasskey)
  for (const path of ["/operator/*", "/dev/mail"]) pages.use(path, runsService)
  // A page finds its number as the API finds a bridge: for its own account only.
  pages.use("/numbers/:ref/*", async (c, next) => {
    const bridge = await Bridge.get(c.var.accountId, c.req.param("ref"))
    if (c.req.method === "POST" && !c.req.path.endsWith("/settings/delete")) mustBeHere(bridge)
    c.set("bridge", bridge)
    await next()
  })
  for (const part of parts) pages.route("/", part)
  if (billing) pages.route("/", billing.pages)

  const pathsOf = (method: string) =>
    pages.routes.filter((one) => one.method === method).map(({ path }) => path)
  const shown = new Set(pathsOf("GET"))
  // A browser that opens one of these, as when it is loaded again, is led to its page.
  const formPaths = pathsOf("POST").filter((path) => !shown.has(path))
  for (const path of formPaths)
    pages.get(path, (c) => c.redirect(pageAbove(shown, path, new URL(c.req.url).pathname)))
  for (const path of [...open, "/accounts/*", ...own])
    pages.all(path, () => {
      throw new ApiError("not_found")
    })
  return { pages, formPaths }
}

/**
 * The nearest page above a form: `pattern` is the form's route, `path` is as it was asked for, still encoded.
 */
function pageAbove(shown: Set<string>, pattern: string, path: string): string {
  const parts = pattern.split("/")
  do parts.pop()
  while (parts.length > 1 && !shown.has(parts.join("/")))
  return path.split("/").slice(0, parts.length).join("/") || "/"
}

/** Answers for a path that leads to nothing. */
async function missing(c: Context<DashboardEnv>): Promise<Response> {
  try {
    const path = unslashed(c)
    await withinTime(c, async () => {
      await countVisitor(c)
      const me = path === undefined ? await whoLooks(c) : undefined
      if (me) c.set("me", me)
    })
    if (path !== undefined) return c.redirect(path, 301)
    throw new ApiError("not_found", "no page has this address: look whether it is typed right")
  } catch (error) {
    putSecurityHeaders(c)
    await lookWhoIsRefused(error as Error, c) // what is thrown here is an error
    return await refusedPage(error as Error, c)
  }
}

/** Without billing these paths do not exist. */
const billed = createMiddleware<ApiEnv>(async (c, next) => (Billing.isOn() ? await next() : c.notFound()))

/**
 * The pages on which people use the service, served beside the API; billing's among them if they are given.
 * @returns also what answers a path that leads to nothing, and the paths of forms that are no pages
 */
export function dashboardWith(billing?: BillingPages) {
  const given = createMiddleware<DashboardEnv>(async (c, next) => {
    c.set("billing", billing)
    await next()
  })
  const { pages, formPaths } = pagesWith(billing, given)
  const dashboard = new Hono<ApiEnv>()
  for (const path of ["/assets/*", "/billing/*", ...programPaths]) dashboard.use(path, counted)
  for (const path of ["/subscription/*", "/billing/*"]) dashboard.use(path, billed)
  dashboard.route("/", assetRoutes)
  dashboard.use("/api/docs", given, inTime)
  dashboard.route("/", reference)
  dashboard.route("/", programs)
  dashboard.route("/", pages)
  if (billing) dashboard.route("/", billing.webhook)
  return {
    pages: dashboard,
    formPaths,
    missing: async (c: Context<ApiEnv>) => {
      const own = c as unknown as Context<DashboardEnv> // with no variable of the pages set yet
      own.set("billing", billing)
      return await missing(own)
    },
  }
}
