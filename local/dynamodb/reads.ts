import * as dynalite from "dynalite/db/index.js"
import type { Item, Table, Value } from "dynalite/db/index.js"
import query from "dynalite/actions/query.js"
import { act, tableOf } from "./engine/draft.ts"
import type { Engine } from "./engine/engine.ts"
import { readUnits, rowsOf } from "./engine/throughput.ts"
import { rowOfItem } from "./engine/store.ts"

// Most reads ask for whole items by their keys, and do not need the detours of dynalite's own way.

/** GetItem; undefined where it asks for more than an item or is not valid, which dynalite then handles. */
export async function getItem(engine: Engine, request: object): Promise<object | undefined> {
  const { TableName, Key, ConsistentRead, ...more } = request as Record<string, unknown>
  const names = await namesOf(engine, TableName, { Keys: [Key], ConsistentRead, ...more })
  if (!names) return undefined
  const found = await readIfMay(engine, names, ConsistentRead === true)
  return { Item: found.get(names[0]!) }
}

async function readIfMay({ rows, partitions }: Engine, names: string[], isConsistent: boolean) {
  partitions.mayTake("reads", names)
  const found = await rows.read(names)
  if (!partitions.isBounded) return found
  for (const [name, item] of found)
    partitions.take("reads", name, readUnits(item ? dynalite.itemSize(item) : 0, isConsistent))
  return found
}

/** Query, as dynalite answers it. */
export async function queryItems(engine: Engine, request: Query): Promise<object> {
  const { store, partitions } = engine
  if (!partitions.isBounded) return await act(query, store, request)
  const table = await tableOf(store, request.TableName)
  const asked = Object.entries(request.KeyConditions).map(([name, { AttributeValueList: values }]) => [
    name,
    values[0],
  ])
  const rows = rowsOf(table, Object.fromEntries(asked) as Item, request.IndexName)
  partitions.mayTake("reads", [rows])
  const counted = { ...request, ReturnConsumedCapacity: "TOTAL" }
  const { ConsumedCapacity: used, ...answer } = (await act(query, store, counted)) as Counted
  partitions.take("reads", rows, used.CapacityUnits)
  return answer
}

/** As its validation leaves it. */
interface Query {
  TableName: string
  IndexName?: string
  KeyConditions: Record<string, { AttributeValueList: Value[] }>
}

interface Counted {
  ConsumedCapacity: { CapacityUnits: number }
}

/** BatchGetItem; undefined as above, and where the answer may be too large for one. */
export async function batchGetItem(engine: Engine, request: object): Promise<object | undefined> {
  const { RequestItems, ...more } = request as Record<string, unknown>
  if (typeof RequestItems !== "object" || RequestItems === null || Object.keys(more).length > 0)
    return undefined
  const asked = await Promise.all(
    Object.entries(RequestItems).map(async ([table, keys]) => {
      return { table, names: await namesOf(engine, table, keys) }
    }),
  )
  const names = asked.flatMap((one) => one.names ?? [undefined])
  if (names.length === 0 || names.length > most.keys || new Set(names).size < names.length) return undefined
  if (!isFull(names)) return undefined
  // The most that it may take. This service always reads batches consistently.
  const found = await readIfMay(engine, names, true)
  // In another order than asked for, as DynamoDB itself may.
  const items = (of: string[]): Item[] =>
    of
      .toReversed()
      .map((name) => found.get(name))
      .filter((item) => item !== undefined)
  if (items(names).reduce((sum, item) => sum + dynalite.itemSize(item), 0) > most.bytes) return undefined
  const responses = asked.map((one) => [one.table, items(one.names!)])
  return { Responses: Object.fromEntries(responses), UnprocessedKeys: {} }
}

const most = { keys: 100, bytes: 1_000_000 }

function isFull(names: (string | undefined)[]): names is string[] {
  return names.every((name) => name !== undefined)
}

/** The names of rows in the store; undefined where one of the keys is none, or where more is asked of it. */
async function namesOf({ store }: Engine, table: unknown, asked: unknown): Promise<string[] | undefined> {
  if (typeof table !== "string" || typeof asked !== "object" || asked === null) return undefined
  const { Keys, ConsistentRead = false, ...more } = asked as Record<string, unknown>
  if (!Array.isArray(Keys) || typeof ConsistentRead !== "boolean" || Object.keys(more).length > 0)
    return undefined
  const described = await tableOf(store, table).catch(() => undefined)
  if (!described || !Keys.every((key) => isKey(key, described))) return undefined
  return Keys.map((key: Item) => rowOfItem(table, dynalite.createKey(key, described)))
}

function isKey(key: unknown, table: Table): key is Item {
  if (typeof key !== "object" || key === null) return false
  const parts = Object.values(key) as unknown[]
  return parts.every(isText) && !dynalite.validateKey(key as Item, table)
}

/** The keys of this service's tables are strings. */
function isText(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false
  const { S, ...more } = value as Record<string, unknown>
  return typeof S === "string" && Object.keys(more).length === 0
}
