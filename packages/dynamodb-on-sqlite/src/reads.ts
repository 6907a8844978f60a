import type { EngineParts } from "./engine-parts.ts"
import { checkCondition, isTrue } from "./expressions/condition.ts"
import { parseCondition, parseKeyCondition, parseProjection } from "./expressions/parse.ts"
import { nameOf, type Placeholders, placeholdersOf } from "./expressions/placeholders.ts"
import { keyCondition } from "./key-condition.ts"
import { invalid } from "./refusal.ts"
import type { BatchGetItem, GetItem, Query, Scan } from "./requests.ts"
import { type Keyed, keyNames, ownPlace, type Place, placeOfItem, placeOfKey, type Table } from "./table.ts"
import { partitionOf, readUnits } from "./throughput.ts"
import { checkedItem, type Item, itemSize } from "./values/value.ts"

/** A page of a Query or a Scan has no more than this, in bytes. */
const largestPage = 1024 * 1024
/** "A single operation can retrieve up to 16 MB of data." */
const largestBatch = 16 * 1024 * 1024

export async function getItem(engine: EngineParts, request: GetItem): Promise<object> {
  const item = readOne(engine, engine.tables.get(request.TableName), request.Key, request.ConsistentRead)
  return item ? { Item: item } : {}
}

function readOne(engine: EngineParts, table: Table, key: object, isConsistent = false): Item | undefined {
  const place = placeOfKey(table, checkedItem(key))
  const partition = partitionOf(table, place)
  engine.partitions.mayTake("reads", [partition])
  const item = engine.rows.read(table, place)
  takeUnits(engine, partition, item ? [item] : [], isConsistent)
  return item
}

/** Sizes are looked at only where throughput is bounded. */
function takeUnits(
  { partitions }: EngineParts,
  partition: string,
  items: Item[],
  isConsistent: boolean,
): void {
  if (!partitions.isBounded) return
  const bytes = items.reduce((sum, item) => sum + itemSize(item), 0)
  partitions.consume("reads", partition, readUnits(bytes, isConsistent))
}

/** BatchGetItem: each item as it is at the moment of the call, and as many as fit into an answer. */
export async function batchGetItem(engine: EngineParts, { RequestItems }: BatchGetItem): Promise<object> {
  const asked = Object.entries(RequestItems).map(([name, about]) => ({
    name,
    table: engine.tables.get(name),
    ...about,
  }))
  if (asked.reduce((sum, { Keys }) => sum + Keys.length, 0) > 100)
    throw invalid("Too many items requested for the BatchGetItem call")
  for (const { table, Keys } of asked)
    if (new Set(Keys.map((key) => JSON.stringify(placeOfKey(table, checkedItem(key))))).size < Keys.length)
      throw invalid("Provided list of item keys contains duplicates")

  const Responses: Record<string, Item[]> = {}
  const UnprocessedKeys: BatchGetItem["RequestItems"] = {}
  let bytes = 0
  for (const { name, table, Keys, ConsistentRead } of asked) {
    const items: Item[] = (Responses[name] = [])
    for (const [at, key] of Keys.entries()) {
      if (bytes >= largestBatch) {
        UnprocessedKeys[name] = { ConsistentRead, Keys: Keys.slice(at) }
        break
      }
      const item = readOne(engine, table, key, ConsistentRead)
      if (!item) continue
      items.push(item)
      bytes += itemSize(item)
    }
  }
  return { Responses, UnprocessedKeys }
}

