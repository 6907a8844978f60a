import { AccountWebhook } from "#core/bridge/account-webhook.ts"
import { ApiError } from "#core/error.ts"
import type { Delivery } from "#core/event/delivery.ts"
import { Receiver } from "#core/event/receiver.ts"
import type { ApiEnv } from "./contract-router.ts"

/**
 * The webhook whose deliveries a call is about: of the bridge, or of its account.
 * @param look finds it
 * @throws ApiError `not_found`, also for one of the account where the key is for some bridges alone
 */
export async function webhookOfQuery(
  { bridge, access }: Pick<ApiEnv["Variables"], "bridge" | "access">,
  webhookId: string,
  look = AccountWebhook.atBridge,
): Promise<Delivery.Info> {
  if (access.bridges && Receiver.isOfAccount({ webhookId }))
    throw new ApiError(
      "not_found",
      "this API key is for some bridges alone: it sees no webhook of the account",
    )
  return await look(bridge, webhookId)
}
