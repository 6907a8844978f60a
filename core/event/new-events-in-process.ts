import { EventEmitter } from "node:events"
import { type Item, toRow } from "../store/dynamodb-json.ts"
import type { Key } from "../store/store.ts"
import { Delivery } from "./delivery-progress.ts"
import { EventRow } from "./row.ts"
import { bridgeIdOf } from "../store/tables.ts"

/** How long a delivery waits for another event, in ms. Traffic of four events a second is then one delivery. */
export const staysMs = 250

/** A row that was written: an event, with its number, or how far the delivery has come. */
type Told = { n: number; event: Item } | { delivery: Item }

/** Emits under the bridge's id. */
const told = new EventEmitter<Record<string, [Told]>>().setMaxListeners(0)
/** Undefined where nobody tells. */
let waitsMs: number | undefined

/**
 * Says that this process is told of each row of the events table that is written (`tell`). That requires the store to
 * live in it. Deliveries wait for so long from now on.
 * @returns a function that undoes it.
 */
export function listen(forMs = staysMs): () => void {
  waitsMs = forMs
  return () => {
    waitsMs = undefined
  }
}

/**
 * A row of the events table was written. If it is an event, its bridge's deliverer need not wait for a doorbell, nor
 * read it.
 * @returns whether it is an event that somebody at work in this process was told of
 */
export function tell(item: Item): boolean {
  const { pk, sk } = toRow({ pk: item.pk!, sk: item.sk! }) as Key
  const event = EventRow.atKey({ pk, sk })
  if (event) return told.emit(event.bridgeId, { n: event.n, event: item })
  if (sk === Delivery.sortKey) told.emit(bridgeIdOf(pk), { delivery: item })
  return false
}

/** The events of a bridge that are appended while it is being delivered or watched. */
export class NewEvents {
  readonly #bridgeId: string
  readonly #keepsRows: boolean
  #newest = 0
  #noticed = 0
  #event: Item | undefined
  #delivery: Item | undefined
  #wake = () => {}

  /** @param keepsRows whether `justTold` will be asked */
  constructor(bridgeId: string, { keepsRows = false } = {}) {
    this.#bridgeId = bridgeId
    this.#keepsRows = keepsRows
    told.on(bridgeId, this.#note)
  }

  /**
   * The number of the newest known event. If it is not after `head`, this waits a quarter of a second for another. If
   * none is known there may still be one: only the store knows.
   */
  async after(head: number): Promise<number> {
    if (waitsMs !== undefined && this.#newest <= head) await this.#news(waitsMs)
    return this.#newest
  }

  /**
   * The event after `head`, if it is the newest one that was told, and how far the delivery has come. They are what
   * reading both rows now would find.
   */
  justTold(head: number): { event: EventRow.Info; delivery: Delivery.Info } | undefined {
    if (waitsMs === undefined || this.#newest !== head + 1 || !this.#event || !this.#delivery)
      return undefined
    return {
      event: EventRow.fromRow(toRow(this.#event)),
      delivery: Delivery.fromRow(toRow(this.#delivery)),
    }
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

  readonly #note = (row: Told): void => {
    if ("delivery" in row) {
      if (this.#keepsRows) this.#delivery = row.delivery
      return
    }
    if (row.n < this.#newest) return
    this.#newest = row.n
    if (this.#keepsRows) this.#event = row.event
    this.#wake()
  }
}
