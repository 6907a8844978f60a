import * as dynalite from "dynalite/db/index.js"
import type { Item, Table } from "dynalite/db/index.js"
import { tableOf } from "./draft.ts"
import type { Engine } from "./engine.ts"
import { rowOfItem } from "./store.ts"

// Most reads ask for whole items by their keys. Dynalite's own way takes detours that these do not need.

/** GetItem; undefined where it asks for more than an item, or for something that is none: then dynalite says what. */
export async function getItem(engine: Engine, request: object): Promise<object | undefined> {
  const { TableName, Key, ConsistentRead, ...more } = request as Record<string, unknown>
  const names = await namesOf(engine, TableName, { Keys: [Key], ConsistentRead, ...more })
  if (!names) return undefined
  const found = await engine.rows.read(names)
  return { Item: found.get(names[0]!) }
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
  const found = await engine.rows.read(names)
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
