import { Claim } from "#core/event/claim.ts"
import type { Delivery } from "#core/event/delivery.ts"
import { log } from "#core/platform/log.ts"

/**
 * Runs a step before a POST that may fail for every event. If it fails, the claim ends and no attempt is used
 * up. The doorbell returns when its visibility time-out ends.
 */
export async function endClaimOnError<Result>(
  held: Delivery.Info,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    await Claim.release(held).catch((failure: unknown) =>
      // The claim then ends by itself when its time is over.
      log.warn({ bridgeId: held.bridgeId, error: failure }, "delivery claim not given back"),
    )
    throw error
  }
}
