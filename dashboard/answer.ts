import type { Context } from "hono"
import { HTTPException } from "hono/http-exception"
import { Billing } from "#core/billing.ts"
import { sentences } from "#core/contract/error-sentences.ts"
import type { ApiError } from "#core/error.ts"
import { nowMs } from "#core/platform/clock.ts"
import { asRefusal } from "#functions/http/refuse.ts"
import { assets } from "./assets.ts"
import { billingPages } from "./billing-hooks.ts"
import type { Html } from "./elements.ts"
import type { DashboardEnv } from "./guard.ts"
import { framed, lone, type Place, refused } from "./layout.ts"

export type Status = 200 | ApiError["status"]

/** Answers with a page for somebody who is signed in. */
export function page(
  c: Context<DashboardEnv>,
  input: { title: string; place: Place; body: Html; status?: Status },
): Response | Promise<Response> {
  const { person, account, role } = c.var.me
  const viewer = { email: person.email, accountName: account.name, role, isOperator: account.isOperator }
  const line = Billing.isOn() ? billingPages()?.paymentLine(account) : undefined
  return c.html(framed({ ...input, line, assets, nowMs: nowMs(), viewer }), input.status ?? 200)
}

/** Answers with a page for anybody. */
export function lonePage(
  c: Context<DashboardEnv>,
  input: { title: string; body: Html; status?: Status; isBroad?: boolean },
): Response | Promise<Response> {
  return c.html(lone({ ...input, assets, nowMs: nowMs() }), input.status ?? 200)
}

const titles: Partial<Record<ApiError["code"], string>> = {
  not_found: "There is nothing here",
  rate_limited: "Too much at once",
  internal_error: "Something went wrong on our side",
  payload_too_large: "That is too long",
}

/** In place of the API's usual sentence, which names another call: that is no help on a page. */
const nothingHere = "It was deleted, it belongs to another account, or the address of this page is not whole."

/** Answers a refusal with a page: the same sentence as in the API, unless that is for programs. */
export function refusedPage(error: Error, c: Context<DashboardEnv>): Response | Promise<Response> {
  const { requestId } = c.var
  // A form of another site, or a page that another site framed.
  if (error instanceof HTTPException) {
    const sentence =
      "This form was not sent from a page of ours: open the page again, and send it from there."
    return c.html(whole({ title: "That did not work", sentence }), error.status)
  }
  const refusal = asRefusal(error, requestId)
  for (const [name, value] of Object.entries(refusal.headers)) c.header(name, value)
  const title = titles[refusal.code] ?? "That did not work"
  const sentence = refusal.message === sentences.not_found ? nothingHere : sentenceCase(refusal.message)
  const mends = refusal.status >= 500 ? { requestId } : {}
  return c.html(whole({ title, sentence, ...mends }), refusal.status)
}

function whole(input: { title: string; sentence: string; requestId?: string }): Html {
  return lone({ title: input.title, body: refused(input), assets, nowMs: nowMs() })
}

/** Fields of the API's requests, as our forms call them. */
const labels = new Map([
  ["webhook_url", "Address"],
  ["customer_ref", "Name"],
  ["new_chats_a_day", "New chats a day"],
  ["gap_ms", "Seconds between two messages"],
  ["typing_ms", "Seconds of typing before a message"],
])

/** The API's sentences begin small, after the name of their error or field. */
export function sentenceCase(sentence: string): string {
  const named = sentence.replace(/^\w+(?=: )/, (field) => labels.get(field) ?? field)
  const whole = named.charAt(0).toUpperCase() + named.slice(1)
  return /[.!?]$/.test(whole) ? whole : `${whole}.`
}

/** The part of a link behind `?`, without what is not given. */
export function queryOf(values: Record<string, string | number | undefined>): string {
  const given = Object.entries(values).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as [string, string]],
  )
  return new URLSearchParams(given).toString()
}
