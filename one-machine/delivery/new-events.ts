import { EventEmitter } from "node:events"
import { z } from "zod"
import { Delivery } from "#core/event/delivery.ts"
import { EventRow } from "#core/event/event-row.ts"
import { type NewEvents, learnNewEventsFrom } from "#core/event/new-events.ts"
import { Receiver } from "#core/event/receiver.ts"
import { type Item, toRow } from "#core/store/dynamodb-json.ts"
import type { Key } from "#core/store/store.ts"

/**
 * How long a delivery waits for another event, in ms. Traffic of four events a second is then one delivery.
 */
export const staysMs = 250

/** A row that was written: an event, with its number, or how far the delivery has come. */
type Written = { n: number; event: Item } | { webhookId: string; delivery: Item }

/** What the first webhook's row says of the others. */
const Named = z.object({ further: z.array(z.string()).default([]) })

/** Emits under the bridge's id. */
const written = new EventEmitter<Record<string, [Written]>>().setMaxListeners(0)

/**
 * Lets deliveries and pages of this process learn of each row of the events table that is written
 * (`noteRow`). Deliveries then wait for `forMs` for another event. The store has to live in this process.
 * @returns a function that undoes it.
 */
export function listenForNewEvents(forMs = staysMs): () => void {
  return learnNewEventsFrom((id) => new WrittenEvents(id, forMs))
}

/**
 * Tells of a row of the events table that was written. If it is an event, its bridge's deliverer need not
 * wait for a doorbell, nor read the event.
 * @returns whether it is an event of which a deliverer or page in this process has learnt
 */
export function noteRow(item: Item): boolean {
  const { pk, sk } = toRow({ pk: item.pk!, sk: item.sk! }) as Key
  const event = EventRow.ofKey({ pk, sk })
  if (event) return written.emit(event.bridgeId, { n: event.n, event: item })
  const id = Receiver.ofKey({ pk, sk })
  if (id) written.emit(id.bridgeId, { webhookId: id.webhookId, delivery: item })
  return false
}

/** The events of a bridge that are appended while it is being delivered or watched. */
class WrittenEvents implements NewEvents {
  readonly #id: Receiver.Id
  readonly #waitsMs: number
  #newest = 0
  #noticed = 0
  #event: Item | undefined
  #delivery: Item | undefined
  #wake = () => {}

  constructor(id: Receiver.Id, waitsMs: number) {
    this.#id = id
    this.#waitsMs = waitsMs
    written.on(id.bridgeId, this.#note)
  }

  /**
   * The newest event that is known. If that is not after `head`, there may still be one: only the store
   * knows.
   */
  async after(head: number): Promise<number> {
    if (this.#newest <= head) await this.#news(this.#waitsMs)
    return this.#newest
  }

  isNewest(n: number): boolean {
    return this.#newest === n
  }

  async justWritten(held: Delivery.Info): Promise<{ event: EventRow.Info; held: Delivery.Info } | undefined> {
    const event = this.#event
    if (this.#newest !== held.head + 1 || !event || !this.#delivery) return undefined
    const now = await Delivery.fromRow(toRow(this.#delivery))
    // The claim may be lost. Or our last write has not been told yet, as in a trial with the store in another
    // process.
    const isOurs = now.holder === held.holder
    const isNewest = now.head === held.head && now.attempts === held.attempts
    return isOurs && isNewest ? { event: EventRow.fromRow(toRow(event)), held: now } : undefined
  }

  async next(ms: number, signal: AbortSignal): Promise<void> {
    if (this.#newest === this.#noticed) await this.#news(ms, signal)
    this.#noticed = this.#newest
  }

  end(): void {
    written.off(this.#id.bridgeId, this.#note)
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

  /** The first webhook's row names all others. */
  #isDeletedIn({ webhookId, delivery }: { webhookId: string; delivery: Item }): boolean {
    if (!Receiver.isFirst({ webhookId })) return false
    return !Named.parse(toRow(delivery)).further.includes(this.#id.webhookId)
  }

  readonly #note = (row: Written): void => {
    if ("delivery" in row) {
      if (row.webhookId === this.#id.webhookId) this.#delivery = row.delivery
      else if (this.#isDeletedIn(row)) this.#delivery = undefined
      return
    }
    if (row.n < this.#newest) return
    this.#newest = row.n
    this.#event = row.event
    this.#wake()
  }
}
