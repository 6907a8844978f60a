import { EventRow } from "#core/event/event-row.ts"
import type { Evidence, Kind, Seen } from "./evidence.ts"
import { isForward, statusesOf } from "./status-order.ts"
import { judgeTranscripts } from "./transcripts.ts"

/** A promise that was broken. */
export interface Violation {
  kind: Kind
  what: string
}

/** Compares the messages that were put in with those that came out. */
export function judge(evidence: Evidence): Violation[] {
  return [
    ...evidence.bridges.flatMap((bridge) => inbound(bridge, evidence)),
    ...evidence.bridges.flatMap((bridge) => outbound(bridge, evidence)),
    ...[...evidence.followed].flatMap((bridge) => followed(bridge, evidence)),
    ...[...evidence.kept.keys()].flatMap((bridge) => judgeTranscripts(bridge, evidence)),
    ...evidence.unsettled.map((what) => ({ kind: "lost" as const, what })),
    ...evidence.unreadable.map((what) => ({ kind: "undecryptable" as const, what })),
    ...evidence.keysReused.map((what) => ({ kind: "keys_reused" as const, what })),
    ...evidence.owners.map((what) => ({ kind: "owners" as const, what })),
    ...oversized(evidence),
  ]
}

/** The largest row of a session, in bytes: a hundred hostile first messages may need as much. */
const mostBytes = 64_000

function oversized({ rows }: Evidence): Violation[] {
  return rows
    .filter(({ bytes }) => bytes > mostBytes)
    .map(({ bridge, name, bytes }) => ({ kind: "oversized", what: `${bridge}: ${name} has ${bytes} bytes` }))
}

/**
 * Everything written arrives, once, in order. Undelivered events arrived, too: the receiver saw their
 * attempts.
 */
function inbound(bridge: string, evidence: Evidence): Violation[] {
  const arrivals = evidence.arrivals.filter((arrival) => arrival.bridge === bridge)
  const produced = evidence.produced.get(bridge) ?? []
  const arrived = new Set(arrivals.map(({ text }) => text))
  const lost = produced
    .filter((text) => !arrived.has(text))
    .map((text) => ({ kind: "lost" as const, what: `${bridge}: ${text} never reached the receiver` }))
  const inTurn = arrivals.filter(({ isResend }) => !isResend)
  const takenAgain = arrivals.filter((one) => one.isResend && !evidence.refused.has(one))
  return [
    ...lost,
    ...givenUp(bridge, arrivals, evidence),
    ...leftUndelivered(bridge, arrivals, evidence),
    ...twice(bridge, arrivals),
    ...outOfOrder(
      bridge,
      inTurn,
      produced.filter((text) => !evidence.late.has(text)),
    ),
    ...afterNewer(bridge, inTurn, evidence),
    ...sentAgainInOrder(bridge, takenAgain, evidence),
    ...forged(bridge, arrivals),
  ]
}

/** For each event, one delivery was answered with success, one refused for good, or five were not. */
function givenUp(bridge: string, arrivals: Seen[], { refused, final = new Set() }: Evidence): Violation[] {
  const found: Violation[] = []
  for (const [eventId, all] of Map.groupBy(arrivals, (arrival) => arrival.eventId))
    if (
      all.length < 5 &&
      all.every((arrival) => refused.has(arrival)) &&
      !all.some((arrival) => final.has(arrival))
    )
      found.push({ kind: "lost", what: `${bridge}: ${eventId} was given up after ${all.length} attempts` })
  return found
}

/**
 * What was given up is sent again once its receiver is back. Left are only events that were then refused for
 * good, while others were taken.
 */
function leftUndelivered(bridge: string, arrivals: Seen[], evidence: Evidence): Violation[] {
  const { final = new Set(), undelivered = [] } = evidence
  return undelivered
    .filter((one) => one.bridge === bridge)
    .filter(({ eventId }) => {
      const again = arrivals.filter((one) => one.eventId === eventId && one.isResend)
      return again.length === 0 || !again.every((one) => final.has(one))
    })
    .map(({ eventId }) => ({ kind: "lost", what: `${bridge}: ${eventId} was given up and not sent again` }))
}

/** What is sent again is taken in the order of the events, but for the POST of a stopped deliverer. */
function sentAgainInOrder(bridge: string, taken: Seen[], { stoppedAttempts }: Evidence): Violation[] {
  const found: Violation[] = []
  let newest = 0
  for (const { eventId, at, hungUp } of taken) {
    const n = numberOf(eventId)
    const isLate = stoppedAttempts.some((one) => at >= one.at && at <= one.until + lateMs)
    if (n < newest && !hungUp && !isLate)
      found.push({ kind: "reordered", what: `${bridge}: ${eventId} was sent again after event ${newest}` })
    newest = Math.max(newest, n)
  }
  return found
}

/** An event's number, which its id begins with. */
function numberOf(eventId: string): number {
  return EventRow.numberOf(eventId) ?? 0
}

