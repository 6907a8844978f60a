import { randomUUID } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import { z } from "zod"
import { Metrics } from "../platform/metrics.ts"
import {
  type Ask,
  askByHttp,
  askWithoutHttp,
  type Options,
  type StoreWithoutHttp,
  type Wire,
} from "./client.ts"
import { type Item, type Row, toItem, toRow } from "./dynamodb-json.ts"
import { isPassing, isStoreFault, isThrottled, StoreAway, StoreError } from "./error.ts"

export { isPassing, isStoreFault, isThrottled, StoreAway, type Row }
export { runWatched, sinceStoreAnswerMs, type UnderWay, waitForStore } from "./client.ts"

/** A binary attribute, as it is written and read. */
export const Bytes = z.custom<Uint8Array>((value) => value instanceof Uint8Array, "not bytes")

/** The key of a row in any table. */
export type Key = Record<"pk" | "sk", string>

/**
 * A write as DynamoDB spells it, apart from its values. Conditions stand in full where they are sent: they
 * are the design.
 */
interface Writing {
  TableName: string
  ConditionExpression?: string
  ExpressionAttributeNames?: Record<string, string>
  ExpressionAttributeValues?: Row
}
export interface Put extends Writing {
  Item: Row
}
export interface Delete extends Writing {
  Key: Key
}
export interface Update extends Delete {
  UpdateExpression: string
}
interface ConditionCheck extends Delete {
  ConditionExpression: string
}

/** A member of a transaction: exactly one of these. */
export interface Write {
  Put?: Put
  Update?: Update
  Delete?: Delete
  ConditionCheck?: ConditionCheck
}

export interface Query {
  TableName: string
  IndexName?: string
  KeyConditionExpression: string
  ProjectionExpression?: string
  FilterExpression?: string
  ExpressionAttributeNames?: Record<string, string>
  ExpressionAttributeValues: Row
  ConsistentRead?: boolean
  ScanIndexForward?: boolean
  Limit?: number
}

/** Reads one row, consistently. */
export async function getRow(table: string, key: Key): Promise<Row | undefined> {
  const { Item: item } = await store.send({
    name: "GetItem",
    input: { TableName: table, Key: key, ConsistentRead: true },
  })
  return item ? toRow(item as Item) : undefined
}

/** Every row of a query. */
export function query(input: Query): AsyncGenerator<Row> {
  return pageAfterPage("Query", input)
}

/** The rows with this `pk` whose `sk` begins with `prefix`, in order and read consistently. */
export function rowsBeginning(
  table: string,
  pk: string,
  prefix: string,
  more: Pick<Query, "ProjectionExpression" | "ScanIndexForward" | "Limit"> = {},
): AsyncGenerator<Row> {
  return query({
    ...more,
    TableName: table,
    ConsistentRead: true,
    KeyConditionExpression: "pk = :pk AND begins_with(sk, :prefix)",
    ExpressionAttributeValues: { ":pk": pk, ":prefix": prefix },
  })
}

/** Every row of a table, in no order: for what no query finds, and an operator looks for once. */
export function scan(table: string): AsyncGenerator<Row> {
  return pageAfterPage("Scan", { TableName: table, ConsistentRead: true })
}

async function* pageAfterPage(name: "Query" | "Scan", input: Command["input"]): AsyncGenerator<Row> {
  for await (const { rows } of pagesOf(name, input)) yield* rows
}

/** A page of a query: some of its rows, and how many were read for it, those that it left out included. */
export interface Page {
  rows: Row[]
  read: number
  isLast: boolean
}

/** Every page of a query. The next one is read when it is asked for. */
export function pages(input: Query): AsyncGenerator<Page> {
  return pagesOf("Query", input)
}

async function* pagesOf(name: "Query" | "Scan", input: Command["input"]): AsyncGenerator<Page> {
  let from: unknown
  do {
    const page = await store.send({ name, input: { ...input, ExclusiveStartKey: from } })
    from = page.LastEvaluatedKey
    yield { rows: ((page.Items ?? []) as Item[]).map(toRow), read: Number(page.ScannedCount), isLast: !from }
  } while (from)
}

/**
 * Writes one transaction, repeated unchanged under one token until its outcome is known.
 *
 * @returns undefined once written. When refused: by position, the row that failed its condition (`{}` if
 * there is none), undefined for the others.
 * @throws StoreAway when `withinMs` has passed or `signal` has fired. A token is valid for 10 minutes, so
 * `withinMs` must be less.
 */
