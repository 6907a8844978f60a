import type { Context } from "hono"
import { html } from "hono/html"
import { HTTPException } from "hono/http-exception"
import { sentences } from "#contract/error-codes.ts"
import { Billing } from "#core/account/billing.ts"
import type { ApiError } from "#core/error.ts"
import { asRefusal } from "#functions/http/refuse.ts"
import { sentenceForPeople } from "./api-words.ts"
import { type Html, said } from "./elements.ts"
import type { DashboardEnv } from "./guard.ts"
import { type Brand, framed, type Head, heading, lone, type Place, refusalBody } from "./layout.ts"
import { linkWordsFor, refusalIn } from "./linking/link-words.ts"
import { numberHeading, type Tab } from "./numbers/number-heading.ts"
import { span } from "./times.ts"

export type Status = 200 | ApiError["status"]

interface Shown {
  title: string
  body: Html
  status?: Status | undefined
}

/** Answers with a page for a person who is signed in. */
export function page(
  c: Context<DashboardEnv>,
  input: Shown & { place?: Place; number?: string | undefined; sought?: string },
): Response | Promise<Response> {
  const { person, account, role } = c.var.me
  const viewer = { email: person.email, accountName: account.name, role, isOperator: account.isOperator }
  // Billing's own page says more about what is to be paid.
  const isToldOfPayment = Billing.isOn() && input.place !== "billing"
  const line = isToldOfPayment ? c.var.billing?.paymentLine(account) : undefined
  // Unset on pages that are of no number.
  const bridge = c.get("bridge") as DashboardEnv["Variables"]["bridge"] | undefined
  const place = bridge?.isSandbox ? "sandbox" : input.place
  const number = bridge?.customerRef ?? input.number
  return c.html(framed({ ...input, place, line, viewer, number }), input.status ?? 200)
}

/** As `page`, with a head above the body: the title, and what is given of the rest. */
export function headedPage(
  c: Context<DashboardEnv>,
  input: Shown & Head & { place?: Place; number?: string | undefined; sought?: string },
): Response | Promise<Response> {
  return page(c, { ...input, body: html`${heading(input)} ${input.body}` })
}

/** A page about one number, under the head of all of them. `without`: as for `numberHeading`. */
export function numberPage(
  c: Context<DashboardEnv>,
  tab: Tab,
  input: Shown & { without?: "webhooks" | "session" },
): Response | Promise<Response> {
  const body = html`${numberHeading(c.var.bridge, tab, input.without)} ${input.body}`
  return page(c, { ...input, place: tab === "chats" ? "chats" : "numbers", body })
}

/** Answers with a page for any visitor. */
export function lonePage(
  c: Context<DashboardEnv>,
  input: Shown & { isBroad?: boolean; lang?: string; brand?: Brand | undefined },
): Response | Promise<Response> {
  return c.html(lone(input), input.status ?? 200)
}

/** Answers with a page for any visitor. A person who is signed in keeps the navigation. */
export function anyPage(c: Context<DashboardEnv>, input: Shown): Response | Promise<Response> {
  // Unset where no sign-in was looked for.
  const me = c.get("me") as DashboardEnv["Variables"]["me"] | undefined
  return me ? page(c, input) : lonePage(c, input)
}

const titles: Partial<Record<ApiError["code"], string>> = {
  not_found: "There is nothing here",
  rate_limited: "Too much at once",
  internal_error: "Something went wrong on our side",
  payload_too_large: "That is too long",
}

/**
 * What pages say in place of the API's sentences that name a call, or that repeat what the page says beside
 * them.
 */
const onPages = new Map([
  [sentences.not_found, "What this page shows does not exist, was deleted, or belongs to another account."],
  [sentences.internal_error, "Nothing that you typed was at fault. Try again in a moment."],
])

/** Answers a refusal with a page: the same sentence as in the API, unless that is for programs. */
export function refusedPage(error: Error, c: Context<DashboardEnv>): Response | Promise<Response> {
  const { requestId } = c.var
  // A form of another site, or a page that another site framed.
  if (error instanceof HTTPException) {
    if (isOfLink(c)) return refusingLink(c, undefined, 403)
    const sentence =
      "This form was not sent from a page of ours: open the page again, and send it from there."
    return refusing(c, { title: "That did not work", sentence, status: 403 })
  }
  const refusal = asRefusal(error, requestId)
  for (const [name, value] of Object.entries(refusal.headers)) c.header(name, value)
  const time =
    refusal.code === "rate_limited" ? span(Number(refusal.headers["retry-after"]) * 1000) : undefined
  if (isOfLink(c)) return refusingLink(c, time, refusal.status)
  const title = titles[refusal.code] ?? "That did not work"
  const isNoNumber = isOfNumber(c) && !c.get("bridge") && refusal.message === sentences.not_found
  const sentence = isNoNumber
    ? "This number does not exist, was deleted, or belongs to another account."
    : time !== undefined
      ? `Too many requests came at once, from your network address or to our store. Try again in ${time}.`
      : (onPages.get(refusal.message) ?? sentenceForPeople(refusal.message))
  const mends = refusal.status >= 500 ? { requestId } : {}
  return refusing(c, { title, sentence, status: refusal.status, ...mends })
}

/** Refuses a person who links a phone: in their language and without a way on, since they have no account. */
function refusingLink(
  c: Context<DashboardEnv>,
  time: string | undefined,
  status: ApiError["status"],
): Response | Promise<Response> {
  const words = linkWordsFor(c.req.header("accept-language"))
  const [title, sentence] = refusalIn(words, status, time)
  return lonePage(c, { title: words.title, body: said(title, sentence), status, lang: words.lang })
}

function isOfLink(c: Context<DashboardEnv>): boolean {
  return c.req.path.startsWith("/link/")
}

function isOfNumber(c: Context<DashboardEnv>): boolean {
  return c.req.path.startsWith("/numbers/")
}

function refusing(
  c: Context<DashboardEnv>,
  input: { title: string; sentence: string; status: ApiError["status"]; requestId?: string },
): Response | Promise<Response> {
  const again = input.status === 503 && c.req.method === "GET" ? c.req.path : undefined
  return anyPage(c, {
    title: input.title,
    body: refusalBody({ ...input, isOfNumber: isOfNumber(c), again }),
    status: input.status,
  })
}

/** The part of a link behind `?`, without what is not given. */
export function toQuery(values: Record<string, string | number | undefined>): string {
  const given = Object.entries(values).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as [string, string]],
  )
  return new URLSearchParams(given).toString()
}
