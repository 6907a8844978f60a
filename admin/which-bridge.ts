import { Account } from "#core/account/account.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import { argument, Refused } from "./verb.ts"

/**
 * The id of the bridge that the operator has named first, by its id or its `customer_ref`. Unchanged if there is no such
 * bridge.
 * @throws Refused when several accounts have a bridge of that reference
 */
export async function bridgeId(args: string[]): Promise<string> {
  const given = argument(args, 0, "bridge-id")
  if (await Bridge.byId(given)) return given
  const all = await Promise.all((await Account.list()).map(({ id }) => Bridge.list(id)))
  const [found, ...others] = all.flat().filter(({ customerRef }) => customerRef === given)
  if (others.length > 0)
    throw new Refused(`${others.length + 1} accounts have a bridge called ${given}: name it by its id`)
  if (found) console.error(`${given} is ${found.id}, of the account ${found.accountId}`)
  return found?.id ?? given
}
