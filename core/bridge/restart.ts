import { orchestratorFailedSentence } from "#contract/error-codes.ts"
import { ApiError } from "#core/error.ts"
import { callHolderIfAny } from "../lease/call-holder.ts"
import { log } from "../platform/log.ts"

/** In ms (Contract, "Changing the webhook"). */
const restartWithinMs = 10_000

/**
 * Makes the holder of a bridge restart its session. If no host holds it, there is nothing to restart.
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
  throw new ApiError("orchestrator_failed", orchestratorFailedSentence("restarted"))
}
