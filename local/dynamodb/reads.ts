import type { Engine } from "./engine.ts"
import { checkCondition, isTrue } from "./expressions/condition.ts"
import { parseCondition, parseProjection } from "./expressions/parse.ts"
import { projected } from "./expressions/path.ts"
import { type Placeholders, placeholdersOf, resolved } from "./expressions/placeholders.ts"
import { keyCondition } from "./key-condition.ts"
import { invalid } from "./refusal.ts"
import type { BatchGetItem, GetItem, Query, Scan } from "./requests.ts"
import { type Keyed, keyNames, ownPlace, type Place, placeOfItem, placeOfKey, type Table } from "./table.ts"
import { partitionOf, readUnits } from "./throughput.ts"
import { checkedItem, type Item, itemSize } from "./values/value.ts"

/** A page of a Query or a Scan has no more than this, in bytes. */
const largestPage = 1024 * 1024

export async function getItem(engine: Engine, request: GetItem): Promise<object> {
  const table = engine.tables.get(request.TableName)
  const projection =
    request.ProjectionExpression === undefined
      ? undefined
      : parseProjection("ProjectionExpression", request.ProjectionExpression)
  const given = placeholdersOf(request, [projection])
  const item = readOne(engine, table, request.Key, request.ConsistentRead)
  if (!item) return {}
  return {
    Item: projection
      ? projected(
          item,
          projection.tree.map((path) => resolved(path, given)),
        )
      : item,
  }
}

function readOne(engine: Engine, table: Table, key: object, isConsistent = false): Item | undefined {
  const place = placeOfKey(table, checkedItem(key))
  const partition = partitionOf(table, place)
  engine.partitions.mayTake("reads", [partition])
  const item = engine.rows.read(table, place)
  takeUnits(engine, partition, item ? [item] : [], isConsistent)
  return item
}

/** Sizes are looked at only where throughput is bounded. */
function takeUnits({ partitions }: Engine, partition: string, items: Item[], isConsistent: boolean): void {
  if (!partitions.isBounded) return
  const bytes = items.reduce((sum, item) => sum + itemSize(item), 0)
  partitions.take("reads", partition, readUnits(bytes, isConsistent))
}

/** BatchGetItem: each item as it is at the moment of the call. */
export async function batchGetItem(engine: Engine, { RequestItems }: BatchGetItem): Promise<object> {
  const asked = Object.entries(RequestItems).map(([name, { Keys, ConsistentRead }]) => ({
    table: engine.tables.get(name),
    keys: Keys,
    isConsistent: ConsistentRead,
  }))
  if (asked.reduce((sum, { keys }) => sum + keys.length, 0) > 100)
    throw invalid("Too many items requested for the BatchGetItem call")
  for (const { table, keys } of asked)
    if (new Set(keys.map((key) => JSON.stringify(placeOfKey(table, checkedItem(key))))).size < keys.length)
      throw invalid("Provided list of item keys contains duplicates")
  const found = asked.map(({ table, keys, isConsistent }) => [
    table.definition.TableName,
    keys.flatMap((key) => readOne(engine, table, key, isConsistent) ?? []),
  ])
  return { Responses: Object.fromEntries(found), UnprocessedKeys: {} }
}

/** Query, of a table or of an index. */
export async function query(engine: Engine, request: Query): Promise<object> {
  const table = engine.tables.get(request.TableName)
  const of = keyedOf(table, request)
  const key = parseCondition("KeyConditionExpression", request.KeyConditionExpression)
  const { given, ...chosen } = choice(request, [key])
  const asked = keyCondition(of, key.tree, given)
  const partition = partitionOf(of, { hash: String(asked.values[0]) })
  engine.partitions.mayTake("reads", [partition])
  const direction =
    request.ScanIndexForward === false ? { after: "<", order: "DESC" } : { after: ">", order: "ASC" }
  const start = startOf(table, of, request)
  if (start && start.hash !== asked.values[0])
    throw invalid("The provided starting key is outside query boundaries based on provided conditions")
  const items = engine.rows.select(
    of,
    `WHERE ${asked.where}${start ? ` AND (range, own) ${direction.after} (?, ?)` : ""}
     ORDER BY range ${direction.order}, own ${direction.order}`,
    start ? [...asked.values, start.range, start.own] : asked.values,
  )
  const { read, answer } = pageOf(table, of, items, { ...request, ...chosen, given })
  takeUnits(engine, partition, read, request.ConsistentRead === true)
  return answer
}

/** Scan: everything, in the order of the keys. */
export async function scan(engine: Engine, request: Scan): Promise<object> {
  const table = engine.tables.get(request.TableName)
  const of = keyedOf(table, request)
  const { given, ...chosen } = choice(request, [])
  const start = startOf(table, of, request)
  const items = engine.rows.select(
    of,
    `${start ? "WHERE (hash, range, own) > (?, ?, ?)" : ""} ORDER BY hash, range, own`,
    start ? [start.hash, start.range, start.own] : [],
  )
  return pageOf(table, of, items, { ...request, ...chosen, given }).answer
}

function keyedOf(table: Table, { IndexName: name, ConsistentRead }: Query | Scan): Keyed {
  if (name === undefined) return table
  const index = table.indexes.find((one) => one.name === name)
  if (!index) throw invalid(`The table does not have the specified index: ${name}`)
  if (ConsistentRead) throw invalid("Consistent reads are not supported on global secondary indexes")
  return index
}

/** What of the items found is answered. */
function choice(request: Query | Scan, more: ReturnType<typeof parseCondition>[]) {
  const { FilterExpression: filtering, ProjectionExpression: projecting } = request
  const filter = filtering === undefined ? undefined : parseCondition("FilterExpression", filtering)
  const projection =
    projecting === undefined ? undefined : parseProjection("ProjectionExpression", projecting)
  const given = placeholdersOf(request, [...more, filter, projection])
  if (filter) checkCondition(filter.tree, given)
  return { given, filter: filter?.tree, paths: projection?.tree.map((path) => resolved(path, given)) }
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

interface Wanted extends Partial<ReturnType<typeof choice>> {
  given: Placeholders
  Limit?: number | undefined
  Select?: string | undefined
}

/** Reads until the page is full or nothing is left. */
function pageOf(table: Table, of: Keyed, items: Generator<Item>, wanted: Wanted) {
  const read: Item[] = []
  const kept: Item[] = []
  let bytes = 0
  let isFull = false
  for (const item of items) {
    read.push(item)
    bytes += itemSize(item)
    if (!wanted.filter || isTrue(wanted.filter, item, wanted.given)) kept.push(item)
    isFull = read.length === wanted.Limit || bytes >= largestPage
    if (isFull) break
  }
  const last = isFull && read.at(-1)
  return {
    read,
    answer: {
      ...(wanted.Select !== "COUNT" && {
        Items: wanted.paths ? kept.map((item) => projected(item, wanted.paths!)) : kept,
      }),
      Count: kept.length,
      ScannedCount: read.length,
      ...(last && {
        LastEvaluatedKey: Object.fromEntries(cursorNames(table, of).map((name) => [name, last[name]])),
      }),
    },
  }
}
