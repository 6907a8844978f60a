export * as AttemptLog from "./attempt-log.ts"

import { Attempt } from "./contract/delivery.ts"
import { put, query } from "./store.ts"
import { events } from "./tables.ts"

/** §2.4 */
const kept = 200

/** Writes the attempt of this count, of all that were ever made for the bridge, into the ring of the latest 200. */
export async function append(bridgeId: string, count: number, attempt: Attempt): Promise<void> {
  await put({
    TableName: events,
    Item: { pk: `BRIDGE#${bridgeId}`, sk: `ATTEMPT#${count % kept}`, count, ...attempt },
  })
}

/** The latest attempts, newest first. */
export async function latest(bridgeId: string): Promise<Attempt[]> {
  const found: { count: number; attempt: Attempt }[] = []
  const rows = query({
    TableName: events,
    KeyConditionExpression: "pk = :bridge AND begins_with(sk, :attempt)",
    ExpressionAttributeValues: { ":bridge": `BRIDGE#${bridgeId}`, ":attempt": "ATTEMPT#" },
  })
  for await (const row of rows) found.push({ count: Number(row.count), attempt: Attempt.parse(row) })
  return found.toSorted((a, b) => b.count - a.count).map((entry) => entry.attempt)
}
