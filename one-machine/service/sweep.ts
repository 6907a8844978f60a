import { setTimeout as sleep } from "node:timers/promises"
import { log } from "#core/platform/log.ts"
import { lookAtAll } from "#functions/sweep/sweep.ts"

/**
 * The shortest time from the end of one look to the next, in ms, so that changes at the same time are looked
 * at together.
 */
const restMs = 500

/**
 * The sweep of one machine, which looks at hosts and leases now and then, and soon after it is told of a
 * change.
 */
export class Sweep {
  readonly #stopping = new AbortController()
  #changed = new AbortController()
  #looking: Promise<void> | undefined

  /** Begins to look: at the latest `eachMs` after the look before. */
  start(eachMs: number): void {
    this.#looking = this.#each(eachMs, () =>
      lookAtAll().catch((error: unknown) => log.error({ error }, "the sweep's look failed")),
    )
  }

  /** Something has changed: it looks soon. */
  hurry(): void {
    this.#changed.abort()
  }

  /** Resolves when the look under way has ended. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    this.hurry()
    await this.#looking
  }

  async #each(eachMs: number, look: () => Promise<unknown>): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      this.#changed = new AbortController()
      await look()
      await this.#rest(restMs, this.#stopping.signal)
      await this.#rest(eachMs - restMs, this.#changed.signal)
    }
  }

  async #rest(ms: number, signal: AbortSignal): Promise<void> {
    await sleep(ms, undefined, { signal }).catch(() => "there is something to do")
  }
}