/** Query, of a table or of an index. */
export async function query(engine: EngineParts, request: Query): Promise<object> {
  const table = engine.tables.get(request.TableName)
  const of = keyedOf(table, request)
  const key = parseKeyCondition("KeyConditionExpression", request.KeyConditionExpression)
  const projecting = request.ProjectionExpression
  const projection =
    projecting === undefined ? undefined : parseProjection("ProjectionExpression", projecting)
  const filtering = request.FilterExpression
  const filter = filtering === undefined ? undefined : parseCondition("FilterExpression", filtering)
  const given = placeholdersOf(request, [key, projection, filter])
  if (filter) checkCondition(filter, given)
  const names = projection && namesOf(projection.tree, given)
  const asked = keyCondition(of, key.tree, given)
  const partition = partitionOf(of, { hash: String(asked.values[0]) })
  engine.partitions.mayTake("reads", [partition])
  const start = startOf(table, of, request)
  if (start && start.hash !== asked.values[0])
    throw invalid("The provided starting key is outside query boundaries based on provided conditions")
  const direction =
    request.ScanIndexForward === false ? { after: "<", order: "DESC" } : { after: ">", order: "ASC" }
  const items = engine.rows.select(
    of,
    `WHERE ${asked.where}${start ? ` AND (range, own) ${direction.after} (?, ?)` : ""}
     ORDER BY range ${direction.order}, own ${direction.order}`,
    start ? [...asked.values, start.range, start.own] : asked.values,
  )
  const page = pageOf(table, of, items, request.Limit)
  takeUnits(engine, partition, page.Items, request.ConsistentRead === true)
  // What it leaves out has been read all the same.
  const kept = filter ? page.Items.filter((item) => isTrue(filter.tree, item, given)) : page.Items
  return { ...page, Count: kept.length, Items: names ? kept.map((item) => only(names, item)) : kept }
}

/** Scan: everything, in the order of the keys. */
export async function scan(engine: EngineParts, request: Scan): Promise<object> {
  const table = engine.tables.get(request.TableName)
  const start = startOf(table, table, request)
  const items = engine.rows.select(
    table,
    `${start ? "WHERE (hash, range) > (?, ?)" : ""} ORDER BY hash, range`,
    start ? [start.hash, start.range] : [],
  )
  return pageOf(table, table, items)
}

function keyedOf(table: Table, { IndexName: name, ConsistentRead }: Query): Keyed {
  if (name === undefined) return table
  const index = table.indexes.find((one) => one.name === name)
  if (!index) throw invalid(`The table does not have the specified index: ${name}`)
  if (ConsistentRead) throw invalid("Consistent reads are not supported on global secondary indexes")
  return index
}

/** The attributes that a projection names. */
function namesOf(projected: string[], given: Placeholders): string[] {
  const names = projected.map((name) => nameOf(name, given))
  if (new Set(names).size < names.length)
    throw invalid("Invalid ProjectionExpression: Two document paths overlap with each other")
  return names
}

function only(names: string[], item: Item): Item {
  return Object.fromEntries(names.flatMap((name) => (Object.hasOwn(item, name) ? [[name, item[name]!]] : [])))
}

/** The place of `ExclusiveStartKey`. */
function startOf(table: Table, of: Keyed, request: Query | Scan): Place | undefined {
  if (!request.ExclusiveStartKey) return undefined
  const key = checkedItem(request.ExclusiveStartKey)
  const names = cursorNames(table, of)
  if (Object.keys(key).length !== names.length || names.some((name) => !key[name]))
    throw invalid("The provided starting key is invalid")
  return of === table ? placeOfItem(table, key) : { ...placeOfItem(of, key), own: ownPlace(table, key) }
}

const cursorNames = (table: Table, of: Keyed) => [...new Set([...keyNames(of), ...keyNames(table)])]

/** Reads until the page is full or nothing is left. */
function pageOf(table: Table, of: Keyed, found: Generator<Item>, limit?: number) {
  const Items: Item[] = []
  let bytes = 0
  let last: Item | undefined
  for (const item of found) {
    Items.push(item)
    bytes += itemSize(item)
    if (Items.length < (limit ?? Infinity) && bytes < largestPage) continue
    last = item
    break
  }
  const counts = { Count: Items.length, ScannedCount: Items.length }
  if (!last) return { Items, ...counts }
  const cursor = cursorNames(table, of).map((name) => [name, last[name]!] as const)
  return { Items, ...counts, LastEvaluatedKey: Object.fromEntries(cursor) }
}
