import type { Host } from "#core/lease/host.ts"
import type { Logger } from "#core/platform/log.ts"

interface Options {
  beatMs: number
  log: Logger
  beat: () => Promise<Host.State>
  onState: (state: Host.State) => void
  /** Called when no beat was answered for so long that the sockets must be closed. */
  onSilent: () => void
  /** Called when a beat was answered: the first one, or the first after a silence or a standstill. */
  onHeard: () => void
  /**
   * Called when the process stood still for a while, so that its view of its leases may be out of date.
   * Rejects if that view cannot be refreshed.
   */
  onStoodStill: () => Promise<void>
}

/**
 * A host's sign of life, and what the host may do because of it. Times are counted from the moment when the
 * last answered beat was *sent*.
 */
export class Heartbeat {
  readonly #options: Options
  #timer: NodeJS.Timeout | undefined
  #watch: NodeJS.Timeout | undefined
  #answeredAt = -Infinity
  #lookedAt = performance.now()
  /** Until its first beat is answered, other processes do not know this host. */
  #silent = true
  #stoodStill = false
  #dead = false
  readonly #underWay = new Set<Promise<void>>()

  constructor(options: Options) {
    this.#options = options
  }

  /** Whether no other process can have declared this host dead yet. */
  get isTrusted(): boolean {
    return !this.#dead && !this.#stoodStill && this.#silentFor() < 2 * this.#options.beatMs
  }

  get mayConnect(): boolean {
    return !this.#dead && !this.#stoodStill && this.#silentFor() < 3 * this.#options.beatMs
  }

  get isDead(): boolean {
    return this.#dead
  }

  /** Beats once, then regularly. @throws if the first beat fails */
  async start(): Promise<void> {
    const { beatMs } = this.#options
    await this.#beat()
    this.#lookedAt = performance.now()
    this.#timer = setInterval(() => void this.#beatAgain(), beatMs)
    this.#watch = setInterval(() => this.#noticeSilence(), beatMs / 5)
  }

  /**
   * Resolves when no beat is under way: a beat that came after the removal of its host's row would create the
   * row again.
   */
  async stop(): Promise<void> {
    clearInterval(this.#timer)
    clearInterval(this.#watch)
    await Promise.allSettled(this.#underWay)
  }

  async #beatAgain(): Promise<void> {
    // A hanging beat must not keep the next one from trying, but more than three at a time are of no use.
    if (this.#underWay.size >= 3) return
    const beat = this.#beat()
    this.#underWay.add(beat)
    try {
      await beat
    } catch (error) {
      this.#options.log.warn({ error }, "a beat was not answered")
    } finally {
      this.#underWay.delete(beat)
    }
  }

  async #beat(): Promise<void> {
    const sentAt = performance.now()
    const state = await this.#options.beat()
    // Notices a silence that `#look` has not seen before the beat ends it, so that sessions that were refused
    // meanwhile dial again.
    this.#noticeSilence()
    this.#answeredAt = Math.max(this.#answeredAt, sentAt)
    if (state === "dead") this.#dead = true
    this.#options.onState(state)
    this.#noticeSilence()
  }

  #noticeSilence(): void {
    const now = performance.now()
    const stoodStill = now - this.#lookedAt > this.#options.beatMs
    this.#lookedAt = now
    if (this.#dead) return
    if (stoodStill && !this.#stoodStill) void this.#readLeases()
    const silent = this.#silentFor() >= 3 * this.#options.beatMs
    if (silent && !this.#silent) this.#options.onSilent()
    if (!silent && this.#silent) this.#options.onHeard()
    this.#silent = silent
  }

  async #readLeases(): Promise<void> {
    this.#stoodStill = true
    this.#options.log.warn("this process stood still: reading the leases first")
    try {
      await this.#options.onStoodStill()
    } catch (error) {
      // A store that does not return the leases answers no beats either, and the beats decide.
      this.#options.log.warn({ error }, "the leases could not be read")
    }
    this.#stoodStill = false
    this.#options.onHeard()
  }

  #silentFor(): number {
    return performance.now() - this.#answeredAt
  }
}
