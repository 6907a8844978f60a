import type { Agent } from "undici"
import { Claim } from "#core/claim.ts"
import type { Delivery } from "#core/delivery.ts"
import { log } from "#core/log.ts"
import type { Arrivals } from "./arrivals.ts"
import type { Notes } from "./notes.ts"

/** What an invocation delivers with. */
export interface Means {
  agent: Agent
  notes: Notes
  arrivals: Arrivals
}

/**
 * What comes before a POST and may fail for every event: where it does, the claim ends and no attempt is used up. The
 * doorbell comes back when its visibility ends.
 */
export async function orLetGo<Result>(held: Delivery.Info, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    await Claim.letGo(held).catch((failure: unknown) =>
      // Then the claim ends with its time.
      log.warn({ bridgeId: held.bridgeId, error: failure }, "claim not given back"),
    )
    throw error
  }
}
