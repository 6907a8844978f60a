import { html } from "hono/html"
import { type Amount, type Bill, money, type Price, priceLine } from "#billing/price-and-bills.ts"
import type { Account } from "#core/account/account.ts"
import { facts, type Html, note, buttonForm } from "../elements.ts"
import { heading } from "../layout.ts"
import { day, until } from "../times.ts"

type State = Account.Subscription

interface Shown {
  state: State
  /** The operator has set the state by hand. */
  isByHand: boolean
  isPretend: boolean
  hadFreeTrial: boolean
  /** There is a subscription at Stripe, which can be changed there. */
  hasPortal: boolean
  /** There is, or was, a subscription at Stripe: it has invoices. */
  hasInvoices: boolean
  mayChange: boolean
  /** For a member who may not change the subscription: whom to ask. */
  ask: Html | string
  numbers: number
  /** How many numbers the account has, and may have. */
  used: number
  limit: number
  /** The price of a number; undefined while Stripe cannot be asked, and if there is no one price for each. */
  price: Price | undefined
  coming: (Amount & { at: number }) | undefined
  /**
   * The latest invoices, newest first, and the last digits of the card; nothing, for a member who does not
   * pay.
   */
  bills: readonly Bill[]
  lastDigits: string | undefined
  /** Until when it is paid, Unix seconds. */
  periodEnd: number | undefined
  freeTrialEnd: number | undefined
  /** When the subscription ends because its customer said so, Unix seconds. */
  cancelAt: number | undefined
  /** Until when the data of stopped numbers is kept, Unix seconds. */
  keptUntil: number | undefined
  /** The number that waits for a subscription. */
  wanted: string | undefined
  notice?: Html | string | undefined
  nowMs: number
}

/** The subscription: its price, why something stopped, and the one thing to do about it. */
export function subscriptionPage(input: Shown): Html {
  return html`${heading({
      title: "Billing",
      ...(!input.isByHand && { about }),
    })}
    ${input.notice ?? ""}
    ${input.isPretend && !input.isByHand ? note("info", "This service runs with a pretend Stripe: no money moves, and no real card works.") : ""}
    <section class="card" aria-label="Subscription">${input.isByHand ? byHand(input) : card(input)}</section>
    ${input.isByHand ? "" : cancellation(input)} ${invoices(input)}`
}

const about =
  "The price of your numbers, and how they are paid. Stripe keeps the card; this service never sees it."

function byHand({ state, hasPortal, mayChange, ask, bills, used, limit }: Shown): Html {
  const mayAdd = state === "active" || state === "trialing"
  const isPaused = used > 0 && (state === "unpaid" || state === "canceled")
  const the = isPaused
    ? "Your numbers are paused: the"
    : mayAdd && !hasPortal
      ? "Nothing to pay here: the"
      : "The"
  return html`<h2>${titles[state]}</h2>
    <p>
      ${the} operator of this service
      ${mayAdd ? "has set your subscription by hand." : "sets your subscription by hand, and has ended it."}
      ${mayAdd ? `It holds until they change it. ${inUse(used, limit)}` : "Ask them for another one."}
    </p>
    ${
      hasPortal
        ? html`${note("warn", `Your subscription at Stripe goes on, and is charged, until you cancel it there.${bills.length === 0 ? "" : " The invoices below are from there."}`)}
          ${mayChange ? html`<div class="row">${portalButton()}</div>` : ask}`
        : ""
    }`
}

/** How many numbers are in use, how many there may be, and what to do for more. */
function inUse(used: number, limit: number): string {
  return `${used} of ${limit} numbers are in use; the sandbox does not count. Beyond ${limit} none can be added: delete one first, or ask the operator of this service for more.`
}

function portalButton(label = "Card, invoices, cancellation"): Html {
  return buttonForm({ action: "/subscription/portal", label })
}

const titles: Record<State, string> = {
  none: "No subscription yet",
  trialing: "Your free trial",
  active: "Active",
  past_due: "A payment has failed",
  unpaid: "A payment is missing",
  canceled: "Your subscription has ended",
}

