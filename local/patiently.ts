import { setTimeout as sleep } from "node:timers/promises"
import { Unexpected } from "./api-client.ts"

/**
 * Does it until it works: while a session host starts, or a session moves to another, calls answer 503.
 * @throws Unexpected what went wrong last, once `signal` has fired; at once whatever else is thrown.
 */
export async function patiently<Made>(signal: AbortSignal, work: () => Promise<Made>): Promise<Made> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof Unexpected) || signal.aborted) throw error
      await sleep(200, undefined, { signal }).catch(() => "once more, and it says what is wrong")
    }
  }
}
