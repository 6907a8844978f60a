import { randomUUID } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import {
  type AttributeValue,
  ConditionalCheckFailedException,
  DynamoDBClient,
  TransactionCanceledException,
  TransactionConflictException,
} from "@aws-sdk/client-dynamodb"
import {
  BatchGetCommand,
  type BatchGetCommandInput,
  BatchWriteCommand,
  type BatchWriteCommandInput,
  DeleteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  type QueryCommandInput,
  TransactWriteCommand,
  type TransactWriteCommandInput,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb"
import { unmarshall } from "@aws-sdk/util-dynamodb"
import { z } from "zod"
import { requestTimes } from "./aws-client.ts"
import { Metrics } from "./metrics.ts"

/** A row as the store gives it: to be parsed by the module whose row it is. */
export type Row = Record<string, unknown>

/** Binary attributes, as the SDK gives them and takes them. */
export const Bytes = z.custom<Uint8Array>((value) => value instanceof Uint8Array, "not bytes")
export type Write = NonNullable<TransactWriteCommandInput["TransactItems"]>[number]

/** The one client of the store. Conditions stand in full where they are sent: they are the design. */
export const store = DynamoDBDocumentClient.from(new DynamoDBClient({ maxAttempts: 4, ...requestTimes }), {
  marshallOptions: { removeUndefinedValues: true },
})

/** The store did not answer in time: whether it wrote is not known. */
export class StoreAway extends Error {}

/** What names a row of every table. */
export interface Key {
  pk: string
  sk: string
}

/** One row, read consistently. */
export async function get(table: string, key: Key): Promise<Row | undefined> {
  const found = await store.send(new GetCommand({ TableName: table, Key: key, ConsistentRead: true }))
  return found.Item
}

/** Every row of a query, page after page. */
export async function* query(input: QueryCommandInput): AsyncGenerator<Row> {
  let from: QueryCommandInput["ExclusiveStartKey"]
  do {
    const page = await store.send(new QueryCommand({ ...input, ExclusiveStartKey: from }))
    yield* page.Items ?? []
    from = page.LastEvaluatedKey
  } while (from)
}

/**
 * One transaction, repeated unchanged under one token until its outcome is known.
 *
 * Refused: by position, the row that failed its condition (`{}` where there is none), undefined for the others.
 * Written: undefined.
 * @throws StoreAway when `withinMs` passed; a token is good for 10 minutes, so `withinMs` must be less.
 */
export async function transact(
  writes: Write[],
  options: { withinMs?: number; signal?: AbortSignal } = {},
): Promise<(Row | undefined)[] | undefined> {
  const command = new TransactWriteCommand({
    TransactItems: writes.map(withOldRow),
    ClientRequestToken: randomUUID(),
  })
  const until = performance.now() + (options.withinMs ?? 10_000)
  for (let tries = 0; ; tries++) {
    try {
      await store.send(command, { abortSignal: options.signal })
      return undefined
    } catch (error) {
      const refused = refusal(error)
      if (refused) return refused
      if (!isPassing(error)) throw error
      measure(error)
      const wait = Math.random() * Math.min(2000, 20 * 2 ** tries)
      if (options.signal?.aborted || performance.now() + wait > until)
        throw new StoreAway("a transaction's outcome is not known", { cause: error })
      await sleep(wait)
    }
  }
}

type Input<Command extends new (input: never) => unknown> = ConstructorParameters<Command>[0]

/** One conditional update: the row as it is now, or the row that refused it (`{}` where there is none). */
export async function update(input: Input<typeof UpdateCommand>): Promise<{ now: Row } | { refused: Row }> {
  const command = new UpdateCommand({ ...input, ReturnValues: "ALL_NEW", ...oldIfRefused })
  const answer = await unlessRefused(() => store.send(command))
  if ("refused" in answer) return answer
  return { now: answer.written.Attributes ?? {} }
}

/** Writes a row, in the place of one that is there. @returns the row that refused it (`{}` where there is none). */
export async function put(input: Input<typeof PutCommand>): Promise<Row | undefined> {
  const command = new PutCommand({ ...input, ...oldIfRefused })
  const answer = await unlessRefused(() => store.send(command))
  return "refused" in answer ? answer.refused : undefined
}

/** Removes a row, if there is one. @returns the row that refused it (`{}` where there is none). */
export async function remove(input: Input<typeof DeleteCommand>): Promise<Row | undefined> {
  const command = new DeleteCommand({ ...input, ...oldIfRefused })
  const answer = await unlessRefused(() => store.send(command))
  return "refused" in answer ? answer.refused : undefined
}

const oldIfRefused = { ReturnValuesOnConditionCheckFailure: "ALL_OLD" } as const

/**
 * One conditional write. One that meets a transaction on its row is not applied, and not repeated by the SDK: so here,
 * for some two seconds.
 */
async function unlessRefused<Answer>(
  send: () => Promise<Answer>,
): Promise<{ written: Answer } | { refused: Row }> {
  for (let tries = 0; ; tries++) {
    try {
      return { written: await send() }
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return { refused: toRow(error.Item) }
      if (!(error instanceof TransactionConflictException) || tries === 9) throw error
      measure(error)
      await sleep(Math.random() * Math.min(1000, 20 * 2 ** tries))
    }
  }
}

/** A row of a table, by its key. */
export interface Place {
  table: string
  key: Key
}

/** Rows of any tables, read consistently, however many: by position, undefined where there is none. */
export async function batchGet(places: Place[]): Promise<(Row | undefined)[]> {
  const found = new Map<string, Row>()
  for (let from = 0; from < places.length; from += most.read) {
    const asked: BatchGetCommandInput["RequestItems"] = {}
    for (const { table, key } of places.slice(from, from + most.read))
      (asked[table] ??= { Keys: [], ConsistentRead: true }).Keys!.push(key)
    await untilDone(asked, async (RequestItems) => {
      const answer = await store.send(new BatchGetCommand({ RequestItems }))
      for (const [table, rows] of Object.entries(answer.Responses ?? {}))
        for (const row of rows) found.set(nameOf({ table, key: row as unknown as Key }), row)
      return answer.UnprocessedKeys
    })
  }
  return places.map((place) => found.get(nameOf(place)))
}

/**
 * Writes and removes rows of any tables, however many: without conditions, in no order, and each for itself. Whoever is
 * interrupted has written some of them.
 */
export async function batchWrite(writes: ({ table: string; row: Row } | { table: string; remove: Key })[]) {
  for (let from = 0; from < writes.length; from += most.written) {
    const asked: NonNullable<BatchWriteCommandInput["RequestItems"]> = {}
    for (const write of writes.slice(from, from + most.written))
      (asked[write.table] ??= []).push(
        "row" in write ? { PutRequest: { Item: write.row } } : { DeleteRequest: { Key: write.remove } },
      )
    await untilDone(asked, async (RequestItems) => {
      const answer = await store.send(new BatchWriteCommand({ RequestItems }))
      return answer.UnprocessedItems
    })
  }
}

/** DynamoDB's own limits of one request. */
const most = { read: 100, written: 25 }

/** Asks again for what was left over, until nothing is: for some ten seconds. @throws StoreAway after that */
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

function nameOf({ table, key }: Place): string {
  return JSON.stringify([table, key.pk, key.sk])
}

function measure(error: unknown): void {
  if (!(error instanceof Error)) return
  const reasons = error instanceof TransactionCanceledException ? (error.CancellationReasons ?? []) : []
  const words = `${error.name} ${reasons.map(({ Code }) => Code).join(" ")}`
  if (/Thrott|ThroughputExceeded|RequestLimit/.test(words)) Metrics.add("StoreThrottled")
  if (words.includes("Conflict")) Metrics.add("StoreConflict")
}

const passing = new Set([
  "TransactionInProgressException",
  "TransactionConflictException",
  "ThrottlingException",
  "ProvisionedThroughputExceededException",
  "RequestLimitExceeded",
  "InternalServerError",
  "ServiceUnavailable",
  "TimeoutError",
  "AbortError",
  // The machine's credentials are fetched and renewed over the network, too.
  "CredentialsProviderError",
  "ExpiredTokenException",
])

/** Whether the same request may succeed later: throttled, in conflict, or no answer at all. */
export function isPassing(error: unknown): boolean {
  if (error instanceof StoreAway) return true
  if (!(error instanceof Error)) return false
  if (passing.has(error.name)) return true
  if (error instanceof TransactionCanceledException)
    return error.CancellationReasons?.every((reason) => reason.Code !== "ValidationError") ?? false
  return isUnanswered(error)
}

/** A connection that broke, an answer that is not the store's, or a 5xx. */
function isUnanswered(error: Error): boolean {
  const { code, $metadata } = error as { code?: unknown; $metadata?: { httpStatusCode?: number } } // the SDK's errors
  if (typeof code === "string" && /^(E(?!RR_)[A-Z_]+|UND_ERR_.*)$/.test(code)) return true
  return ($metadata?.httpStatusCode ?? 0) >= 500
}

function refusal(error: unknown): (Row | undefined)[] | undefined {
  if (!(error instanceof TransactionCanceledException)) return undefined
  const reasons = error.CancellationReasons ?? []
  if (!reasons.some((reason) => reason.Code === "ConditionalCheckFailed")) return undefined
  return reasons.map((reason) => (reason.Code === "ConditionalCheckFailed" ? toRow(reason.Item) : undefined))
}

/** The SDK unmarshalls answers, but not what its exceptions carry. */
function toRow(item: Record<string, AttributeValue> | undefined): Row {
  return item ? unmarshall(item) : {}
}

function withOldRow(write: Write): Write {
  if (write.Put) return { Put: { ...oldIfRefused, ...write.Put } }
  if (write.Update) return { Update: { ...oldIfRefused, ...write.Update } }
  if (write.Delete) return { Delete: { ...oldIfRefused, ...write.Delete } }
  return { ConditionCheck: { ...oldIfRefused, ...write.ConditionCheck! } }
}
