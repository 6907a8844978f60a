import { randomUUID } from "node:crypto"
import { AccountName } from "#core/account/account-name.ts"
import { Account } from "#core/account/account.ts"
import { ApiKey } from "#core/account/api-key.ts"
import { Billing } from "#core/account/billing.ts"
import { Email } from "#core/account/person.ts"
import { removePeople } from "#core/account/remove-empty.ts"
import { removeWhole } from "#core/account/remove-whole.ts"
import { SignIn } from "#core/account/sign-in.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import { iso } from "#core/platform/clock.ts"
import { config } from "#core/platform/config.ts"
import { transact } from "#core/store/store.ts"
import { argument, Refused, type Row, type Verb } from "./verb.ts"

export const account: Record<string, Verb> = {
  create: {
    takes: "<name> [subscription] [--key]",
    says: "create an account; without `active` it may have no bridges; --key: with an API key, shown only this once",
    options: ["key"],
    run: async (args, { key = false } = {}) => {
      const made = await Account.create({
        name: argument(args, 0, "name"),
        ...(args[1] !== undefined && { subscription: subscription(args[1]) }),
      })
      return [{ ...toRow(made), ...(key && { key: await ApiKey.create(made.id, "") }) }]
    },
  },
  list: {
    takes: "",
    says: "every account",
    run: async () => (await Account.list()).map(toRow),
  },
  rename: {
    takes: "<account-id> <name>",
    says: "name the account; those who link a phone for it read that",
    run: async (args) => {
      const name = AccountName.Name.safeParse(argument(args, 1, "name"))
      if (!name.success) throw new Refused(name.error.issues[0]?.message ?? "not a name")
      const id = argument(args, 0, "account-id")
      return await changed(id, await Account.rename(id, name.data))
    },
  },
  limit: {
    takes: "<account-id> <bridges>",
    says: "how many bridges the account may have",
    run: async (args) => {
      const limit = Number(argument(args, 1, "bridges"))
      if (!Number.isInteger(limit) || limit < 0) throw new Refused("<bridges> is a whole number from 0")
      const id = argument(args, 0, "account-id")
      return await changed(id, await Account.setBridgeLimit(id, limit))
    },
  },
  subscription: {
    takes: `<account-id> <${Account.Subscription.options.join("|")}|stripe>`,
    says: "set the state of the account's subscription, against Stripe's word; `stripe`: let Stripe decide",
    run: async (args) => {
      const id = argument(args, 0, "account-id")
      const state = argument(args, 1, "state")
      if (state === "stripe") return await changed(id, await letStripeDecide(id))
      return await changed(id, await setByHand(id, subscription(state)))
    },
  },
  operator: {
    takes: "<account-id>",
    says: "let the people of this account see every account, on the dashboard",
    run: async (args) => {
      const id = argument(args, 0, "account-id")
      return await changed(id, await Account.makeOperator(id))
    },
  },
  delete: {
    takes: "<account-id> [all]",
    says: "delete an account without bridges, and its keys; `all`: its bridges first",
    run: async (args) => await deleted(argument(args, 0, "account-id"), args[1] === "all"),
  },
}

/**
 * Makes a link for an operator who signs in for the first time, or for a person whom the service cannot mail.
 */
export const loginLink: Verb = {
  takes: "<email>",
  says: "a link that signs this address in, once, within a day; a new address becomes an account",
  run: async (args) => {
    const email = Email.safeParse(argument(args, 0, "email"))
    if (!email.success) throw new Refused(email.error.issues[0]?.message ?? "not an e-mail address")
    const token = await SignIn.newLinkToPrint(email.data)
    return [{ link: `${config.DASHBOARD_URL.replace(/\/$/, "")}/sign-in/link/${token}` }]
  },
}

/**
 * @throws Refused for a state that stops bridges where nothing is paid, since nothing there would let them
 * run again
 */
async function setByHand(id: string, state: Account.Subscription): Promise<boolean> {
  if (!Billing.isOn() && (state === "unpaid" || state === "canceled"))
    throw new Refused(
      `nothing is paid on this service: \`bridge suspend\` stops a bridge, \`none\` allows no more`,
    )
  if (!(await Account.setSubscription(id, state))) return false
  await dueFromNow(id)
  return true
}

/**
 * From now on the account follows Stripe. At first, and if it has never been there, it has no subscription.
 */
async function letStripeDecide(id: string): Promise<boolean> {
  if (!Billing.isOn()) throw new Refused("nothing is paid on this service: it was started without BILLING")
  if (!(await Account.endOverride(id))) return false
  await dueFromNow(id)
  return true
}

/** Makes the account due for a look, with which its bridges follow. */
async function dueFromNow(id: string): Promise<void> {
  if (!Billing.isOn()) return
  const writes = await Billing.enrolling(id)
  if (writes.length > 0) await transact(writes)
  await Billing.noteChange(id)
}

async function deleted(id: string, withBridges: boolean): Promise<Row[]> {
  if (!(await Account.get(id))) {
    // A deletion that was interrupted may have left its people.
    await removePeople(id)
    throw new Refused("there is no such account")
  }
  const bridges = await Bridge.list(id)
  const hasSandbox = bridges.some(({ isSandbox }) => isSandbox)
  const counted = bridges.filter(({ isSandbox }) => !isSandbox).length
  if (bridges.length > 0 && !withBridges)
    throw new Refused(
      `the account has ${counted} bridges${hasSandbox ? " and a sandbox" : ""}: with \`all\` they are deleted, too`,
    )
  if (!(await removeWhole(id, randomUUID())))
    throw new Refused("a bridge of the account was created meanwhile: run the command again")
  return [{ deleted: id, bridges: counted, ...(hasSandbox && { sandboxes: 1 }) }]
}

function subscription(given: string): Account.Subscription {
  const parsed = Account.Subscription.safeParse(given)
  if (!parsed.success)
    throw new Refused(`a subscription is one of ${Account.Subscription.options.join(", ")}`)
  return parsed.data
}

async function changed(accountId: string, found: boolean): Promise<Row[]> {
  const now = found ? await Account.get(accountId) : undefined
  if (!now) throw new Refused("there is no such account")
  return [toRow(now)]
}

function toRow(info: Account.Info): Row {
  return {
    id: info.id,
    name: info.name,
    subscription: info.subscription,
    ...(Billing.isOn() && { by: info.isByHand ? "hand" : "stripe" }),
    bridges: info.bridges,
    limit: info.bridgeLimit,
    created_at: iso(info.createdAt * 1000),
  }
}
