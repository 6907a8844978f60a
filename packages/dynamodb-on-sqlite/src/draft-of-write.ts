import { checkCondition, isTrue } from "./expressions/condition.ts"
import { type Condition, type Parsed, parseCondition, parseUpdate, type Update } from "./expressions/parse.ts"
import { type Placeholders, placeholdersOf } from "./expressions/placeholders.ts"
import { checkUpdate, updated } from "./expressions/update.ts"
import { invalid, Refusal } from "./refusal.ts"
import type { Write } from "./requests.ts"
import { rowName } from "./rows/rows.ts"
import {
  checkIndexKeys,
  expiryOf,
  type Index,
  indexRows,
  keyNames,
  type Place,
  placeOfItem,
  placeOfKey,
  type Row,
  type Table,
} from "./table.ts"
import type { Tables } from "./tables.ts"
import { partitionOf } from "./throughput.ts"
import { checkedItem, type Item, itemSize, largestItem } from "./values/value.ts"

export type WriteKind = "Put" | "Update" | "Delete" | "ConditionCheck"

/** A write that could be carried out, whatever is stored. */
export interface Prepared {
  kind: WriteKind
  table: Table
  place: Place
  /** The name by which the item's row is held. */
  name: string
  /** What is put, or the key. */
  item: Item
  condition: Condition | undefined
  update: Update | undefined
  given: Placeholders
  write: Write
  /** Whether it has the same effect whatever is stored, so that nothing need be read first. */
  isBlind: boolean
}

/** The effect of a write that is not applied yet. */
export interface Draft {
  answer: object
  /** The item's row; none if nothing is written. */
  rows: Row[]
  indexRows: Row[]
  /** The item's size in bytes before or after, whichever is more. */
  size: () => number
}

/** Checks everything about a write that does not depend on what is stored. @throws Refusal */
export function prepare(tables: Tables, kind: WriteKind, write: Write): Prepared {
  const condition = parsedIf(parseCondition, "ConditionExpression", write)
  const update = parsedIf(parseUpdate, "UpdateExpression", write)
  const given = placeholdersOf(write, [condition, update])
  if (condition) checkCondition(condition, given)
  const table = tables.get(write.TableName)
  const item = checkedItem(write.Item ?? write.Key)
  const place = write.Item ? placeOfItem(table, item) : placeOfKey(table, item)
  if (write.Item && itemSize(item) > largestItem)
    throw invalid("Item size has exceeded the maximum allowed size")
  if (update) checkUpdate(update.tree, given, keyNames(table))
  const name = rowName(table, place)
  const isBlind = kind === "Put" && !condition && table.indexes.length === 0
  const parsed = { condition: condition?.tree, update: update?.tree, given }
  return { kind, table, place, name, item, ...parsed, write, isBlind }
}

/** The removal of an item that is in the table. */
export function removing(table: Table, found: Item): Prepared {
  const item = Object.fromEntries(keyNames(table).map((name) => [name, found[name]!]))
  const place = placeOfItem(table, item)
  const given = { names: {}, values: {} }
  const write = { TableName: table.definition.TableName }
  const name = rowName(table, place)
  return {
    kind: "Delete",
    table,
    place,
    name,
    item,
    condition: undefined,
    update: undefined,
    given,
    write,
    isBlind: false,
  }
}

function parsedIf<Tree>(
  parse: (kind: string, text: unknown) => Parsed<Tree>,
  kind: "ConditionExpression" | "UpdateExpression",
  write: Write,
): Parsed<Tree> | undefined {
  return write[kind] === undefined ? undefined : parse(kind, write[kind])
}

/**
 * What the write does to the item as it is. The caller holds its row. @throws Refusal if its condition fails
 */
export function draft(prepared: Prepared, before: Item | undefined): Draft {
  const { kind, table, place, condition, given, write } = prepared
  if (condition && !isTrue(condition, before, given))
    throw new Refusal(
      "ConditionalCheckFailedException",
      "The conditional request failed",
      write.ReturnValuesOnConditionCheckFailure === "ALL_OLD" && before ? { Item: before } : {},
    )
  const after = kind === "ConditionCheck" ? before : afterwards(prepared, before)
  const size = () => Math.max(before ? itemSize(before) : 0, after ? itemSize(after) : 0)
  if (kind === "ConditionCheck") return { answer: {}, rows: [], indexRows: [], size }
  const expires = after ? expiryOf(table, after) : null
  return {
    answer: after && write.ReturnValues === "ALL_NEW" ? { Attributes: after } : {},
    rows: before || after ? [{ of: table, place, item: after, expires }] : [],
    indexRows: changedIndexRows(table, before, after),
    size,
  }
}

function afterwards(
  { kind, table, item, update, given }: Prepared,
  before: Item | undefined,
): Item | undefined {
  if (kind === "Delete") return undefined
  const after = kind === "Put" ? item : updated(update!, before ?? item, given)
  checkIndexKeys(table, after)
  // `prepare` has checked the size of an item that is put.
  if (kind !== "Put" && itemSize(after) > largestItem)
    throw invalid("Item size to update has exceeded the maximum allowed size")
  return after
}

/**
 * The index rows to write. Those that the item leaves are removed. One that holds only keys, which have not
 * changed, stays as it is.
 */
function changedIndexRows(table: Table, before: Item | undefined, after: Item | undefined): Row[] {
  if (table.indexes.length === 0) return []
  const old = new Map(indexRows(table, before).map((row) => [rowName(row.of, row.place), row]))
  const now = new Map(indexRows(table, after).map((row) => [rowName(row.of, row.place), row]))
  const left = [...old].filter(([name]) => !now.has(name)).map(([, row]) => ({ ...row, item: undefined }))
  const changed = [...now].filter(([name, { of }]) => !old.has(name) || (of as Index).holds === "ALL")
  return [...left, ...changed.map(([, row]) => row)]
}

/** The partitions that the write takes throughput from. */
export function partitionsOf({ table, place }: Prepared, { indexRows: rows }: Draft): string[] {
  return [partitionOf(table, place), ...rows.map((row) => partitionOf(row.of, row.place))]
}
