export * as EventIndex from "./event-index.ts"

import { zstdCompressSync, zstdDecompressSync } from "node:zlib"
import { z } from "zod"
import { open, seal } from "../keys/seal.ts"
import { now } from "../platform/clock.ts"
import { DiskRoom } from "../platform/disk-room.ts"
import { log } from "../platform/log.ts"
import { batchWrite, Bytes, type Key, query } from "../store/store.ts"
import { tables } from "../store/tables.ts"
import { EventLists } from "./event-lists.ts"
import { EventRow } from "./event-row.ts"
import { wordsIn } from "./folded.ts"

// Which event has which words, names, numbers and ids? Bodies are sealed one by one, and to read and open
// 100,000 takes ten seconds and more. So the words of each 250 events are a row of their own. It costs a
// hundredth of what the events cost.

/** How many events a row tells of. */
export const perRow = 250
/** A row has room for 400 KB. The text of each event is cut at the longest of these with which all fit. */
const largest = 350_000
const longestText = [4000, 1000, 250]

/** The words of an event, folded, by its number. */
type Words = [n: number, words: string][]

/** The words of the events from `first` on, up to `last`. */
interface Part {
  first: number
  last: number
  words: Words
}

/** The number of the row that tells of an event. */
function rowOf(n: number): number {
  return Math.floor((n - 1) / perRow)
}

function key(bridgeId: string, row: number): Key {
  return { pk: `BRIDGE#${bridgeId}`, sk: `WORDS#${EventRow.padded(row)}` }
}

/** A bridge whose events are read. */
interface Source {
  bridgeId: string
  deliveryKey: Uint8Array
  /** The number of the last event whose delivery has ended. */
  head: number
  /** This process may not write. */
  isReader: boolean
}

/**
 * The words of a bridge's events before this number, the newest first, in parts. What has no row is read. It
 * gets its row on the way, unless events of it are to come.
 */
export async function* backwards(source: Source, before: number): AsyncGenerator<Part> {
  const isOneRow = before <= perRow
  const oldest = isOneRow ? 1 : await oldestNumber(source.bridgeId)
  const rows = isOneRow ? undefined : indexed(source, before)
  let next = await rows?.next()
  for (let last = before - 1; last >= oldest;) {
    const row = rowOf(last)
    while (rows && next && !next.done && next.value.row > row) next = await rows.next()
    const found = !next || next.done || next.value.row !== row ? undefined : next.value
    const words = found?.words ?? (await read(source, row))
    const end = words.length > 0 ? row * perRow : await newestUpTo(source.bridgeId, row * perRow)
    const upTo = last
    yield { first: Math.max(end + 1, oldest), last, words: words.filter(([n]) => n <= upTo) }
    last = end
  }
}

/** The newest event's number, up to this one. A bridge that was moved or restored leaves out very many. */
async function newestUpTo(bridgeId: string, n: number): Promise<number> {
  return await EventLists.newestNumber(bridgeId, n + 1)
}

/** The number of the first event that is kept; Infinity if there is none. */
async function oldestNumber(bridgeId: string): Promise<number> {
  for await (const { n } of EventLists.allKept(bridgeId, { after: 0 }, 0, 10)) return n
  return Infinity
}

const Row = z.object({ pk: z.string(), sk: z.string(), sealed: Bytes, expires_at: z.number() })

async function* indexed(
  { bridgeId, deliveryKey }: Source,
  before: number,
): AsyncGenerator<{ row: number; words: Words }, void> {
  const rows = query({
    TableName: tables.events,
    KeyConditionExpression: "pk = :bridge AND sk BETWEEN :from AND :to",
    ExpressionAttributeValues: {
      ":bridge": `BRIDGE#${bridgeId}`,
      ":from": key(bridgeId, 0).sk,
      ":to": key(bridgeId, rowOf(before)).sk,
    },
    ScanIndexForward: false,
  })
  for await (const found of rows) {
    const { pk, sk, sealed, expires_at } = Row.parse(found)
    // DynamoDB removes expired rows late.
    if (expires_at <= now()) continue
    const lines = zstdDecompressSync(open(deliveryKey, { pk, sk }, sealed))
      .toString()
      .split("\n")
    const words: Words = lines.map((line) => {
      const at = line.indexOf(" ")
      return [Number(line.slice(0, at)), line.slice(at + 1)]
    })
    yield { row: Number(sk.slice("WORDS#".length)), words }
  }
}

/** The words of the events of a row, read from these. The row is written if no event of it is to come. */
async function read({ bridgeId, deliveryKey, head, isReader }: Source, row: number): Promise<Words> {
  const range = { after: row * perRow, before: (row + 1) * perRow + 1, isNewestFirst: true }
  const events = await Array.fromAsync(EventLists.allKept(bridgeId, range, head, perRow))
  const words = events.map((event): Words[number] => [
    event.n,
    wordsIn(JSON.parse(EventRow.bodyOf(event, deliveryKey).toString())),
  ])
  const isWhole = events.length === perRow || head >= range.before - 1
  if (isWhole && !isReader && DiskRoom.hasRoomToSpare())
    await write(key(bridgeId, row), { deliveryKey, events, words })
  return words
}

/**
 * Writes the rows whose last events have numbers after `after` and up to `to`, once the delivery of these
 * has ended. Never throws: a search does without.
 */
export async function complete(
  bridgeId: string,
  deliveryKey: () => Promise<Uint8Array>,
  { after, to }: { after: number; to: number },
): Promise<void> {
  try {
    for (let end = Math.floor(to / perRow) * perRow; end > after;) {
      const source = { bridgeId, deliveryKey: await deliveryKey(), head: to, isReader: false }
      const words = await read(source, rowOf(end))
      const before = words.length > 0 ? end - perRow : await newestUpTo(bridgeId, end - perRow)
      end = Math.ceil(before / perRow) * perRow
    }
  } catch (error) {
    log.warn({ error, bridgeId }, "words of events were not written")
  }
}

async function write(
  at: Key,
  { deliveryKey, events, words }: { deliveryKey: Uint8Array; events: EventRow.Info[]; words: Words },
): Promise<void> {
  if (events.length === 0) return
  // The words of an event are kept no longer than the event: until the first of them goes.
  const expires_at = Math.min(...events.map(soonestEnd))
  if (expires_at <= now()) return
  for (const most of longestText) {
    const lines = words.map(([n, text]) => `${n} ${text.slice(0, most)}`).join("\n")
    const sealed = seal(deliveryKey, at, zstdCompressSync(lines))
    if (sealed.length > largest) continue
    return await batchWrite([{ table: tables.events, row: { ...at, sealed, expires_at } }])
  }
}

/** When an event may be gone: one that waits may be delivered at once. */
function soonestEnd({ state, createdAt, expiresAt }: EventRow.Info): number {
  return state === "pending" ? createdAt + EventRow.keptFor.delivered : expiresAt
}
