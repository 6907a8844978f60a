export * as EventList from "./event-list.ts"

import { z } from "zod"
import { now } from "./clock.ts"
import { EventRow } from "./event-row.ts"
import { get as getRow, query, type Write } from "./store.ts"
import { events } from "./tables.ts"

/** What may be listed: what was delivered is not. */
type Listed = "pending" | "undelivered" | "inbox"

/** Leads to an event that was given up or went to the inbox, so that nobody reads all the others to find it. */
export function pointer(event: { bridgeId: string; n: number }, state: "undelivered" | "inbox"): Write {
  const expires_at = now() + EventRow.keptFor[state]
  return {
    Put: {
      TableName: events,
      Item: { ...pointerKey(event.bridgeId, state, event.n), n: event.n, expires_at },
    },
  }
}

/** The number under which an event of this id was appended; undefined when it is not known, or no more. */
export async function numberOf(bridgeId: string, eventId: string): Promise<number | undefined> {
  const n = EventRow.numberOf(eventId)
  if (n === undefined) return await formerNumberOf(bridgeId, eventId)
  return (await EventRow.get(bridgeId, n))?.eventId === eventId ? n : undefined
}

/** Ids of releases before 0.2 carry no number: a row of their own leads to it. To go when such events have expired. */
async function formerNumberOf(bridgeId: string, eventId: string): Promise<number | undefined> {
  const marker = await getRow(events, { pk: `BRIDGE#${bridgeId}`, sk: `ID#${eventId}` })
  return marker && z.object({ n: z.number() }).parse(marker).n
}

/**
 * The events in this state after that number, in the order in which they happened; `pending` ones are after the head.
 * As many as `limit`, fewer if their bodies would have more than `maxBytes`, but one if there is one.
 */
export async function page(
  bridgeId: string,
  asked: { state: Listed; after: number; limit: number; maxBytes?: number },
): Promise<EventRow.Info[]> {
  const { state, limit, maxBytes = Infinity } = asked
  const found: EventRow.Info[] = []
  let bytes = 0
  const rows = state === "pending" ? waiting(bridgeId, asked.after) : pointed(bridgeId, state, asked)
  for await (const row of rows) {
    // Sent again with success, or expired and not yet removed.
    if (row.state !== state || (row.expiresAt ?? Infinity) <= now()) continue
    bytes += row.body.length
    if (found.length > 0 && bytes > maxBytes) break
    found.push(row)
    if (found.length === limit) break
  }
  return found
}

async function* waiting(bridgeId: string, after: number): AsyncGenerator<EventRow.Info> {
  const from = EventRow.key(bridgeId, after + 1).sk
  for await (const row of between(bridgeId, from, "EVENT#~")) yield EventRow.fromRow(row)
}

async function* pointed(
  bridgeId: string,
  state: "undelivered" | "inbox",
  asked: { after: number },
): AsyncGenerator<EventRow.Info> {
  const from = pointerKey(bridgeId, state, asked.after + 1).sk
  for await (const row of between(bridgeId, from, `STATE#${state}#~`)) {
    const event = await EventRow.get(bridgeId, z.number().parse(row.n))
    if (event) yield event
  }
}

function between(bridgeId: string, from: string, to: string) {
  return query({
    TableName: events,
    ConsistentRead: true,
    KeyConditionExpression: "pk = :bridge AND sk BETWEEN :from AND :to",
    ExpressionAttributeValues: { ":bridge": `BRIDGE#${bridgeId}`, ":from": from, ":to": to },
    Limit: 100,
  })
}

function pointerKey(bridgeId: string, state: "undelivered" | "inbox", n: number) {
  return { pk: `BRIDGE#${bridgeId}`, sk: `STATE#${state}#${EventRow.padded(n)}` }
}
