import type { EngineParts } from "./engine-parts.ts"
import { checkCondition, isTrue } from "./expressions/condition.ts"
import { parseCondition, parseKeyCondition, parseProjection } from "./expressions/parse.ts"
import { nameOf, type Placeholders, placeholdersOf } from "./expressions/placeholders.ts"
import type { Located, Range } from "./keeper.ts"
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
  const one = located(engine.tables.get(request.TableName), request.Key)
  mayRead(engine, one)
  const [item] = await engine.keeper.read([one])
  takeUnits(engine, one, item ? [item] : [], request.ConsistentRead)
  return item ? { Item: item } : {}
}

function located(table: Table, key: object): Located {
  return { table, place: placeOfKey(table, checkedItem(key)) }
}

function mayRead({ partitions }: EngineParts, { table, place }: Located): void {
  partitions.mayTake("reads", [partitionOf(table, place)])
}

/** Sizes are looked at only where throughput is bounded. */
function takeUnits(
  { partitions }: EngineParts,
  { table: of, place }: { table: Keyed; place: Pick<Place, "hash"> },
  items: Item[],
  isConsistent = false,
): void {
  if (!partitions.isBounded) return
  const bytes = items.reduce((sum, item) => sum + itemSize(item), 0)
  partitions.consume("reads", partitionOf(of, place), readUnits(bytes, isConsistent))
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
  const places = asked.map(({ table, Keys }) => Keys.map((key) => located(table, key)))
  for (const of of places)
    if (new Set(of.map(({ place }) => JSON.stringify(place))).size < of.length)
      throw invalid("Provided list of item keys contains duplicates")
  for (const one of places.flat()) mayRead(engine, one)
  const found = (await engine.keeper.read(places.flat())).values()

  const Responses: Record<string, Item[]> = {}
  const UnprocessedKeys: BatchGetItem["RequestItems"] = {}
  let bytes = 0
  for (const [of, { name, Keys, ConsistentRead }] of asked.entries()) {
    const items: Item[] = (Responses[name] = [])
    for (const at of Keys.keys()) {
      const item = found.next().value
      if (bytes >= largestBatch) {
        UnprocessedKeys[name] ??= { ConsistentRead, Keys: Keys.slice(at) }
        continue
      }
      takeUnits(engine, places[of]![at]!, item ? [item] : [], ConsistentRead)
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
  engine.partitions.mayTake("reads", [partitionOf(of, asked)])
  const after = startOf(table, of, request)
  if (after && after.place.hash !== asked.hash)
    throw invalid("The provided starting key is outside query boundaries based on provided conditions")
  const isDescending = request.ScanIndexForward === false
  const page = await pageOf(engine, table, of, { ...asked, after, isDescending }, request.Limit)
  takeUnits(engine, { table: of, place: asked }, page.Items, request.ConsistentRead)
  // What it leaves out has been read all the same.
  const kept = filter ? page.Items.filter((item) => isTrue(filter.tree, item, given)) : page.Items
  return { ...page, Count: kept.length, Items: names ? kept.map((item) => only(names, item)) : kept }
}

/** Scan: everything, in the order of the keys. */
export async function scan(engine: EngineParts, request: Scan): Promise<object> {
  const table = engine.tables.get(request.TableName)
  const after = startOf(table, table, request)
  return await pageOf(engine, table, table, { bounds: [], after, isDescending: false })
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
function startOf(table: Table, of: Keyed, request: Query | Scan): Range["after"] {
  if (!request.ExclusiveStartKey) return undefined
  const key = checkedItem(request.ExclusiveStartKey)
  const names = cursorNames(table, of)
  if (Object.keys(key).length !== names.length || names.some((name) => !key[name]))
    throw invalid("The provided starting key is invalid")
  const inTable = placeOfItem(table, key)
  if (of === table) return { place: inTable, inTable }
  return { place: { ...placeOfItem(of, key), own: ownPlace(table, key) }, inTable }
}

const cursorNames = (table: Table, of: Keyed) => [...new Set([...keyNames(of), ...keyNames(table)])]

/** Reads until the page is full or nothing is left. */
async function pageOf({ keeper }: EngineParts, table: Table, of: Keyed, range: Range, limit = Infinity) {
  let bytes = 0
  let count = 0
  let last: Item | undefined
  const isLast = (item: Item) => {
    bytes += itemSize(item)
    count++
    if (count >= limit || bytes >= largestPage) last = item
    return last !== undefined
  }
  const Items = await keeper.page(table, of, range, isLast)
  const counts = { Count: Items.length, ScannedCount: Items.length }
  if (!last) return { Items, ...counts }
  const end = last
  const cursor = cursorNames(table, of).map((name) => [name, end[name]!] as const)
  return { Items, ...counts, LastEvaluatedKey: Object.fromEntries(cursor) }
}
