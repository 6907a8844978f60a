export * as AttemptLog from "./attempts.ts"

import { Attempt } from "../contract/delivery.ts"
import { batchWrite, query } from "../store/store.ts"
import { events } from "../store/tables.ts"

/** Contract, "Delivery log" */
const kept = 200

/** A delivery attempt and its number among all that were recorded for the bridge. */
export interface Entry {
  count: number
  attempt: Attempt
}

/** Writes attempts into the ring of the latest 200. */
export async function append(bridgeId: string, entries: Entry[]): Promise<void> {
  await batchWrite(
    entries.map(({ count, attempt }) => ({
      table: events,
      row: { pk: `BRIDGE#${bridgeId}`, sk: `ATTEMPT#${count % kept}`, count, ...attempt },
    })),
  )
}

/** The latest attempts, newest first. */
export async function latest(bridgeId: string): Promise<Attempt[]> {
  const found: Entry[] = []
  const rows = query({
    TableName: events,
    KeyConditionExpression: "pk = :bridge AND begins_with(sk, :attempt)",
    ExpressionAttributeValues: { ":bridge": `BRIDGE#${bridgeId}`, ":attempt": "ATTEMPT#" },
  })
  for await (const row of rows) found.push({ count: Number(row.count), attempt: Attempt.parse(row) })
  return found.toSorted((a, b) => b.count - a.count).map((entry) => entry.attempt)
}
