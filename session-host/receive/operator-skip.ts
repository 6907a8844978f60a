import { BridgeLog } from "#core/bridge/bridge-log.ts"
import { Lease } from "#core/lease/lease.ts"
import type { Logger } from "#core/platform/log.ts"
import type { Patience } from "../memory/patience.ts"

interface SkipParts {
  lease: Lease.Info
  patience: Patience
  log: Logger
}

/**
 * An operator's request (`bridge skip`) to skip the message at the head of a session, because that message
 * brings the session down again and again.
 */
export class OperatorSkip {
  readonly #parts: SkipParts
  #isWanted: boolean

  constructor(parts: SkipParts) {
    this.#parts = parts
    this.#isWanted = parts.lease.skip === true
  }

  get isWanted(): boolean {
    return this.#isWanted
  }

  /**
   * Whether to skip the message at hand: true once, and never again once the lease has recorded the skip.
   * @throws SessionEnded
   */
  async consume(): Promise<boolean> {
    if (!this.#isWanted) return false
    this.#isWanted = false
    const { lease, patience, log } = this.#parts
    if (!(await patience.read(() => Lease.useSkip(lease)))) return false
    log.warn("a message is skipped, as the operator asked")
    BridgeLog.append(lease.bridgeId, "warn", "a message is skipped: its sender is asked to send it again")
    return true
  }
}
