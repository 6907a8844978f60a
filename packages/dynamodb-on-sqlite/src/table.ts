import { z } from "zod"
import { invalid } from "./refusal.ts"
import type { Step } from "./rows/commit.ts"
import { sortable } from "./values/number.ts"
import { held, type Item, typeOf } from "./values/value.ts"

const Key = z.tuple([
  z.object({ AttributeName: z.string(), KeyType: z.literal("HASH") }),
  z.object({ AttributeName: z.string(), KeyType: z.literal("RANGE") }),
])
const Attributes = z.array(z.object({ AttributeName: z.string(), AttributeType: z.enum(["S", "N"]) }))
const IndexDefinition = z.object({
  IndexName: z.string(),
  KeySchema: Key,
  Projection: z.object({ ProjectionType: z.enum(["ALL", "KEYS_ONLY"]) }),
})
export const Name = z.string().regex(/^[a-zA-Z0-9_.-]{3,255}$/)
/** CreateTable, as far as this store knows it. The request is kept as it came. */
export const Definition = z.strictObject({
  TableName: Name,
  BillingMode: z.literal("PAY_PER_REQUEST"),
  AttributeDefinitions: Attributes,
  KeySchema: Key,
  GlobalSecondaryIndexes: z.array(IndexDefinition).default([]),
  /** The attribute by which its items expire. */
  timeToLive: z.string().optional(),
})
export type Definition = z.infer<typeof Definition>
export const TimeToLive = z.strictObject({
  TableName: Name,
  TimeToLiveSpecification: z.object({ AttributeName: z.string(), Enabled: z.boolean() }),
})

export interface KeyAttribute {
  name: string
  type: "S" | "N"
}

/** Where the rows of a table or of an index lie in SQL, and what they are found by. */
export interface Keyed {
  sql: string
  hash: KeyAttribute
  range: KeyAttribute
}
export interface Index extends Keyed {
  name: string
  holds: "ALL" | "KEYS_ONLY"
}
export interface Table extends Keyed {
  definition: Definition
  indexes: Index[]
}

/**
 * A row's key in SQL, where all keys are texts that sort as DynamoDB sorts. `own` tells equal keys of an
 * index apart.
 */
export interface Place {
  hash: string
  range: string
  own: string
}

/** A row as it is to be: without an item it is removed. */
export interface Row {
  of: Keyed
  place: Place
  item: Item | undefined
  /** Unix seconds. */
  expires: number | null
}

/** The name in SQL of a table. */
export const sqlOf = (name: string): string => `"table ${name}"`

/**
 * The steps that create a table. The column of the expiry is before that of the item, so that SQLite finds it
 * without reading a large item.
 */
export function creationSteps({ sql }: Keyed): Step[] {
  return [
    [
      `CREATE TABLE ${sql} (hash TEXT, range TEXT, own TEXT, expires INTEGER, item TEXT NOT NULL,
       PRIMARY KEY (hash, range, own)) WITHOUT ROWID`,
    ],
    [`CREATE INDEX ${sql.replace('"', '"expiry of ')} ON ${sql} (expires) WHERE expires IS NOT NULL`],
  ]
}

export function tableOf(definition: Definition): Table {
  const { TableName: name, AttributeDefinitions: attributes } = definition
  const keyed = (sql: string, [hash, range]: z.infer<typeof Key>): Keyed => ({
    sql,
    hash: keyAttribute(attributes, hash.AttributeName),
    range: keyAttribute(attributes, range.AttributeName),
  })
  return {
    ...keyed(sqlOf(name), definition.KeySchema),
    definition,
    indexes: definition.GlobalSecondaryIndexes.map((index) => ({
      ...keyed(`"index ${name} ${index.IndexName}"`, index.KeySchema),
      name: index.IndexName,
      holds: index.Projection.ProjectionType,
    })),
  }
}

function keyAttribute(attributes: z.infer<typeof Attributes>, name: string): KeyAttribute {
  const type = attributes.find((one) => one.AttributeName === name)?.AttributeType
  if (!type)
    throw invalid(`One or more parameter values were invalid: ${name} is not defined as an attribute`)
  return { name, type }
}

