import { Bridge } from "../bridge/bridge.ts"
import { remove as removeBridge } from "../bridge/remove.ts"
import { Account } from "./account.ts"
import { ApiKey } from "./api-key.ts"
import { removeEmpty } from "./remove-empty.ts"

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
    for (const bridge of await Bridge.list(accountId)) await removeBridge(bridge, requestId)
  }
  await removeBridges()
  if (!(await removeEmpty(accountId))) return false
  // Sandboxes are not counted, so one may have been created until the account was gone.
  await removeBridges()
  return true
}
