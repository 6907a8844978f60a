import { nowMs } from "#core/platform/clock.ts"
import { Lease } from "#core/lease/lease.ts"
import { Fenced } from "../session/session-ended.ts"

interface Options {
  lease: Lease.Info
  /** A session that was connected for this long has stayed. */
  stayedMs: number
  /** Retries a write until the store answers. @throws SessionEnded */
  write: <Result>(work: () => Promise<Result>) => Promise<Result>
  /** Recording that the session has stayed failed. */
  onError: (error: unknown) => void
}

/**
 * How often a bridge has recently logged in without staying connected. The lease holds the count, so that neither
 * another host nor a new session starts from zero. Numbers that log in all the time are banned.
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
    return Math.max(0, Lease.loginAgainAt({ logins: this.#count, loginAt: this.#at }) * 1000 - nowMs())
  }

  /** The count to give the lease back with after a planned end, which says nothing about the last login. */
  get unlessPlanned(): number {
    return this.#timer ? Math.max(0, this.#count - 1) : this.#count
  }

  /** Counts a login, which may begin once this resolves. @throws SessionEnded */
  async begin(): Promise<void> {
    const { lease, write } = this.#options
    const isOurs = await write(() => Lease.login(lease, this.#count + 1))
    if (!isOurs) throw new Fenced()
    this.#count++
    this.#at = nowMs() / 1000
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

  /** Another phone is linked. */
  forget(): void {
    this.#count = 0
  }

  #stayed(): void {
    this.#timer = undefined
    if (this.#count === 0) return
    this.#count = 0
    // If it is not written, the next login waits for a while.
    Lease.stayed(this.#options.lease).catch(this.#options.onError)
  }
}
