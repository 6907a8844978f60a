import { LRUCache } from "lru-cache"
import { Bell } from "#core/event/bell.ts"
import { ringUnlessDue } from "#core/event/bell.ts"
import { EventRow } from "#core/event/event-row.ts"
import { type Item, toRow } from "#core/store/dynamodb-json.ts"
import type { Key } from "#core/store/store.ts"

/** How many bridges have a bell that is kept. Any other bridge gets a new bell, which looks at once. */
const most = 10_000

/**
 * Rings for events as the store in this process writes them: session hosts need not (`leaveRingingToOthers`).
 */
export class Bells {
  #isEnded = false
  readonly #bells = new LRUCache<string, Bell>({ max: most })

  /** A row of the events table was written. */
  ringForRow({ pk, sk }: Item): void {
    const event = EventRow.ofKey(toRow({ pk: pk!, sk: sk! }) as Key)
    if (!event || this.#isEnded) return
    const bell = this.#bells.get(event.bridgeId) ?? new Bell(event.bridgeId, ringUnlessDue)
    this.#bells.set(event.bridgeId, bell)
    bell.want()
  }

  /** Ends all bells. The next start rings for what waits. */
  end(): void {
    this.#isEnded = true
    for (const bell of this.#bells.values()) bell.end()
  }
}
