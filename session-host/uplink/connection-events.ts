import type { Commits } from "../memory/commits.ts"
import type { UnitWrite } from "../memory/packing.ts"
import type { EventOutbox } from "../receive/outbox.ts"
import type { SessionStore, Stored } from "../memory/rows.ts"
import { type At, connected, disconnected, type Why } from "../receive/map/connection.ts"
import type { Logger } from "#core/platform/log.ts"
import { SessionEnded } from "../session/session-ended.ts"

/** No record means `disconnected`. */
type Told = "connected" | "disconnected"

/** The key of its row. */
export const toldRow = "TOLD"

interface Options {
  store: SessionStore
  outbox: Pick<EventOutbox, "append">
  commits: Pick<Commits, "whenKept">
  goneMs: number
  /** It has connected as this number. */
  onOpened: (phone: string) => void
  log: Logger
}

/**
 * Tells the customer whether the session is connected. The last thing told is durable, so a restart or a hand-over
 * tells nothing: `connected` comes after pairing and after every `disconnected` (Contract, "Connection events").
 */
export class ConnectionEvents {
  readonly #options: Options
  #told: Told
  /** The last known reason why there is no connection. */
  #why: Why = {}
  #timer: NodeJS.Timeout | undefined

  constructor(options: Options, told: Told) {
    this.#options = options
    this.#told = told
  }

  opened(at: At, phone: string): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#options.onOpened(phone)
    if (this.#told === "connected") return
    this.#tell("connected", [connected(at, phone)]).catch(this.#ended)
  }

  /** There is no connection now. If that lasts, the customer is told, with the last known reason. */
  gone(at: At, objection?: Why["objection"]): void {
    this.#why = { objection }
    if (this.#told === "disconnected" || this.#timer) return
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.#tell("disconnected", [disconnected(at, this.#why)]).catch(this.#ended)
    }, this.#options.goneMs)
  }

  /** It will not reconnect by itself. `writes` become durable together with the event. @throws SessionEnded */
  async over(at: At, why: Why, writes: UnitWrite[] = []): Promise<void> {
    this.end()
    await this.#tell("disconnected", [disconnected(at, why)], writes)
  }

  end(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  async #tell(told: Told, mapped: ReturnType<typeof connected>[], writes: UnitWrite[] = []): Promise<void> {
    const { store, outbox, commits } = this.#options
    this.#told = told
    await commits.whenKept(await outbox.append(() => mapped, [...writes, store.put(toldRow, told)]))
  }

  readonly #ended = (error: unknown): void => {
    // The next owner reads what was told, and tells what is new.
    if (!(error instanceof SessionEnded)) this.#options.log.error({ error }, "an event was not appended")
  }
}

/** The last status that the customer was told. */
export function toldIn(stored: Stored | undefined): Told {
  return stored?.secret.toString() === "connected" ? "connected" : "disconnected"
}
