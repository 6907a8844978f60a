import { BridgeLog } from "#core/bridge-log.ts"
import { Lease } from "#core/lease.ts"
import type { Logger } from "../log.ts"
import type { Patience } from "./patience.ts"

interface Input {
  lease: Lease.Info
  patience: Patience
  log: Logger
}

/** What an operator wants of a session that something at its head brings down again and again (`bridge skip`). */
export class Skip {
  readonly #input: Input
  #isWanted: boolean

  constructor(input: Input) {
    this.#input = input
    this.#isWanted = input.lease.skip === true
  }

  /** Whether the message at hand is to be skipped: true once, and never again once the lease says so. @throws SessionEnded */
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
