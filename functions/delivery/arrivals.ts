import { EventEmitter } from "node:events"

/** So long a delivery stays when nothing waits any more, in milliseconds: traffic of four events a second is one visit. */
const staysMs = 250

/** By the bridge's id: the number of an event that was appended. */
const told = new EventEmitter<Record<string, [number]>>().setMaxListeners(0)
let isTold = false

/**
 * From now on this process is told of each event that is appended (`tell`), as it can be where the store lives in it.
 * @returns what ends that.
 */
export function listen(): () => void {
  isTold = true
  return () => {
    isTold = false
  }
}

/** An event was appended: whoever delivers its bridge need not wait for a doorbell. */
export function tell(bridgeId: string, n: number): void {
  told.emit(bridgeId, n)
}

/** The events of a bridge that are appended while it is being delivered. */
export class Arrivals {
  readonly #bridgeId: string
  #newest = 0
  #wake = () => {}

  constructor(bridgeId: string) {
    this.#bridgeId = bridgeId
    told.on(bridgeId, this.#note)
  }

  /**
   * The number of the newest event, as far as it is known; if none after `head` is, that takes a quarter of a second. Where
   * none is known there may be one: only the store knows.
   */
  async after(head: number): Promise<number> {
    if (isTold && this.#newest <= head) await this.#news()
    return this.#newest
  }

  end(): void {
    told.off(this.#bridgeId, this.#note)
  }

  async #news(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, staysMs)
    this.#wake = resolve
    await promise
    clearTimeout(timer)
  }

  readonly #note = (n: number): void => {
    this.#newest = Math.max(this.#newest, n)
    this.#wake()
  }
}