export async function transact(
  writes: Write[],
  options: { withinMs?: number; signal?: AbortSignal } = {},
): Promise<(Row | undefined)[] | undefined> {
  const input = { TransactItems: writes, ClientRequestToken: randomUUID() }
  const until = performance.now() + (options.withinMs ?? 10_000)
  for (let tries = 0; ; tries++) {
    try {
      await store.send({ name: "TransactWriteItems", input }, { once: true, signal: options.signal })
      return undefined
    } catch (error) {
      const refused = refusal(error)
      if (refused) return refused
      if (!isStoreFault(error)) throw error
      measure(error)
      const wait = Math.random() * Math.min(2000, 20 * 2 ** tries)
      if (options.signal?.aborted || performance.now() + wait > until)
        throw new StoreAway("a transaction's outcome is not known", { cause: error })
      await sleep(wait)
    }
  }
}

/**
 * One conditional update: the row as it is now, or the row that refused it (`{}` if there is none).
 * `isUrgent` uses a lane of its own, however much waits in the other.
 */
export async function updateRow(
  input: Update,
  options: { isUrgent?: boolean } & Pick<Options, "mayLinger"> = {},
): Promise<{ now: Row } | { refused: Row }> {
  const command = { name: "UpdateItem", input: { ...input, ReturnValues: "ALL_NEW" } } as const
  const answer = await unlessRefused(() => store.send(command, options))
  if ("refused" in answer) return answer
  return { now: toRow((answer.written.Attributes ?? {}) as Item) }
}

/** Writes a row, replacing any that is there. @returns the row that refused it (`{}` if there is none). */
export async function putRow(input: Put): Promise<Row | undefined> {
  const answer = await unlessRefused(() => store.send({ name: "PutItem", input }))
  return "refused" in answer ? answer.refused : undefined
}

/** Removes a row, if there is one. @returns the row that refused it (`{}` if there is none). */
export async function removeRow(input: Delete): Promise<Row | undefined> {
  const answer = await unlessRefused(() => store.send({ name: "DeleteItem", input }))
  return "refused" in answer ? answer.refused : undefined
}

/**
 * One conditional write. If it meets a transaction on its row, it is not applied, and the SDK does not repeat
 * it. So it is repeated here, for some two seconds.
 */
async function unlessRefused(send: () => Promise<Wire>): Promise<{ written: Wire } | { refused: Row }> {
  for (let tries = 0; ; tries++) {
    try {
      return { written: await send() }
    } catch (error) {
      if (!(error instanceof StoreError)) throw error
      if (error.name === "ConditionalCheckFailedException") return { refused: error.row ?? {} }
      if (error.name !== "TransactionConflictException" || tries === 9) throw error
      measure(error)
      await sleep(Math.random() * Math.min(1000, 20 * 2 ** tries))
    }
  }
}

/** A row of a table, by its key. */
interface Place {
  table: string
  key: Key
}

/** Reads any number of rows from any tables, consistently: by position, undefined where there is none. */
export async function batchGet(places: Place[]): Promise<(Row | undefined)[]> {
  const found = new Map<string, Row>()
  for (let from = 0; from < places.length; from += most.read) {
    const asked: Record<string, { Keys: Item[]; ConsistentRead: boolean }> = {}
    for (const { table, key } of places.slice(from, from + most.read))
      (asked[table] ??= { Keys: [], ConsistentRead: true }).Keys.push(toItem(key))
    await untilDone(asked, async (RequestItems) => {
      const answer = await store.send({ name: "BatchGetItem", input: { RequestItems } })
      for (const [table, items] of Object.entries((answer.Responses ?? {}) as Record<string, Item[]>))
        for (const row of items.map(toRow)) found.set(nameOf(table, row), row)
      return answer.UnprocessedKeys as typeof asked | undefined
    })
  }
  return places.map(({ table, key }) => found.get(nameOf(table, key)))
}

/**
 * Writes and removes any number of rows in any tables: without conditions, in no order, and each on its own.
 * An interrupted call has written some of them.
 */
export async function batchWrite(
  writes: ({ table: string; row: Row } | { table: string; remove: Key })[],
): Promise<void> {
  for (let from = 0; from < writes.length; from += most.written) {
    const asked: Record<string, object[]> = {}
    for (const write of writes.slice(from, from + most.written))
      (asked[write.table] ??= []).push(
        "row" in write
          ? { PutRequest: { Item: toItem(write.row) } }
          : { DeleteRequest: { Key: toItem(write.remove) } },
      )
    await untilDone(asked, async (RequestItems) => {
      const answer = await store.send({ name: "BatchWriteItem", input: { RequestItems } })
      return answer.UnprocessedItems as typeof asked | undefined
    })
  }
}

