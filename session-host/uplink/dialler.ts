import type { Proxy } from "#core/fetch/proxy-tunnel.ts"
import type { Logger } from "#core/platform/log.ts"
import { sessionScope } from "../concurrency/session-scope.ts"
import type { Connection, Intake, Vault } from "../network/connection.ts"
import type { End, Happening } from "../network/happening.ts"
import { Backoff } from "./backoff.ts"

/** The longest wait for a temporary ban, in ms: the ban may be lifted early. */
const banMostMs = 24 * 3600 * 1000

/** Dials the network. Everything that follows arrives through `onHappening`. */
export type Connect = (input: {
  vault: Vault
  intake: Intake
  proxy: Proxy | undefined
  /** How long the network may take over the acknowledgement of a message. */
  ackMs: number
  /** How long the network may be silent before the connection counts as dead. */
  deadMs: number
  log: Logger
  onHappening: (happening: Happening) => void
}) => Connection

interface Options {
  connect: Connect
  ackMs: number
  deadMs: number
  log: Logger
  /** Whether a connection is wanted and allowed now. */
  mayDial: () => boolean
  /**
   * Ensures what must hold before a dial: the store answers, the lease is ours, and the last connection's
   * writes are durable.
   */
  prepare: () => Promise<{ vault: Vault; intake: Intake; proxy: Proxy | undefined }>
  /** How much longer the session must not dial, in ms, even if the last connection would allow it. */
  waitMs: () => number
  onHappening: (happening: Happening) => void
  /** Preparing failed, or a living connection threw an error that was not caught. */
  onError: (error: unknown) => void
}

/** The connections of a session: one at a time, each with a number. */
export class Dialler {
  readonly #options: Options
  readonly #backoff = new Backoff()
  #connection: Connection | undefined
  #dialled = 0
  #dialling = false
  #timer: NodeJS.Timeout | undefined
  /** Until when the network refuses logins (a temporary ban), in milliseconds on the monotonic clock. */
  #bannedUntil = -Infinity
  /** When a postponed dial is due, on the same clock. */
  #dueAt = 0

  constructor(options: Options) {
    this.#options = options
  }

  get connection(): Connection | undefined {
    return this.#connection
  }

  /** The number of the last connection. */
  get dialled(): number {
    return this.#dialled
  }

  /** Connects, if that is wanted and there is no connection. */
  dial(): void {
    if (this.#connection || this.#dialling || !this.#options.mayDial()) return
    clearTimeout(this.#timer)
    const waitMs = Math.max(this.#bannedUntil - performance.now(), this.#options.waitMs())
    if (waitMs > 0) return this.#later(waitMs)
    this.#dueAt = 0
    this.#dialling = true
    this.#dial()
      .catch(this.#options.onError)
      .finally(() => (this.#dialling = false))
  }

  /**
   * Reconnects after a connection that ended like this, when its back-off is over.
   * @returns the wait in milliseconds.
   */
  dialAgain({ reason, refusedForMs = 0 }: Pick<End, "reason" | "refusedForMs">): number {
    const asked = reason === "restart" || reason === "refs_ended"
    const decentMs = asked ? this.#backoff.onceAtOnce() : this.#backoff.next()
    const bannedMs = Math.min(refusedForMs, banMostMs)
    this.#bannedUntil = performance.now() + bannedMs
    const waitMs = Math.max(decentMs, bannedMs, this.#options.waitMs())
    this.#later(waitMs)
    return waitMs
  }

  /**
   * Forgets a temporary ban: the customer has asked to dial all the same, or another number is to be linked.
   */
  forgetBan(): void {
    this.#bannedUntil = -Infinity
  }

  /**
   * How long the wait before the next dial still lasts, in ms; 0 during a dial, and while there is a
   * connection.
   */
  get waitsMs(): number {
    return Math.max(0, this.#dueAt - performance.now())
  }

  #later(ms: number): void {
    clearTimeout(this.#timer)
    this.#dueAt = performance.now() + ms
    this.#timer = setTimeout(() => this.dial(), Math.ceil(ms))
  }

  /** The connection has logged in. */
  opened(): void {
    this.forgetBan()
    this.#backoff.opened()
  }

  /** Closes the socket before this returns. Nothing more is heard from the connection. */
  hangUp(): void {
    clearTimeout(this.#timer)
    this.#dueAt = 0
    this.#backoff.closed()
    const connection = this.#connection
    this.#connection = undefined
    connection?.close()
  }

  async #dial(): Promise<void> {
    const { connect, ackMs, deadMs, log, mayDial, prepare, onHappening, onError } = this.#options
    const { vault, intake, proxy } = await prepare()
    if (!mayDial()) return
    const number = ++this.#dialled
    const isOver = () => !this.#connection || number !== this.#dialled
    const fail = (error: unknown) => {
      if (!isOver()) return onError(error)
      log.info({ error }, "a connection threw an error after its end")
    }
    this.#connection = sessionScope.run({ fail }, () =>
      connect({
        vault,
        intake,
        proxy,
        ackMs,
        deadMs,
        log,
        onHappening: (happening) => {
          if (!isOver()) onHappening(happening)
        },
      }),
    )
  }
}
