import { Bridge } from "../bridge/bridge.ts"
import { remove as removeBridge } from "../bridge/remove.ts"
import { ApiError } from "../error.ts"
import { Account } from "./account.ts"
import { ApiKey } from "./api-key.ts"
import { removeEmpty } from "./remove-empty.ts"

/** How many bridges are removed at once: each is unlinked from the network first. */
const together = 20

/**
 * Deletes an account with its keys, bridges and people.
 * @returns false if a bridge was created meanwhile: then it is to be called again
 */
export async function removeWhole(accountId: string, requestId: string): Promise<boolean> {
  // From here on no bridge can be created.
  await Account.setSubscription(accountId, "none")
  for (const { keyId } of await ApiKey.list(accountId))
    await ApiKey.revoke(accountId, keyId, { withAccount: true })
  const removeBridges = async () => {
    const left = await Bridge.list(accountId)
    const removeNext = async () => {
      for (let bridge = left.pop(); bridge; bridge = left.pop())
        await removeBridge(bridge, requestId).catch(unlessGone)
    }
    await Promise.all(Array.from({ length: together }, removeNext))
  }
  await removeBridges()
  if (!(await removeEmpty(accountId))) return (await Account.get(accountId)) === undefined
  // Sandboxes are not counted, so one may have been created until the account was gone.
  await removeBridges()
  return true
}

/** Somebody else may delete the account, or one of its bridges, at the same time. */
function unlessGone(error: unknown): void {
  if (!(error instanceof ApiError && error.code === "not_found")) throw error
}