/** DynamoDB's limits for one request. */
const most = { read: 100, written: 25 }

/**
 * Repeats for what was left unprocessed until nothing is, for some ten seconds.
 * @throws StoreAway after that
 */
async function untilDone<Asked extends object>(
  asked: Asked,
  send: (asked: Asked) => Promise<Asked | undefined>,
): Promise<void> {
  let left: Asked | undefined = asked
  for (let tries = 0; ; tries++) {
    left = await send(left)
    if (!left || Object.keys(left).length === 0) return
    Metrics.add("StoreThrottled")
    if (tries === 14) throw new StoreAway("a batch was not processed in time")
    await sleep(Math.random() * Math.min(2000, 20 * 2 ** tries))
  }
}

function nameOf(table: string, { pk, sk }: Partial<Record<keyof Key, unknown>>): string {
  return JSON.stringify([table, pk, sk])
}

/** A request whose values are not yet in DynamoDB's JSON. Those of a batch are. */
interface Command {
  name: Operation
  input: Partial<Put & Update & Query> & {
    TransactItems?: Write[]
    ClientRequestToken?: string
    RequestItems?: object
    ReturnValues?: "ALL_NEW"
    ExclusiveStartKey?: unknown
  }
}
type Operation =
  | "GetItem"
  | "Query"
  | "Scan"
  | "PutItem"
  | "UpdateItem"
  | "DeleteItem"
  | "TransactWriteItems"
  | "BatchGetItem"
  | "BatchWriteItem"

/** Every request of this process goes through here. It is an object so that a test can step in between. */
export const store = { send }

/**
 * Requests under way at once: enough for all sessions of a host, and a lane of their own for signs of life.
 */
const atOnce = { common: 256, urgent: 2 }
let asks: { common: Ask; urgent: Ask } | undefined

async function send({ name, input }: Command, options: Options & { isUrgent?: boolean } = {}): Promise<Wire> {
  // Connects only when needed: the store's address may be set after this module was loaded.
  asks ??= { common: askByHttp(atOnce.common), urgent: askByHttp(atOnce.urgent) }
  const ask = options.isUrgent ? asks.urgent : asks.common
  return await ask(name, toWire(input), options)
}

/**
 * Makes this process ask a store without HTTP, within itself or in its parent. @returns a function that
 * undoes it.
 */
export function useStoreWithoutHttp(exchange: StoreWithoutHttp): () => void {
  asks = { common: askWithoutHttp(atOnce.common, exchange), urgent: askWithoutHttp(atOnce.urgent, exchange) }
  return () => {
    asks = undefined
  }
}

function toWire(input: Command["input"]): Wire {
  const wire: Wire = { ...input }
  if (input.Key) wire.Key = toItem(input.Key)
  if (input.Item) wire.Item = toItem(input.Item)
  if (input.ExpressionAttributeValues)
    wire.ExpressionAttributeValues = toItem(input.ExpressionAttributeValues)
  // A refused caller wants to see the row that refused it.
  if (input.ConditionExpression) wire.ReturnValuesOnConditionCheckFailure = "ALL_OLD"
  if (input.TransactItems) wire.TransactItems = input.TransactItems.map(toMember)
  return wire
}

function toMember(write: Write): Wire {
  if (write.Put) return { Put: toWire(write.Put) }
  if (write.Update) return { Update: toWire(write.Update) }
  if (write.Delete) return { Delete: toWire(write.Delete) }
  return { ConditionCheck: toWire(write.ConditionCheck!) }
}

/** The rows that failed their condition, by position; undefined for any other error. */
function refusal(error: unknown): (Row | undefined)[] | undefined {
  if (!(error instanceof StoreError)) return undefined
  if (!error.reasons.some(({ code }) => code === conditionFailed)) return undefined
  return error.reasons.map(({ code, row }) => (code === conditionFailed ? (row ?? {}) : undefined))
}

const conditionFailed = "ConditionalCheckFailed"

function measure(error: unknown): void {
  if (!(error instanceof Error)) return
  const reasons = error instanceof StoreError ? error.reasons : []
  const words = `${error.name} ${reasons.map(({ code }) => code).join(" ")}`
  if (/Thrott|ThroughputExceeded|RequestLimit/.test(words)) Metrics.add("StoreThrottled")
  if (words.includes("Conflict")) Metrics.add("StoreConflict")
}