/** A table as DescribeTable shows it. */
export function description({ definition }: Table): object {
  const { timeToLive: _, GlobalSecondaryIndexes: indexes, ...shown } = definition
  return {
    ...shown,
    TableStatus: "ACTIVE",
    ...(indexes.length > 0 && {
      GlobalSecondaryIndexes: indexes.map((index) => ({ ...index, IndexStatus: "ACTIVE" })),
    }),
  }
}

export const keyNames = ({ hash, range }: Keyed): string[] => [hash.name, range.name]

/** The place of a key, which must have exactly the table's key attributes. @throws Refusal */
export function placeOfKey(table: Table, key: Item): Place {
  const names = keyNames(table)
  if (Object.keys(key).length !== names.length || names.some((name) => !key[name]))
    throw invalid("The provided key element does not match the schema")
  return placeOfItem(table, key)
}

/** The place of an item in its table, or in one of the table's indexes. @throws Refusal */
export function placeOfItem(of: Keyed, item: Item): Place {
  for (const name of keyNames(of))
    if (!item[name])
      throw invalid(`One or more parameter values were invalid: Missing the key ${name} in the item`)
  return { hash: textOf(of, "hash", item), range: textOf(of, "range", item), own: "" }
}

/** The row of an item in its table. */
export function rowOf(table: Table, item: Item): Row {
  return { of: table, place: placeOfItem(table, item), item, expires: expiryOf(table, item) }
}

/**
 * Checks the keys that an item has in indexes. It may lack one, but what it has must be valid. @throws
 * Refusal
 */
export function checkIndexKeys(table: Table, item: Item): void {
  for (const index of table.indexes)
    for (const part of ["hash", "range"] as const) if (item[index[part].name]) textOf(index, part, item)
}

/**
 * The rows that an item has in the indexes of its table. @throws Refusal if one of their keys is not valid
 */
export function indexRows(table: Table, item: Item | undefined): Row[] {
  if (!item) return []
  return table.indexes.flatMap((index) => {
    if (keyNames(index).some((name) => !item[name])) return []
    const place = { ...placeOfItem(index, item), own: ownPlace(table, item) }
    return [{ of: index, place, item: inIndex(table, index, item), expires: null }]
  })
}

/** What tells an item apart from others with its key in an index. */
export function ownPlace(table: Table, item: Item): string {
  return JSON.stringify(keyNames(table).map((name) => item[name]))
}

/** The attributes of an item that an index has. */
export function inIndex(table: Table, index: Index, item: Item): Item {
  if (index.holds === "ALL") return item
  return Object.fromEntries([...keyNames(table), ...keyNames(index)].map((name) => [name, item[name]!]))
}

/** The most that each key may have, in bytes. */
const longest = { hash: 2048, range: 1024 }

function textOf(of: Keyed, part: "hash" | "range", item: Item): string {
  const { name, type } = of[part]
  const text = held(item[name], type)
  if (text === undefined)
    throw invalid(
      `One or more parameter values were invalid: Type mismatch for key ${name} expected: ${type} actual: ${typeOf(item[name]!)}`,
    )
  if (text.length * 3 > longest[part] && Buffer.byteLength(text) > longest[part])
    throw invalid(
      part === "hash"
        ? "One or more parameter values were invalid: Size of hashkey has exceeded the maximum size limit of2048 bytes"
        : "One or more parameter values were invalid: Aggregated size of all range keys has exceeded the size limit of 1024 bytes",
    )
  return sortableText(of[part], text)
}

/**
 * A text that sorts as DynamoDB sorts keys: by their bytes, or as numbers.
 * @throws Refusal for a text that cannot be a key
 */
export function sortableText({ name, type }: KeyAttribute, text: string): string {
  if (text === "")
    throw invalid(
      "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty " +
        `string value. Key: ${name}`,
    )
  // SQLite would store any half of a surrogate pair as the same character.
  if (!text.isWellFormed())
    throw invalid(`One or more parameter values were invalid: not well-formed text. Key: ${name}`)
  return type === "N" ? sortable(text) : text
}

/** When the item expires, in Unix seconds; null if never. */
export function expiryOf({ definition }: Table, item: Item): number | null {
  const text = definition.timeToLive === undefined ? undefined : held(item[definition.timeToLive], "N")
  return text === undefined ? null : Math.floor(Number(text))
}
