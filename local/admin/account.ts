import { Account } from "#core/account.ts"
import { iso } from "#core/clock.ts"
import { argument, Refused, type Row, type Verb } from "./verb.ts"

export const account: Record<string, Verb> = {
  create: {
    takes: "<name> [subscription]",
    says: "make an account, by default without a subscription",
    run: async (args) => [
      toRow(
        await Account.create({
          name: argument(args, 0, "name"),
          subscription: args[1] === undefined ? "none" : subscription(args[1]),
        }),
      ),
    ],
  },
  list: {
    takes: "",
    says: "every account",
    run: async () => (await Account.list()).map(toRow),
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
    takes: `<account-id> <${Account.Subscription.options.join("|")}>`,
    says: "set the state of the account's subscription",
    run: async (args) => {
      const id = argument(args, 0, "account-id")
      return await changed(id, await Account.setSubscription(id, subscription(argument(args, 1, "state"))))
    },
  },
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
    bridges: info.bridges,
    limit: info.bridgeLimit,
    created_at: iso(info.createdAt * 1000),
  }
}
