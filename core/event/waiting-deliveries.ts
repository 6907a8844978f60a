import { z } from "zod"
import { timeLeft } from "../platform/clock.ts"
import { type Key, query } from "../store/store.ts"
import { tables } from "../store/tables.ts"
import { Delivery } from "./delivery.ts"
import { Receiver } from "./receiver.ts"

/** The parts of the sweep's index, in which the rows of deliveries stand while something waits. */
const shards = 16

/** The part in which the rows of a bridge stand. */
export function shardOf(bridgeId: string): number {
  return parseInt(bridgeId.slice(-1), 16) % shards
}

const Indexed = z.object({ pk: z.string(), sk: z.string(), since: z.number() })

/**
 * The overdue deliveries: a crash or a lost doorbell broke their promise. The index says which may be
 * overdue; the row itself, read consistently, says whether they are.
 */
export async function* overdue(): AsyncGenerator<Delivery.Info> {
  for (let shard = 0; shard < shards; shard++) {
    for await (const row of waitingIn(shard)) {
      const { since, ...at } = Indexed.parse(row)
      if (timeLeft(since + Delivery.allowedLateness(), Delivery.allowedLateness()) > 0) continue
      const id = Receiver.ofKey(at)
      const delivery = id && (await Delivery.get(id))
      const isLate =
        delivery &&
        timeLeft(
          delivery.due + Delivery.allowedLateness(),
          Delivery.promisedFor() + Delivery.allowedLateness(),
        ) === 0
      if (isLate && delivery.due > 0) yield delivery
    }
  }
}

/** The receivers that have failed since this time (Unix seconds) or longer, as the index has them. */
export async function failingSince(latest: number): Promise<Receiver.Id[]> {
  const found = await Promise.all(
    Array.from({ length: shards }, (_, shard) =>
      Array.fromAsync(
        query({
          TableName: tables.events,
          IndexName: "byFailing",
          KeyConditionExpression: "#shard = :shard AND failing_since <= :latest",
          ExpressionAttributeNames: { "#shard": "shard" },
          ExpressionAttributeValues: { ":shard": shard, ":latest": latest },
        }),
        (row) => Receiver.ofKey(row as Key)!, // a delivery's row
      ),
    ),
  )
  return found.flat()
}

/** The deliveries at which events have waited longest without a break, as the index has them. */
export async function waitingLongest(most: number): Promise<Waiting[]> {
  const found = await Promise.all(Array.from({ length: shards }, (_, shard) => firstOf(shard, most)))
  return found
    .flat()
    .toSorted((a, b) => a.since - b.since)
    .slice(0, most)
}

type Waiting = Receiver.Id & { since: number }

async function firstOf(shard: number, most: number) {
  const found: Waiting[] = []
  for await (const row of waitingIn(shard, { Limit: most })) {
    const { since, ...at } = Indexed.parse(row)
    const id = Receiver.ofKey(at)
    if (id) found.push({ ...id, since })
    if (found.length === most) break
  }
  return found
}

/** The rows of a part of the index, those that have waited for longest first. */
function waitingIn(shard: number, limit?: { Limit: number }) {
  return query({
    ...limit,
    TableName: tables.events,
    IndexName: "bySince",
    KeyConditionExpression: "#shard = :shard",
    ExpressionAttributeNames: { "#shard": "shard" },
    ExpressionAttributeValues: { ":shard": shard },
  })
}
