import { z } from "zod"
import { now, timeLeft } from "../platform/clock.ts"
import { batchGet, type Key, type Page, pages, type Query, query, type Row } from "../store/store.ts"
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
 * A delivery whose promise to look was broken by a crash or a lost doorbell; or one at which nothing waits
 * (`due` is 0), and it is time to send again something that was given up.
 */
export type Overdue = Receiver.Id & Pick<Delivery.Info, "due" | "bell">

const Promised = z.object({
  due: z.number().int(),
  bell: z.string().optional(),
  since: z.number().optional(),
})

/** How many rows of each part of the index a step reads: as many as the store gives at once. */
const readAtOnce = 100
/** How many deliveries a step tells of. */
const toldAtOnce = 100

/**
 * Finds the overdue deliveries, a step at a time. Behind one dead receiver of a large customer a hundred
 * thousand may wait: a step takes as long all the same, and the next one goes on where it was.
 */
export class OverdueRound {
  #parts = Array.from({ length: shards }, (_, shard) => pages(waitingIn(shard, readAtOnce)))
  /** Those that were read, and are not told yet. */
  #found: Overdue[] = []

  /** Whether everything was read and told. */
  get isOver(): boolean {
    return this.#parts.length + this.#found.length === 0
  }

  /** Some of them. That there are none says nothing about those that follow. */
  async step(): Promise<Overdue[]> {
    if (this.#found.length === 0) {
      const read = await Promise.all(this.#parts.map(async (part) => ({ part, page: await pageOf(part) })))
      this.#parts = read.filter(({ page }) => !page.isLast).map(({ part }) => part)
      const late = await Promise.all(read.map(async ({ page }) => await overdueOf(page.rows)))
      this.#found = late.flat()
    }
    return this.#found.splice(0, toldAtOnce)
  }
}

async function pageOf(part: AsyncGenerator<Page>): Promise<Page> {
  const { value, done } = await part.next()
  return done ? { rows: [], read: 0, isLast: true } : value
}

/** The index says which may be overdue; the rows themselves, read consistently, say whether they are. */
async function overdueOf(indexed: Row[]): Promise<Overdue[]> {
  const lateness = Delivery.allowedLateness()
  const ids = indexed
    .map((row) => Indexed.parse(row))
    .filter(({ since }) => since < 0 || timeLeft(since + lateness, lateness) === 0)
    .flatMap((at) => Receiver.ofKey(at) ?? [])
  const rows = await batchGet(ids.map((id) => ({ table: tables.events, key: Delivery.key(id) })))
  return rows.flatMap((row, at) => {
    if (!row) return []
    const { due, bell, since = 0 } = Promised.parse(row)
    const isLate = due > 0 && timeLeft(due + lateness, Delivery.promisedFor() + lateness) === 0
    const isProbe = due === 0 && since < 0 && -since <= now()
    return isLate || isProbe ? { ...ids[at]!, due, bell } : []
  })
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
  for await (const row of query(waitingIn(shard, most, 0))) {
    const { since, ...at } = Indexed.parse(row)
    const id = Receiver.ofKey(at)
    if (id) found.push({ ...id, since })
    if (found.length === most) break
  }
  return found
}

/**
 * The rows of a part of the index, those that have waited for longest first. Before them come those whose
 * probe is due at this time.
 */
function waitingIn(shard: number, most: number, probesUntil = now()): Query {
  return {
    TableName: tables.events,
    IndexName: "bySince",
    KeyConditionExpression: "#shard = :shard AND since >= :first",
    ExpressionAttributeNames: { "#shard": "shard" },
    ExpressionAttributeValues: { ":shard": shard, ":first": -probesUntil },
    Limit: most,
  }
}
