import { html } from "hono/html"
import type { StoredEvent } from "#contract/stored-event.ts"
import { Delivery } from "#core/event/delivery.ts"
import { EventLists } from "#core/event/event-lists.ts"
import { EventRow } from "#core/event/event-row.ts"
import type { Html } from "../elements.ts"
import type { Piece } from "../live.ts"

/** The tone and the word for each outcome of an event at a webhook. */
export const marks: Record<EventRow.State | "not_wanted", [tone: string, word: string]> = {
  pending: ["warn", "waiting"],
  delivered: ["good", "delivered"],
  undelivered: ["bad", "undelivered"],
  inbox: ["idle", "kept here"],
  not_wanted: ["idle", "not for it"],
}

/** What became of an event at the first webhook, in the event's row of a list; a stream renews it. */
export function outcomeMark(eventId: string, state: EventRow.State): Html {
  return stateMark(state, html`id="outcome-${eventId}"`)
}

/** What became of an event at one webhook. */
export function stateMark(state: keyof typeof marks, id: Html | string = ""): Html {
  const [tone, word] = marks[state]
  return html`<span ${id} class="state ${tone}">${word}</span>`
}

/**
 * The further webhooks of a bridge that have given up events, by the numbers of the events: the latest
 * hundred of each webhook.
 */
export async function givenUpElsewhere(
  bridgeId: string,
): Promise<Map<number, { id: string; url: string }[]>> {
  const [, ...further] = await Delivery.ofBridge(bridgeId)
  const found = new Map<number, { id: string; url: string }[]>()
  for (const webhook of further)
    for (const n of await EventLists.newestNumbersOnList(webhook, "undelivered", 100))
      found.set(n, [...(found.get(n) ?? []), { id: webhook.webhookId, url: webhook.receiver.url }])
  return found
}

/** A page has no more rows than this. */
const mostFollowed = 500

/** Follows what becomes of the events that a page shows as waiting. */
export class Outcomes {
  readonly #bridgeId: string
  /** The ids of the waiting events, by their numbers. */
  readonly #waiting = new Map<number, string>()

  constructor(bridgeId: string) {
    this.#bridgeId = bridgeId
  }

  /**
   * Adds the events from the number `waits` to the number `from`, with which the page was drawn. Some have an
   * outcome by now.
   */
  async addEarlier({ waits, from: to }: { waits: number; from: number }): Promise<void> {
    const range = { after: Math.max(waits - 1, to - mostFollowed), before: to + 1 }
    for await (const { n, eventId } of EventLists.allKept(this.#bridgeId, range, 0))
      this.#waiting.set(n, eventId)
  }

  add(events: StoredEvent[]): void {
    for (const { event_id: id, state } of events)
      if (state === "pending") this.#waiting.set(EventRow.numberOf(id) ?? 0, id)
    for (const n of this.#waiting.keys())
      if (this.#waiting.size > mostFollowed) this.#waiting.delete(n)
      else break
  }

  /** The marks of the events that have an outcome now. */
  async newPieces(): Promise<Map<string, Piece>> {
    const pieces = new Map<string, Piece>()
    if (this.#waiting.size === 0) return pieces
    const head = (await Delivery.get(Delivery.first(this.#bridgeId)))?.head ?? 0
    for (const [n, id] of this.#waiting) {
      if (n > head) continue
      this.#waiting.delete(n)
      const row = await EventRow.get(this.#bridgeId, n)
      if (row) pieces.set(`outcome-${id}`, { html: outcomeMark(id, EventRow.asOf(row, head).state) })
    }
    return pieces
  }
}
