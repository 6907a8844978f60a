import { BridgeLog } from "#core/bridge/bridge-log.ts"
import { Lease } from "#core/lease/lease.ts"
import type { Logger } from "#core/platform/log.ts"
import type { Patience } from "../memory/patience.ts"

interface Input {
  lease: Lease.Info
  patience: Patience
  log: Logger
}

/**
 * An operator's request (`bridge skip`) to skip the message at the head of a session, because it brings the session down
 * again and again.
 */
export class OperatorSkip {
  readonly #input: Input
  #isWanted: boolean

  constructor(input: Input) {
    this.#input = input
    this.#isWanted = input.lease.skip === true
  }

  get isWanted(): boolean {
    return this.#isWanted
  }

  /**
   * Whether to skip the message at hand: true once, and never again once the lease has recorded it. @throws
   * SessionEnded
   */
  async take(): Promise<boolean> {
    if (!this.#isWanted) return false
    this.#isWanted = false
    const { lease, patience, log } = this.#input
    if (!(await patience.read(() => Lease.skipped(lease)))) return false
    log.warn("a message is skipped, as the operator asked")
    BridgeLog.append(lease.bridgeId, "warn", "a message is skipped: its sender is asked to send it again")
    return true
  }
}
