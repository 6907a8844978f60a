import { orchestratorFailed } from "#core/contract/error-sentences.ts"
import { ApiError } from "#core/error.ts"
import { Lease } from "../lease/lease.ts"
import { log } from "../platform/log.ts"
import { isPassing } from "../store/store.ts"
import { callHolderIfAny, freshLease, runningLease } from "../lease/call-holder.ts"

/** Contract, "Changing the webhook" */
const restartWithinMs = 10_000

/**
 * Makes the holder of a bridge restart its session. If nobody holds it, there is nothing to restart.
 * @throws ApiError `orchestrator_failed` when the holder refuses or does not answer.
 */
export async function restart(bridgeId: string, requestId: string): Promise<void> {
  const call = { method: "POST", path: "/restart", bridgeId, requestId } as const
  try {
    const answer = await callHolderIfAny(call, restartWithinMs)
    if (!answer || answer.status < 300) return
    log.warn({ requestId, bridgeId, status: answer.status }, "host refused to restart a session")
  } catch (error) {
    if (!(error instanceof ApiError && error.code === "session_unavailable")) throw error
  }
  throw notDone("restarted")
}

/**
 * The lease of a bridge that is to be changed, woken if it was paused for idleness.
 * @throws ApiError `orchestrator_failed` when the store fails to wake it (Contract, "Changing the webhook"), and as
 * `runningLease` does. A store that cannot even be read is away: 503.
 */
export async function awake(bridgeId: string, requestId: string): Promise<Lease.Info> {
  const lease = await freshLease(bridgeId)
  if (lease.host !== Lease.NONE) return lease
  try {
    return await runningLease(bridgeId)
  } catch (error) {
    if (!isPassing(error)) throw error
    log.warn({ error, requestId, bridgeId }, "a bridge could not be woken")
    throw notDone("woken")
  }
}

function notDone(undone: "restarted" | "woken"): ApiError {
  return new ApiError("orchestrator_failed", orchestratorFailed(undone))
}
