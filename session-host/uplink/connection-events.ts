import { BridgesOfPhone } from "#core/bridge/bridges-of-phone.ts"
import type { Logger } from "#core/platform/log.ts"
import {
  type OccurrenceNumbers,
  connectedEvent,
  disconnectedEvent,
  type WhyDisconnected,
} from "../content/connection.ts"
import type { Commits } from "../memory/commits.ts"
import type { UnitWrite } from "../memory/next-batch.ts"
import type { SessionStore, Stored } from "../memory/rows.ts"
import { SessionEnded } from "../memory/session-ended.ts"
import type { EventOutbox } from "../receive/outbox.ts"
import type { Timing } from "../timing.ts"

/** What was reported last. Without a record, that is `disconnected`. */
type Reported = "connected" | "disconnected"

/** The key of its row. */
export const reportedRow = "REPORTED"

interface ConnectionEventsParts {
  store: SessionStore
  outbox: Pick<EventOutbox, "append">
  commits: Pick<Commits, "whenKept">
  bridgeId: string
  timing: Pick<Timing, "goneMs">
  log: Logger
}

/**
 * Reports to the customer whether the session is connected. The last report is durable, so a restart or a
 * hand-over reports nothing. `connected` comes after pairing and after every `disconnected`
 * (Contract, "Connection events").
 */
export class ConnectionEvents {
  readonly #parts: ConnectionEventsParts
  #reported: Reported
  /** The last known reason why there is no connection. */
  #why: WhyDisconnected = {}
  #timer: NodeJS.Timeout | undefined

  /** @param row that of `reportedRow`, if there is one. */
  constructor(parts: ConnectionEventsParts, row: Stored | undefined) {
    this.#parts = parts
    this.#reported = row?.secret.toString() === "connected" ? "connected" : "disconnected"
  }

  opened(at: OccurrenceNumbers, phone: string): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#noteLinked(phone)
    if (this.#reported === "connected") return
    this.#report("connected", [connectedEvent(at, phone)]).catch(this.#ended)
  }

  /**
   * There is no connection now. If this lasts, it is reported with the last known reason. The loss of a dead
   * connection (`unanswered`) is reported at once: that connection has been gone for minutes.
   */
  gone(at: OccurrenceNumbers, objection?: WhyDisconnected["objection"]): void {
    this.#why = { objection }
    if (this.#reported === "disconnected" || this.#timer) return
    const report = () => {
      this.#timer = undefined
      this.#report("disconnected", [disconnectedEvent(at, this.#why)]).catch(this.#ended)
    }
    if (objection === "unanswered") report()
    else this.#timer = setTimeout(report, this.#parts.timing.goneMs)
  }

  /**
   * The session will not reconnect by itself. `writes` become durable together with the event.
   * @throws SessionEnded
   */
  async over(at: OccurrenceNumbers, why: WhyDisconnected, writes: UnitWrite[] = []): Promise<void> {
    this.end()
    await this.#report("disconnected", [disconnectedEvent(at, why)], writes)
  }

  end(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  /**
   * Notes the linked phone number, so that operators can find its bridge. If the write fails, the next
   * connection writes it again.
   */
  #noteLinked(phone: string): void {
    const { bridgeId, log } = this.#parts
    BridgesOfPhone.note(bridgeId, phone).catch((error: unknown) =>
      log.warn({ error }, "the linked phone was not noted"),
    )
  }

  async #report(
    reported: Reported,
    mapped: ReturnType<typeof connectedEvent>[],
    writes: UnitWrite[] = [],
  ): Promise<void> {
    const { store, outbox, commits } = this.#parts
    this.#reported = reported
    await commits.whenKept(await outbox.append(() => mapped, [...writes, store.put(reportedRow, reported)]))
  }

  readonly #ended = (error: unknown): void => {
    // The bridge's next holder reads what was reported, and reports what is new.
    if (!(error instanceof SessionEnded)) this.#parts.log.error({ error }, "an event was not appended")
  }
}
