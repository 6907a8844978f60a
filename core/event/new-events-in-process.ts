import { EventEmitter } from "node:events"

/** How long a delivery waits for another event, in milliseconds. Traffic of four events a second is then one delivery. */
export const staysMs = 250

/** Emits, under the bridge's id, the number of an event that was appended. */
const told = new EventEmitter<Record<string, [number]>>().setMaxListeners(0)
let isTold = false

/**
 * Says that this process is told of each appended event (`tell`), which requires the store to live in it.
 * @returns a function that undoes it.
 */
export function listen(): () => void {
  isTold = true
  return () => {
    isTold = false
  }
}

/**
 * An event was appended: the deliverer of its bridge need not wait for a doorbell. @returns whether one is at work in
 * this process
 */
export function tell(bridgeId: string, n: number): boolean {
  return told.emit(bridgeId, n)
}

/** The events of a bridge that are appended while it is being delivered or watched. */
export class NewEvents {
  readonly #bridgeId: string
  #newest = 0
  #noticed = 0
  #wake = () => {}

  constructor(bridgeId: string) {
    this.#bridgeId = bridgeId
    told.on(bridgeId, this.#note)
  }

  /**
   * The number of the newest known event. If it is not after `head`, this waits a quarter of a second for another. If
   * none is known there may still be one: only the store knows.
   */
  async after(head: number): Promise<number> {
    if (isTold && this.#newest <= head) await this.#news(staysMs)
    return this.#newest
  }

  /** Waits for an event since the last call of this, but no longer than `ms`, and not beyond `signal`. */
  async next(ms: number, signal: AbortSignal): Promise<void> {
    if (this.#newest === this.#noticed) await this.#news(ms, signal)
    this.#noticed = this.#newest
  }

  end(): void {
    told.off(this.#bridgeId, this.#note)
  }

  async #news(ms: number, signal?: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, ms)
    const stop = () => resolve()
    signal?.addEventListener("abort", stop)
    this.#wake = resolve
    await promise
    clearTimeout(timer)
    signal?.removeEventListener("abort", stop)
  }

  readonly #note = (n: number): void => {
    this.#newest = Math.max(this.#newest, n)
    this.#wake()
  }
}
