import { Connections } from "#core/fetch/safe-fetch.ts"
import { config } from "#core/platform/config.ts"

/**
 * Receivers close idle connections after 2 s or more. A POST on a connection that is just being closed would
 * fail.
 */
const idleMs = 1000

/** The connections of this process: a bridge whose events come one at a time needs no new one for each. */
let kept: Connections | undefined

/**
 * Connections to receivers for one delivery, and a function that ends them. On Lambda each delivery has its
 * own: those of an earlier invocation were frozen with it.
 */
export function newReceiverConnections(): {
  connections: Connections
  leave: () => Promise<void>
} {
  if (config.AWS_LAMBDA_FUNCTION_NAME !== undefined) {
    const connections = new Connections()
    return { connections, leave: async () => await connections.destroy() }
  }
  kept ??= new Connections({ idleMs })
  return { connections: kept, leave: async () => {} }
}