/** When one more number is charged, while one can be added. */
const aboutAdding: Partial<Record<State, string>> = {
  trialing: "One that you add during the free trial is charged from its end on.",
  active:
    "One that you add is charged at once for the rest of the time that is paid. One that you delete is a credit on the next invoice.",
}

function card(input: Shown): Html {
  const { state, mayChange } = input
  const isOver = state === "none" || state === "canceled"
  const owes = state === "past_due" || state === "unpaid"
  const due = input.bills.filter(({ status }) => status === "open")
  const { cancelAt, coming, freeTrialEnd, lastDigits, periodEnd, price } = input
  const isEnding = cancelAt !== undefined && !isOver
  return html`<h2>${isEnding ? html`It ends on ${day(cancelAt * 1000)}` : titles[state]}</h2>
    ${reason(input)}
    ${facts([
      ["Numbers in the subscription", isOver ? undefined : `${input.numbers}, without the sandbox`],
      ["Due now", due.length === 0 ? undefined : html`${due.map((bill) => html`<b>${money(bill)}</b> `)}`],
      ["Card", lastDigits && `ends with ${lastDigits}`],
      ["Price", price && priceLine(price)],
      [
        "Free trial",
        state === "trialing" && freeTrialEnd ? html`${until(freeTrialEnd * 1000)} left` : undefined,
      ],
      ["Paid until", state === "active" && !isEnding && periodEnd ? day(periodEnd * 1000) : undefined],
      [
        state === "trialing" ? "First charge" : "Next charge",
        coming && html`${money(coming)} on ${day(coming.at * 1000)}`,
      ],
    ])}
    ${aboutAdding[state] === undefined || isEnding ? "" : html`<p class="small muted">${inUse(input.used, input.limit)} ${aboutAdding[state]}</p>`}
    ${
      mayChange
        ? html`<div class="row">
            ${isOver ? buttonForm({ action: "/subscription/begin", label: beginLabel(input), kind: "main" }) : ""}
            ${owes ? buttonForm({ action: "/subscription/pay", label: "Pay now", kind: "main" }) : ""}
            ${isEnding ? portalButton("Keep it after all") : ""}
            ${input.hasInvoices ? portalButton(isOver ? "Card and old invoices" : isEnding ? "Card and invoices" : undefined) : ""}
          </div>`
        : input.ask
    }`
}

/** Says what a cancellation does and when: to a customer who may cancel, and to one who has canceled. */
function cancellation({ state, numbers, cancelAt, periodEnd, mayChange }: Shown): Html | string {
  if ((state !== "trialing" && state !== "active") || (cancelAt === undefined && !mayChange)) return ""
  const atMs = (cancelAt ?? periodEnd ?? 0) * 1000
  const then = html`Until ${atMs === 0 ? "the end of the time that is paid" : day(atMs)} everything runs, and
  nothing more is charged. Then ${numbers === 1 ? "your number stops" : `your ${numbers} numbers stop`}: no
  message comes or goes. All is kept for 30 days, and runs again if you subscribe again. After that it is
  deleted, and the phones are unlinked.`
  if (cancelAt !== undefined) return note("warn", html`You have canceled. ${then}`)
  return html`<section class="card">
    <h2>What a cancellation does</h2>
    <p>${then}</p>
    <div class="row">
      ${buttonForm({ action: "/subscription/cancel", label: "Go on to cancel", kind: "danger" })}
    </div>
  </section>`
}

function invoices({ bills }: Shown): Html | string {
  if (bills.length === 0) return ""
  return html`<section class="card flush">
    <header><h2>Invoices</h2></header>
    <ul class="feed">
      ${bills.map(
        (bill) =>
          html`<li class="line">
            <span class="state ${bill.status === "paid" ? "good" : bill.status === "open" ? "bad" : "idle"}"
              >${bill.status === "open" ? "due" : bill.status}</span
            >
            <span class="about">${money(bill)} <span class="muted">· ${day(bill.at * 1000)}</span></span>
            ${bill.url === undefined ? html`<span></span>` : html`<a class="button slim" href="${bill.url}">View<span class="hidden"> the invoice of ${money(bill)}</span></a>`}
          </li>`,
      )}
    </ul>
  </section>`
}

