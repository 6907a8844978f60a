import { setTimeout as sleep } from "node:timers/promises"
import { Unexpected } from "./api-client.ts"

/**
 * Repeats `work` until it succeeds: calls answer 503 while a session host starts or a session moves.
 * @throws Unexpected the last failure, once `signal` has fired. Any other error is thrown at once.
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