/** One event id for a message, one body for an event id, and attempts that rise. */
function twice(bridge: string, arrivals: Seen[]): Violation[] {
  const found: string[] = []
  const byText = Map.groupBy(
    arrivals.filter(({ text }) => text !== undefined),
    ({ text }) => text,
  )
  for (const [text, all] of byText) {
    const ids = new Set(all.map(({ eventId }) => eventId))
    if (ids.size > 1) found.push(`${text} has ${ids.size} events`)
  }
  for (const [eventId, all] of Map.groupBy(arrivals, (arrival) => arrival.eventId)) {
    if (new Set(all.map(({ body }) => body.toString("base64"))).size > 1)
      found.push(`${eventId} has several bodies`)
    const attempts = all.filter(({ isResend }) => !isResend).map(({ attempt }) => attempt)
    if (new Set(attempts).size < attempts.length)
      found.push(`${eventId} repeats an attempt: ${attempts.join()}`)
  }
  return found.map((what) => ({ kind: "duplicated", what: `${bridge}: ${what}` }))
}

/** First deliveries come in the order in which the messages were written. */
function outOfOrder(bridge: string, arrivals: Seen[], produced: string[]): Violation[] {
  const place = new Map(produced.map((text, i) => [text, i]))
  const first = [...new Set(arrivals.map(({ text }) => text))].filter(
    (text) => text !== undefined && place.has(text),
  )
  const found: Violation[] = []
  let last = -1
  for (const text of first) {
    const at = place.get(text!)! // filtered
    if (at < last) found.push({ kind: "reordered", what: `${bridge}: ${text} came after ${produced[last]}` })
    last = Math.max(last, at)
  }
  return found
}

/**
 * All arrivals of an event come before the first of the next, but for the POST of a deliverer that stood
 * still, and one that was given up: a receiver that was slow to accept it reads it when others have come. A
 * batch may be posted again with more events: it stands where its first event does.
 */
function afterNewer(bridge: string, arrivals: Seen[], { stoppedAttempts }: Evidence): Violation[] {
  const isLate = (arrival: Seen) =>
    stoppedAttempts.some(
      ({ eventId, at, until }) =>
        eventId === startOf(arrival) && arrival.at >= at && arrival.at <= until + lateMs,
    )
  const order = [...new Set(arrivals.map(startOf))]
  const place = new Map(order.map((eventId, i) => [eventId, i]))
  const found: Violation[] = []
  let newest = -1
  for (const arrival of arrivals) {
    const { eventId, attempt } = arrival
    const at = place.get(startOf(arrival))! // of all arrivals
    if (at < newest && !arrival.hungUp && !isLate(arrival))
      found.push({
        kind: "reordered",
        what: `${bridge}: attempt ${attempt} of ${eventId} came after a newer event`,
      })
    newest = Math.max(newest, at)
  }
  return found
}

const startOf = ({ begins, eventId }: Seen) => begins ?? eventId

/** How long after it went on a stopped deliverer may still post. */
const lateMs = 2000

function forged(bridge: string, arrivals: Seen[]): Violation[] {
  return arrivals
    .filter(({ genuine }) => !genuine)
    .map(({ eventId }) => ({ kind: "forged", what: `${bridge}: ${eventId} is not signed by us` }))
}

/** Every send that was answered with success is shown, under the id in the answer. Nothing is shown twice. */
function outbound(bridge: string, evidence: Evidence): Violation[] {
  const found: Violation[] = []
  const shown = Map.groupBy(evidence.shown.get(bridge) ?? [], ({ text }) => text)
  for (const { text, status, messageId } of evidence.sent.filter((sent) => sent.bridge === bridge)) {
    const ids = (shown.get(text) ?? []).map(({ id }) => id)
    if (ids.length > 1)
      found.push({ kind: "doubled", what: `${bridge}: ${text} is shown ${ids.length} times` })
    if (status === 200 && !ids.includes(messageId!))
      found.push({ kind: "lost", what: `${bridge}: ${text} was answered with success and is not shown` })
    if (status !== 200) found.push({ kind: "lost", what: `${bridge}: ${text} ended with ${status}` })
  }
  return found
}

/**
 * Of every send that succeeded the customer is told that it was sent, delivered, and read where it was:
 * forward only.
 */
function followed(bridge: string, { sent, arrivals, read }: Evidence): Violation[] {
  const came = arrivals.filter((arrival) => arrival.bridge === bridge)
  // What was given up came late: in the order of the events, it tells of the same.
  const isLate = came.some(({ isResend }) => isResend)
  const its = isLate ? came.toSorted((a, b) => numberOf(a.eventId) - numberOf(b.eventId)) : came
  const found: Violation[] = []
  for (const { messageId, status } of sent.filter((one) => one.bridge === bridge)) {
    if (status !== 200 || messageId === undefined) continue
    const told = statusesOf(messageId, its).map((one) => one.status)
    const words = told.map((one) => one.status)
    const isDelivered = words.includes("delivered") || words.includes("read")
    if (words[0] !== "sent" || !isDelivered || (read.has(messageId) && !words.includes("read")))
      found.push({ kind: "lost", what: `${bridge}: of ${messageId} only this was told: ${words.join()}` })
    for (const [i, after] of told.entries())
      if (i > 0 && !isForward(told[i - 1]!, after))
        found.push({ kind: "reordered", what: `${bridge}: of ${messageId} was told ${words.join()}` })
  }
  return found
}