function beginLabel({ state, hadFreeTrial, wanted }: Shown): string {
  if (state === "canceled") return "Subscribe again"
  const first = hadFreeTrial ? "Subscribe" : "Start 7 days free"
  return wanted ? `${first} and link ${wanted}` : first
}

function reason({
  state,
  hadFreeTrial,
  wanted,
  cancelAt,
  keptUntil,
  numbers,
  mayChange,
  nowMs,
}: Shown): Html | string {
  const kept = keptUntil === undefined ? "" : keptLine(keptUntil * 1000, nowMs)
  switch (state) {
    case "none":
      if (numbers > 0)
        return note(
          "bad",
          "Your numbers are paused until this account has a subscription. Nothing of them is deleted.",
        )
      return html`<p>
        ${wanted ? html`To link <b>${wanted}</b>, this account needs a subscription.` : "Your first number begins it."}
        ${hadFreeTrial ? "You have had the free trial, so the first month is charged at once." : "It starts with 7 days free, once for a person, a card and a phone: you put a card on file, and nothing is charged before they are over. You can end it at any time."}
      </p>`
    case "trialing":
    case "active":
      if (wanted && mayChange)
        return html`<p>You have paid, and may link <b>${wanted}</b> now.</p>
          <div class="row">
            ${buttonForm({ action: "/subscription/begin", label: `Go on linking ${wanted}`, kind: "main" })}
          </div>`
      return html`<p>
        ${numbers > 0 ? "Your numbers run." : "No number is linked yet."}
        ${cancelAt === undefined ? html`<a href="/new-number">Add a number</a>` : ""}
      </p>`
    case "past_due":
      return note(
        "bad",
        "The card could not be charged. Your numbers still run while Stripe tries again, but none can be added. Pay now, or put another card on file.",
      )
    case "unpaid":
      return note(
        "bad",
        numbers > 0
          ? html`The card could not be charged several times, so your numbers are paused. Once you pay, they
            run again by themselves.${kept}`
          : "The card could not be charged several times. Once you pay, you may link numbers again.",
      )
    case "canceled":
      if (numbers === 0) return html`<p>It runs no number any more. Subscribe again to link one.</p>`
      return note(
        "warn",
        html`Your numbers are paused. Subscribe again, and they run again by themselves.${kept}`,
      )
  }
}

function keptLine(untilMs: number, nowMs: number): Html | string {
  if (untilMs <= nowMs) return " Their data is being deleted."
  return html` Their data is kept until ${day(untilMs)}, then deleted.`
}

/** The red line on every other page while a payment is missing. */
export function paymentLine(account: {
  subscription: State
  isByHand: boolean
  bridges: number
}): Html | undefined {
  const { subscription: state } = account
  // An operator's `none` pauses nothing.
  if (state === "none" && account.isByHand) return undefined
  // An account without a number has nothing to pay yet, or nothing any more.
  if ((state === "none" || state === "canceled") && account.bridges === 0) return undefined
  const [what, so] = lines[state] ?? []
  if (what === undefined) return undefined
  return note(
    "bad",
    html`${what}${account.bridges === 0 ? "" : so}.
      <a class="button slim" href="/subscription">${labels[state] ?? "Pay"}</a>`,
  )
}

const labels: Partial<Record<State, string>> = { none: "Subscribe", canceled: "Subscribe again" }

/** What is wrong with an account's payment, and what that does to its numbers. */
const lines: Partial<Record<State, [what: string, so: string]>> = {
  none: ["This account has no subscription", ": your numbers are paused"],
  past_due: ["A payment has failed", ". Your numbers run for now"],
  unpaid: ["A payment is missing", ": your numbers are paused"],
  canceled: ["Your subscription has ended", ": your numbers are paused"],
}
