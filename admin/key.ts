import { Account } from "#core/account/account.ts"
import { ApiKey } from "#core/account/api-key.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import { iso } from "#core/platform/clock.ts"
import { argument, Refused, type Verb } from "./verb.ts"

export const key: Record<string, Verb> = {
  create: {
    takes: "<account-id> [name] [--bridge <customer_ref> ...]",
    says: "create an API key; it is shown only this once. --bridge: for this bridge alone, as often as you like",
    options: ["bridge"],
    run: async (args, { bridge: refs } = {}) => {
      const accountId = argument(args, 0, "account-id")
      if (!(await Account.get(accountId))) throw new Refused("there is no such account")
      const all = await Bridge.list(accountId)
      const bridges = refs?.map((ref) => {
        const found = all.find(({ customerRef }) => customerRef === ref)
        if (!found) throw new Refused(`the account has no bridge called ${ref}`)
        return found
      })
      return [{ key: await ApiKey.create(accountId, args[1] ?? "", { scope: "all", bridges }) }]
    },
  },
  list: {
    takes: "<account-id>",
    says: "the account's keys, without their secrets",
    run: async (args) =>
      (await ApiKey.list(argument(args, 0, "account-id"))).map((found) => ({
        id: found.keyId,
        name: found.name,
        scope: found.scope,
        customer_refs: found.bridges?.map(({ customerRef }) => customerRef).join(" ") ?? "",
        chats: found.chats?.join(" ") ?? "",
        created_at: iso(found.createdAt * 1000),
      })),
  },
  revoke: {
    takes: "<account-id> <key-id>",
    says: "revoke a key; it is refused everywhere within 30 seconds",
    run: async (args) => {
      const keyId = argument(args, 1, "key-id")
      if (!(await ApiKey.revoke(argument(args, 0, "account-id"), keyId)))
        throw new Refused("the account has no such key")
      return [{ revoked: keyId }]
    },
  },
}
