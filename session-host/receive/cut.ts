import type { Event } from "#contract/event.ts"
import { EventRow } from "#core/event/event-row.ts"
import { wellFormedJson } from "#core/platform/well-formed-json.ts"

/**
 * How long a text may be, in characters, and how many entries a list may have: tried in turn, until the event
 * fits.
 */
const limits = [65_536, 16_384, 4096, 1024, 256, 64, 16, 4]
/**
 * Texts of so many characters are never cut, nor objects of so many fields: no id, no address and no object
 * of the contract has more, and what is left of an id would name something else.
 */
const whole = 64

/**
 * A message's event that fits into a row, whatever strangers write: its longest texts are cut, and its
 * longest lists end early (Contract, "Kinds of messages").
 */
export function cutToFit(event: Event): Event {
  if (event.event !== "message" || fits(event)) return event
  for (const limit of limits) {
    const parts = Object.entries(event).map(([name, part]: [string, unknown]) => [name, cut(part, limit)])
    // Each part is of the same type, only shorter.
    const shorter = { ...(Object.fromEntries(parts) as typeof event), cut: true as const }
    if (fits(shorter)) return shorter
  }
  return event
}

function fits(event: Event): boolean {
  return Buffer.byteLength(wellFormedJson(event)) <= EventRow.largest
}

function cut(part: unknown, limit: number): unknown {
  if (typeof part === "string") return part.slice(0, Math.max(limit, whole))
  if (Array.isArray(part)) return part.slice(0, limit).map((each) => cut(each, limit))
  if (typeof part !== "object" || part === null) return part
  const entries = Object.entries(part).slice(0, Math.max(limit, whole))
  return Object.fromEntries(entries.map(([name, each]: [string, unknown]) => [name, cut(each, limit)]))
}
