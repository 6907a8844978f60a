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
  DynamoDBDocumentClient,
  GetCommand,
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

/**
 * One conditional update: the row as it is now, or the row that refused it (`{}` where there is none). One that meets a
 * transaction on its row is not applied, and not repeated by the SDK: so here, for some two seconds.
 */
export async function update(
  input: ConstructorParameters<typeof UpdateCommand>[0],
): Promise<{ now: Row } | { refused: Row }> {
  for (let tries = 0; ; tries++) {
    try {
      const changed = await store.send(
        new UpdateCommand({
          ...input,
          ReturnValues: "ALL_NEW",
          ReturnValuesOnConditionCheckFailure: "ALL_OLD",
        }),
      )
      return { now: changed.Attributes ?? {} }
    } catch (error) {
      const refused = refusedRow(error)
      if (refused) return { refused }
      if (!(error instanceof TransactionConflictException) || tries === 9) throw error
      measure(error)
      await sleep(Math.random() * Math.min(1000, 20 * 2 ** tries))
    }
  }
}

/** The row that refused a conditional write (`{}` where there is none); undefined for every other error. */
export function refusedRow(error: unknown): Row | undefined {
  if (!(error instanceof ConditionalCheckFailedException)) return undefined
  return toRow(error.Item)
}

/** @returns false when the condition of this write refused it: the row has moved on, and is somebody else's. */
export async function unlessRefused(sent: Promise<unknown>): Promise<boolean> {
  try {
    await sent
    return true
  } catch (error) {
    if (refusedRow(error)) return false
    throw error
  }
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
  const old = { ReturnValuesOnConditionCheckFailure: "ALL_OLD" } as const
  if (write.Put) return { Put: { ...old, ...write.Put } }
  if (write.Update) return { Update: { ...old, ...write.Update } }
  if (write.Delete) return { Delete: { ...old, ...write.Delete } }
  return { ConditionCheck: { ...old, ...write.ConditionCheck! } }
}
