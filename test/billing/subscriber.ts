import { randomUUID } from "node:crypto"
import { afterEach, vi } from "vitest"
import { account as accountVerbs } from "#admin/account.ts"
import { billing } from "#admin/billing.ts"
import { bridge as bridgeVerbs } from "#admin/bridge.ts"
import { Checkout } from "#billing/checkout.ts"
import { Due } from "#billing/due-for-a-look.ts"
import { lookAtStripe } from "#billing/look-at-stripe.ts"
import { Payer } from "#billing/payer.ts"
import { payPage } from "#billing/portal-and-invoice-pages.ts"
import { stripe as sdk } from "#billing/stripe.ts"
import { Account } from "#core/account/account.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import { Lease } from "#core/lease/lease.ts"
import { getRow } from "#core/store/store.ts"
import { tables } from "#core/store/tables.ts"
import { cardOf } from "#pretend-stripe/cards.ts"
import { payWith, stripe } from "#test/billing/support/billed.ts"
import { aCustomer } from "#test/support/service/customer.ts"

export const admin = { account: accountVerbs, bridge: bridgeVerbs, billing }

afterEach(() => {
  stripe.away(false)
  stripe.loseAnswers(0)
  stripe.fail(0)
  stripe.webhooks.letGo()
  vi.useRealTimers()
})

export const card = { pays: "4242424242424242", fails: "4000000000000341", wantsStep: "4000000000003220" }

/** An account that has not heard of Stripe yet, with its key. */
export async function newcomer() {
  const customer = await aCustomer({ subscription: "none" })
  await Account.endOverride(customer.account.id)
  return customer
}

/** An account that has put a card on file and linked its first number; webhooks are held back. */
export async function subscriber(number = card.pays) {
  stripe.webhooks.hold()
  const customer = await newcomer()
  const { id } = customer.account
  await Checkout.want(id, { customerRef: "first", webhookUrl: "" })
  const page = await Checkout.begin(id, "ada@example.com")
  await payWith(number, page!)
  await Checkout.wantedAfterPayment(id)
  const { bridge } = await Bridge.create({ accountId: id, customerRef: "first" })
  await lookAtStripe(id)
  return { ...customer, id, bridge }
}

/** A subscriber whose card has failed so often that Stripe has given up: the account is `unpaid`. */
export async function unpaidSubscriber() {
  const found = await subscriber(card.fails)
  await days(found.id, 24)
  return found
}

/** The account subscribes on a page of Checkout, with a card that pays. */
export async function subscribes(accountId: string) {
  await payWith(card.pays, (await Checkout.begin(accountId, "ada@example.com"))!)
  await lookAtStripe(accountId)
}

/** The account pays what is open, on the page that the dashboard leads to. */
export async function pays(accountId: string) {
  await payWith(card.pays, (await payPage(accountId))!)
  await lookAtStripe(accountId)
}

/** Another card takes the place of the account's, without a page. */
export function putOnFile(accountId: string, number: string): void {
  for (const { customer } of ofStripe(accountId)) stripe.book.cards[customer] = cardOf(number)!
}

export const addSecond = async (accountId: string) =>
  (await Bridge.create({ accountId, customerRef: "second" })).bridge
export const isRunning = async (bridge: Bridge.Info) => Lease.stateOf(await leaseOf(bridge)) === "running"
export const stateOf = async (accountId: string) => (await Account.get(accountId))!.subscription
export const ofStripe = (accountId: string) =>
  Object.values(stripe.book.subscriptions).filter(({ metadata }) => metadata.account_id === accountId)
export const leaseOf = async (bridge: Bridge.Info) => (await Lease.get(bridge.id))!
export const isDue = async (accountId: string) =>
  (await Due.list()).some((mark) => mark.accountId === accountId)
export const days = async (accountId: string, count: number) => {
  stripe.advance(count)
  await lookAtStripe(accountId)
}

export const rowOf = async (accountId: string) =>
  await getRow(tables.accounts, { pk: `ACCOUNT#${accountId}`, sk: "PAYER" })

/** The operator deletes an account's customer on Stripe's own pages. */
export async function deleteAtStripe(accountId: string): Promise<void> {
  const { customer } = (await Payer.get(accountId))!
  await (await sdk()).customers.del(customer!)
}

export const aHint = (accountId: string, about: Record<string, string> = {}) => ({
  id: `evt_${randomUUID()}`,
  object: "event",
  type: "customer.subscription.updated",
  data: { object: { id: "sub_1", status: "active", metadata: { account_id: accountId }, ...about } },
})

export const latestInvoice = (accountId: string) =>
  stripe.book.invoices[ofStripe(accountId)[0]!.latest_invoice!]!

/** The amounts that an account has paid, in cents. */
export const paid = (accountId: string) =>
  Object.values(stripe.book.invoices)
    .filter(({ parent }) => parent.subscription_details.metadata.account_id === accountId)
    .map(({ amount_paid }) => amount_paid)
    .filter((amount) => amount > 0)

export const quantityOf = (accountId: string) => ofStripe(accountId)[0]!.items.data[0].quantity
