import { setTimeout as sleep } from "node:timers/promises"
import { isDeepStrictEqual } from "node:util"
import type { Status } from "#contract/status-and-objection.ts"
import { Lease } from "#core/lease/lease.ts"
import { now } from "#core/platform/clock.ts"
import type { Logger } from "#core/platform/log.ts"
import type { Timing } from "../timing.ts"

type Times = Pick<Timing, "beatMs" | "provenMs" | "healthyMs" | "usedEachMs">

/** A session's notes about itself in its lease. A write that fails never ends the session. */
export class LeaseNotes {
  readonly #lease: Lease.Info
  readonly #timing: Times
  readonly #log: Logger
  readonly #timers: NodeJS.Timeout[] = []
  #isProven = false
  #isOver = false
  /** The last call of a customer, Unix seconds, and the last such call that was written down. */
  #used: number
  #written: number
  /** The status to write, the status that was written, and whether a write is under way. */
  #reported: Lease.Reported | undefined
  #reportWritten: Lease.Reported | undefined
  #isReporting = false

  constructor(lease: Lease.Info, timing: Times, log: Logger) {
    this.#lease = lease
    this.#timing = timing
    this.#log = log
    this.#used = lease.used
    this.#written = lease.used
    this.#reported = lease.reported
    this.#reportWritten = lease.reported
  }

  /** Starts the notes of a session that runs from now on. */
  start(): void {
    if (this.#isOver) return
    this.#timers.push(
      setTimeout(() => this.#prove(), this.#timing.provenMs),
      setTimeout(() => this.#recover(), this.#timing.healthyMs),
    )
  }

  /** Whether the session has lived for a minute. Until then an unplanned end counts against it. */
  get isProven(): boolean {
    return this.#isProven
  }

  /** Notes that the customer has called. */
  noteUse(): void {
    if (this.#isOver) return
    this.#used = now()
    if ((this.#used - this.#written) * 1000 < this.#timing.usedEachMs) return
    this.#written = this.#used
    void this.#write("used", Lease.reportUse(this.#lease, this.#used))
  }

  /** Notes that the session is restarted. Resolves once this is written, or could not be written. */
  async noteRestart(): Promise<void> {
    await this.#write("restart", Lease.noteRestart(this.#lease))
  }

  /**
   * Notes the session's status, once, and the network's objection to it, if there is one. A status that an
   * earlier session already had keeps its time.
   * @param linkedPhone gives the number of the phone that is linked; if it gives none, the last number stays.
   */
  report(
    status: Status,
    about: Lease.Refusal & Pick<Lease.Reported, "restriction" | "unlinked"> = {},
    linkedPhone: () => Pick<Lease.Reported, "phone" | "phone_hash"> = () => ({}),
  ): void {
    const before: Partial<Lease.Reported> = this.#reported ?? {}
    const { since, phone, phone_hash, ...saidBefore } = before
    const isStill = before.status === status
    const said = {
      ...(isStill && before.unlinked && { unlinked: before.unlinked }),
      ...about,
      status,
      epoch: this.#lease.epoch,
    }
    if (this.#isOver || isDeepStrictEqual(said, saidBefore)) return
    this.#reported = {
      ...said,
      since: (isStill && since) || now(),
      ...(phone && { phone }),
      ...(phone_hash && { phone_hash }),
      ...linkedPhone(),
    }
    void this.#reportLatest()
  }

  /** Whether no customer has called for this long. */
  isUnusedFor(ms: number): boolean {
    return (now() - this.#used) * 1000 >= ms
  }

  end(): void {
    this.#isOver = true
    for (const timer of this.#timers) clearTimeout(timer)
  }

  /** Writes one status at a time, skipping all but the latest. A failed write is tried again. */
  async #reportLatest(): Promise<void> {
    if (this.#isReporting) return
    this.#isReporting = true
    while (this.#reported && this.#reported !== this.#reportWritten && !this.#isOver) {
      const reported = this.#reported
      try {
        const isOtherPhone = reported.phone_hash !== this.#reportWritten?.phone_hash
        await Lease.reportStatus(this.#lease, reported, isOtherPhone)
        this.#reportWritten = reported
      } catch (error) {
        this.#log.warn({ error, what: "reported" }, "a note in the lease was not written")
        await sleep(this.#timing.beatMs, undefined, { ref: false })
      }
    }
    this.#isReporting = false
  }

  /** Having received messages proves nothing: a session that kills its host may receive some first. */
  #prove(): void {
    this.#isProven = true
    // Unless this is written, the bridge looks as if it had killed its host when the host dies.
    void this.#insist("proven", () => Lease.noteProven(this.#lease))
  }

  #recover(): void {
    if (this.#lease.failCount > 0) void this.#insist("healthy", () => Lease.noteHealthy(this.#lease))
  }

  /** Repeats a failed write with each beat, for as long as the session lives. */
  async #insist(what: string, write: () => Promise<void>): Promise<void> {
    while (!this.#isOver) {
      try {
        return await write()
      } catch (error) {
        this.#log.warn({ error, what }, "a note in the lease was not written")
        await sleep(this.#timing.beatMs, undefined, { ref: false })
      }
    }
  }

  async #write(what: string, written: Promise<void>): Promise<void> {
    await written.catch((error: unknown) =>
      this.#log.warn({ error, what }, "a note in the lease was not written"),
    )
  }
}
