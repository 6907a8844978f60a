import { setTimeout as sleep } from "node:timers/promises"
import { now } from "#core/clock.ts"
import type { Status } from "#core/contract/session.ts"
import { Lease } from "#core/lease.ts"
import type { Logger } from "./log.ts"
import type { Timing } from "./timing.ts"

type Times = Pick<Timing, "beatMs" | "provenMs" | "healthyMs" | "usedEachMs">

/** What a session writes about itself into its lease. None of it is worth ending for when it cannot be written. */
export class LeaseNotes {
  readonly #lease: Lease.Info
  readonly #timing: Times
  readonly #log: Logger
  readonly #timers: NodeJS.Timeout[] = []
  #isProven = false
  #isOver = false
  /** The last call of a customer, Unix seconds; and the last one that was written down. */
  #used: number
  #written: number
  /** What is to be told of the session, what has been, and whether that is under way. */
  #told: Lease.Told | undefined
  #toldWritten: Lease.Told | undefined
  #isTelling = false

  constructor(lease: Lease.Info, timing: Times, log: Logger) {
    this.#lease = lease
    this.#timing = timing
    this.#log = log
    this.#used = lease.used
    this.#written = lease.used
    this.#told = lease.told
    this.#toldWritten = lease.told
  }

  /** The session runs from now on. */
  start(): void {
    if (this.#isOver) return
    this.#timers.push(
      setTimeout(() => this.#prove(), this.#timing.provenMs),
      setTimeout(() => this.#recover(), this.#timing.healthyMs),
    )
  }

  /** Whether it has lived for a minute: until then an unplanned end counts against it. */
  get isProven(): boolean {
    return this.#isProven
  }

  /** A customer has called. */
  use(): void {
    if (this.#isOver) return
    this.#used = now()
    if ((this.#used - this.#written) * 1000 < this.#timing.usedEachMs) return
    this.#written = this.#used
    this.#write("used", Lease.usedAt(this.#lease, this.#used))
  }

  /** The session is so now: said once. What an earlier session said last is so since then. */
  tell(status: Status): void {
    const { epoch } = this.#lease
    const before = this.#told
    if (this.#isOver || (before?.status === status && before.epoch === epoch)) return
    this.#told = { status, epoch, since: before?.status === status ? before.since : now() }
    void this.#tellAll()
  }

  /** Whether no customer has called for so long. */
  isUnusedFor(ms: number): boolean {
    return (now() - this.#used) * 1000 >= ms
  }

  end(): void {
    this.#isOver = true
    for (const timer of this.#timers) clearTimeout(timer)
  }

  /** One at a time, the latest in place of those before; what could not be written is tried again. */
  async #tellAll(): Promise<void> {
    if (this.#isTelling) return
    this.#isTelling = true
    while (this.#told && this.#told !== this.#toldWritten && !this.#isOver) {
      const told = this.#told
      try {
        await Lease.tell(this.#lease, told)
        this.#toldWritten = told
      } catch (error) {
        this.#log.warn({ error, what: "told" }, "not noted in the lease")
        await sleep(this.#timing.beatMs, undefined, { ref: false })
      }
    }
    this.#isTelling = false
  }

  /** Messages that it took in prove nothing: who takes its host along may take some in before. */
  #prove(): void {
    this.#isProven = true
    // Unwritten it only counts one end too many.
    this.#write("proven", Lease.proven(this.#lease))
  }

  #recover(): void {
    if (this.#lease.failCount > 0) this.#write("healthy", Lease.healthy(this.#lease))
  }

  #write(what: string, written: Promise<void>): void {
    written.catch((error: unknown) => this.#log.warn({ error, what }, "not noted in the lease"))
  }
}
