import type { Event } from "#contract/event.ts"
import type { Seen } from "./evidence.ts"

type Status = Extract<Event, { event: "message_status" }>

/** What a receiver was told of a message, in the order in which each was delivered first. */
export function statusesOf(messageId: string, arrivals: Seen[]): { eventId: string; status: Status }[] {
  const found = arrivals.flatMap(({ eventId, body }) => {
    const status = body.includes(messageId) && statusIn(body)
    return status && status.message_id === messageId ? [{ eventId, status }] : []
  })
  return [...new Map(found.map((one) => [one.eventId, one])).values()]
}

function statusIn(body: Buffer): Status | undefined {
  const event = JSON.parse(body.toString()) as Event // one of ours, as the oracle checks
  return event.event === "message_status" ? event : undefined
}

/**
 * How far a message has come; in a group how many members have. Each part may only grow, and something must.
 */
function reached({ status, counts }: Status): number[] {
  if (counts) return [counts.delivered, counts.read, counts.played]
  return [["sent", "delivered", "read", "played"].indexOf(status)]
}

/** Whether the second of two statuses of a message is a step forward. */
export function isForward(before: Status, after: Status): boolean {
  if (before.status === "failed" || after.status === "failed" || after.status === "sent") return false
  const [from, to] = [reached(before), reached(after)]
  return to.every((count, i) => count >= from[i]!) && (after.counts !== undefined || to[0]! > from[0]!)
}
