export * as AttemptLog from "./attempt-log.ts"

import { z } from "zod"
import { Attempt } from "#contract/delivery.ts"
import { open, seal } from "../keys/seal.ts"
import { now } from "../platform/clock.ts"
import { batchWrite, Bytes, getRow, type Key, query, type Row } from "../store/store.ts"
import { tables } from "../store/tables.ts"
import { EventRow } from "./event-row.ts"
import { Receiver } from "./receiver.ts"

/** So many of the latest attempts at a webhook are listed. */
const kept = 200
/** How long a failed attempt is kept with its answer, in seconds (Contract, "Deliveries"). */
const failureKeptFor = 7 * 86_400
/**
 * How long attempts at a further webhook are kept, in seconds. They expire, since its deletion leaves them.
 */
const ringKeptFor = 30 * 86_400

/** A delivery attempt and its number among all that were recorded for the webhook. */
export interface Entry {
  count: number
  /** The event's number. */
  n: number
  attempt: Attempt
  isResend: boolean
  /** Headers as they were sent: what proves it, and how many events were given up before it. */
  signatures: Signatures
  /** The batch that it was in. */
  batch?: Batch
  /** Only of a failure. */
  failure?: Failure | undefined
}

const Signatures = z.object({
  signature: z.string(),
  standard: z.string(),
  undelivered: z.string().optional(),
  undelivered_since: z.string().optional(),
})
type Signatures = z.infer<typeof Signatures>

const Batch = z.object({ batch_id: z.string(), batch_size: z.number().int() })
type Batch = z.infer<typeof Batch>

/** Where a failed attempt went, the first bytes of the answer, and its headers. */
const Failure = z.object({
  url: z.string(),
  answer: z.string(),
  answerHeaders: z.record(z.string(), z.string()),
})
type Failure = z.infer<typeof Failure>

/** An attempt at an event, with all that is known of it. */
export interface Known extends Partial<Failure> {
  count: number
  attempt: Attempt
  isResend: boolean
  signatures?: Signatures
  batch?: Batch
}

/**
 * Writes attempts into the ring of the latest 200. A failure gets a row of its own as well, sealed, which
 * stays for a week: failures of a receiver are looked into when the ring has gone round. A success costs
 * nothing more.
 */
export async function append(id: Receiver.Id, entries: Entry[], deliveryKey: Uint8Array): Promise<void> {
  await batchWrite(
    entries.flatMap((entry) => {
      const { count, n, attempt, isResend, signatures, batch, failure } = entry
      const row = { count, ...attempt, ...signatures, ...batch, ...(isResend && { resend: true }) }
      const inRing = {
        ...ringKey(id, count),
        ...row,
        ...(!Receiver.isFirst(id) && { expires_at: now() + ringKeptFor }),
      }
      if (!failure) return [{ table: tables.events, row: inRing }]
      const key = failureKey(id, n, count)
      const sealed = seal(deliveryKey, key, JSON.stringify(failure))
      const own = { ...key, ...row, sealed, expires_at: now() + failureKeptFor }
      return [
        { table: tables.events, row: inRing },
        { table: tables.events, row: own },
      ]
    }),
  )
}

/** The latest attempts, newest first. */
export async function latest(id: Receiver.Id): Promise<Attempt[]> {
  return (await latestDetailed(id)).map(({ attempt }) => attempt)
}

/** The attempt of this number; undefined while it is not written. */
export async function byCount(id: Receiver.Id, count: number): Promise<Attempt | undefined> {
  const row = await getRow(tables.events, ringKey(id, count))
  const known = row && fromRow(row)
  return known?.count === count ? known.attempt : undefined
}

/**
 * The attempts at an event that are still known: failures of the last week, and what is in the ring. Oldest
 * first.
 */
export async function ofEvent(
  id: Receiver.Id,
  event: EventRow.Info,
  deliveryKey: Uint8Array,
): Promise<Known[]> {
  const found = new Map<number, Known>()
  for (const known of await latestDetailed(id))
    if (known.attempt.event_id === event.eventId) found.set(known.count, known)
  const prefix = failureKey(id, event.n, 0).sk.replace(/[^#]*$/, "")
  for await (const row of rowsOf(id, prefix)) {
    const { pk, sk, sealed, expires_at } = Sealed.parse(row)
    if (expires_at <= now()) continue
    const failure = Failure.parse(JSON.parse(open(deliveryKey, { pk, sk }, sealed).toString()))
    const known = fromRow(row)
    found.set(known.count, { ...known, ...failure })
  }
  return [...found.values()].toSorted((a, b) => a.count - b.count)
}

const Sealed = z.object({ pk: z.string(), sk: z.string(), sealed: Bytes, expires_at: z.number() })

/** The latest attempts, newest first, and whether each was asked for. */
export async function latestDetailed(id: Receiver.Id): Promise<Known[]> {
  const rows = await Array.fromAsync(rowsOf(id, ringPrefix(id)))
  return rows.map(fromRow).toSorted((a, b) => b.count - a.count)
}

function fromRow(row: Row): Known {
  const signatures = Signatures.safeParse(row).data
  const batch = Batch.safeParse(row).data
  return {
    count: Number(row.count),
    attempt: Attempt.parse(row),
    isResend: row.resend === true,
    ...(signatures && { signatures }),
    ...(batch && { batch }),
  }
}

function rowsOf({ bridgeId }: Receiver.Id, prefix: string): AsyncGenerator<Row> {
  return query({
    TableName: tables.events,
    KeyConditionExpression: "pk = :bridge AND begins_with(sk, :prefix)",
    ExpressionAttributeValues: { ":bridge": `BRIDGE#${bridgeId}`, ":prefix": prefix },
  })
}

function ringPrefix(id: Receiver.Id): string {
  return `${Receiver.sortKeyPrefix(id)}ATTEMPT#`
}

function ringKey(id: Receiver.Id, count: number): Key {
  return { pk: `BRIDGE#${id.bridgeId}`, sk: `${ringPrefix(id)}${count % kept}` }
}

function failureKey(id: Receiver.Id, n: number, count: number): Key {
  return {
    pk: `BRIDGE#${id.bridgeId}`,
    sk: `${Receiver.sortKeyPrefix(id)}FAILURE#${EventRow.padded(n)}#${EventRow.padded(count)}`,
  }
}
