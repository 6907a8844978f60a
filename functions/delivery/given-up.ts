import { EventLists } from "#core/event/event-lists.ts"
import { EventRow } from "#core/event/event-row.ts"
import type { Receiver } from "#core/event/receiver.ts"
import { now } from "#core/platform/clock.ts"

/** The events that a webhook has given up, oldest first, as an invocation takes one after the other. */
export class GivenUp {
  readonly #id: Receiver.Id
  #at = -1
  #pointers: AsyncGenerator<{ n: number }> | undefined

  constructor(id: Receiver.Id) {
    this.#id = id
  }

  /** The first behind event `n` that is still undelivered; undefined if there is none up to `to`. */
  async behind(n: number, to = Infinity): Promise<EventRow.Info | undefined> {
    const isFresh = this.#at !== n || !this.#pointers
    if (isFresh) this.#pointers = EventLists.pointersOn(this.#id, "undelivered", { after: n })
    for (;;) {
      const { value, done = false } = await this.#pointers!.next()
      if (done) break
      if (value.n > to) break
      // It may have been sent again since its pointer was read.
      const event = await EventRow.get(this.#id.bridgeId, value.n)
      if (!event || event.createdAt + EventRow.waitLimit <= now()) continue
      if ((await EventLists.givenUpAt(this.#id, event)) === undefined) continue
      this.#at = event.n
      return event
    }
    this.#pointers = undefined
    // More may have been given up since they were read.
    return isFresh ? undefined : await this.behind(n, to)
  }
}
