import { type ApiError, sessionUnavailable } from "#core/error.ts"
import { Lease } from "#core/lease/lease.ts"
import { nowMs } from "#core/platform/clock.ts"
import { Fenced } from "../memory/session-ended.ts"
import type { Say } from "../say-in-log.ts"

const tooOften = "its last five logins or more did not last, and numbers that keep logging in may be banned"

interface Options {
  lease: Lease.Info
  /** Whether a phone is linked: without one there is no login. */
  isPaired: () => boolean
  say: Say
  /** A session that was connected for this long counts as having stayed, in ms. */
  stayedMs: number
  /** Retries a write until the store answers. @throws SessionEnded */
  write: <Result>(work: () => Promise<Result>) => Promise<Result>
  /** Called when the write failed that records that the session has stayed. */
  onError: (error: unknown) => void
}

/**
 * How often a bridge has recently logged in without staying connected. The lease holds the count, so that
 * neither another host nor a new session starts from zero. The network bans numbers that log in all the time.
 */
export class RecentLogins {
  readonly #options: Options
  #count: number
  #at: number
  #timer: NodeJS.Timeout | undefined

  constructor(options: Options) {
    this.#options = options
    this.#count = options.lease.logins
    this.#at = options.lease.loginAt
  }

  /** How long the next login must wait, in ms. */
  get waitMs(): number {
    if (!this.#options.isPaired()) return 0
    return Math.max(0, Lease.loginAgainAt({ logins: this.#count, loginAt: this.#at }) * 1000 - nowMs())
  }

  /** The count to give the lease back with after a planned end, which says nothing about the last login. */
  get unlessPlanned(): number {
    return this.#timer ? Math.max(0, this.#count - 1) : this.#count
  }

  /** Counts a login, which may begin once this resolves. @throws SessionEnded */
  async begin(): Promise<void> {
    const { lease, write } = this.#options
    const isOurs = await write(() => Lease.countLogin(lease, this.#count + 1))
    if (!isOurs) throw new Fenced()
    this.#count++
    this.#at = nowMs() / 1000
  }

  /**
   * Logs that the next dial, which is due in `dueMs`, waits because of these logins, if that is the reason.
   */
  noteWait(dueMs: number): void {
    const waitS = this.#waitS(dueMs)
    if (waitS > 0) this.#options.say("warn", `the session waits ${waitS} s before it logs in: ${tooOften}`)
  }

  /**
   * The answer to a call that would have to wait for that dial; undefined if the dial waits for something
   * else.
   */
  refusal(dueMs: number): ApiError | undefined {
    const waitS = this.#waitS(dueMs)
    if (waitS === 0) return undefined
    return sessionUnavailable(
      `the session logs in again in ${waitS} s, since ${tooOften}: try again then`,
      waitS,
    )
  }

  /** The wait in whole seconds; 0 if the dial waits for something else. */
  #waitS(dueMs: number): number {
    const isForLogins = this.waitMs > 0 && dueMs < this.waitMs + 1000
    return isForLogins ? Math.ceil(dueMs / 1000) : 0
  }

  /** The session has logged in. */
  opened(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#stayed(), this.#options.stayedMs)
  }

  closed(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  /** The connection was closed as planned, so its login does not count as failed. */
  closedAsPlanned(): void {
    this.#count = this.unlessPlanned
    this.closed()
  }

  /** The login that was counted last never began: the proxy did not let the connection through. */
  neverBegan(): void {
    this.#count = Math.max(0, this.#count - 1)
  }

  /** Another phone is linked, so the earlier logins do not count. */
  forget(): void {
    this.#count = 0
  }

  #stayed(): void {
    this.#timer = undefined
    if (this.#count === 0) return
    this.#count = 0
    // If this write fails, the next login only waits for a while.
    Lease.resetLogins(this.#options.lease).catch(this.#options.onError)
  }
}
