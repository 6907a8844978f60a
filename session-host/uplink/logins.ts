import { nowMs } from "#core/clock.ts"
import { Lease } from "#core/lease.ts"
import { Fenced } from "../session-ended.ts"

interface Options {
  lease: Lease.Info
  /** A session that was connected for this long has stayed. */
  stayedMs: number
  /** Writes once the store answers. @throws SessionEnded */
  write: <Result>(work: () => Promise<Result>) => Promise<Result>
  /** It was not written that the session has stayed. */
  onError: (error: unknown) => void
}

/**
 * How often a bridge has logged in lately without staying connected: it stands in the lease, so that neither another host
 * nor a new session begins anew. Numbers that log in all the time are banned.
 */
export class Logins {
  readonly #options: Options
  #count: number
  #at: number
  #timer: NodeJS.Timeout | undefined

  constructor(options: Options) {
    this.#options = options
    this.#count = options.lease.logins
    this.#at = options.lease.loginAt
  }

  /** How long the next login has to wait, ms. */
  get waitMs(): number {
    return Math.max(0, Lease.loginAgainAt({ logins: this.#count, loginAt: this.#at }) * 1000 - nowMs())
  }

  /** The count to give the lease back with, after an end that was planned: it says nothing of the last login. */
  get unlessPlanned(): number {
    return this.#timer ? Math.max(0, this.#count - 1) : this.#count
  }

  /** A login begins when this resolves: it is counted already. @throws SessionEnded */
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
    // Unwritten, the next login waits for a while.
    Lease.stayed(this.#options.lease).catch(this.#options.onError)
  }
}
