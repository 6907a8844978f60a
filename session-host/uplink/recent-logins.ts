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
  /** A session that was connected for this long has stayed. */
  stayedMs: number
  /** Retries a write until the store answers. @throws SessionEnded */
  write: <Result>(work: () => Promise<Result>) => Promise<Result>
  /** Recording that the session has stayed failed. */
  onError: (error: unknown) => void
}

/**
 * How often a bridge has recently logged in without staying connected. The lease holds the count, so that
 * neither another host nor a new session starts from zero. Numbers that log in all the time are banned.
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
   * Says in the log that the next dial, which is due in `dueMs`, waits because of these logins, if it does.
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

  /** In whole seconds; 0 if the dial waits for something else. */
  #waitS(dueMs: number): number {
    const isForLogins = this.waitMs > 0 && dueMs < this.waitMs + 1000
    return isForLogins ? Math.ceil(dueMs / 1000) : 0
  }

  /** Logged in. */
  opened(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#stayed(), this.#options.stayedMs)
  }

  closed(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  /** The connection is closed as planned: its login has not failed. */
  closedAsPlanned(): void {
    this.#count = this.unlessPlanned
    this.closed()
  }

  /** The login that was counted last never began: a proxy was in the way. */
  neverBegan(): void {
    this.#count = Math.max(0, this.#count - 1)
  }

  /** Another phone is linked. */
  forget(): void {
    this.#count = 0
  }

  #stayed(): void {
    this.#timer = undefined
    if (this.#count === 0) return
    this.#count = 0
    // If it is not written, the next login waits for a while.
    Lease.resetLogins(this.#options.lease).catch(this.#options.onError)
  }
}
