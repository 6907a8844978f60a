import { z } from "zod"
import { invalid, type Refusal } from "./refusal.ts"
import type { Step } from "./rows/commit.ts"
import { sortable } from "./values/number.ts"
import { held, type Item, type Value } from "./values/value.ts"

const Key = z
  .array(z.object({ AttributeName: z.string(), KeyType: z.enum(["HASH", "RANGE"]) }))
  .min(1)
  .max(2)
const Attributes = z.array(z.object({ AttributeName: z.string(), AttributeType: z.enum(["S", "N", "B"]) }))
const IndexDefinition = z.object({
  IndexName: z.string(),
  KeySchema: Key,
  Projection: z.object({ ProjectionType: z.enum(["ALL", "KEYS_ONLY"]) }),
})
export const Name = z.string().regex(/^[a-zA-Z0-9_.-]{3,255}$/)
/** CreateTable, as far as this store knows it. It is kept as it came. */
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
export const IndexChanges = z.strictObject({
  TableName: Name,
  AttributeDefinitions: Attributes,
  GlobalSecondaryIndexUpdates: z
    .array(
      z.union([
        z.strictObject({ Create: IndexDefinition }),
        z.strictObject({ Delete: z.object({ IndexName: z.string() }) }),
      ]),
    )
    .min(1),
})
export const TimeToLive = z.strictObject({
  TableName: Name,
  TimeToLiveSpecification: z.object({ AttributeName: z.string(), Enabled: z.boolean() }),
})

export interface KeyAttribute {
  name: string
  type: "S" | "N" | "B"
}

/** Where the rows of a table or of an index lie in SQL, and what they are found by. */
export interface Keyed {
  sql: string
  hash: KeyAttribute
  range: KeyAttribute | undefined
}
export interface Index extends Keyed {
  name: string
  holds: "ALL" | "KEYS_ONLY"
}
export interface Table extends Keyed {
  definition: Definition
  indexes: Index[]
}

/** A row's key in SQL, where all keys are texts that sort as DynamoDB sorts. `own` tells equal keys of an index apart. */
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

/** Expiry comes before the item, so that SQLite finds it without reading a large one. */
export function creation({ sql }: Keyed): Step[] {
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
  const keyed = (sql: string, schema: z.infer<typeof Key>): Keyed => {
    const [hash, range] = schema.map(({ AttributeName: key }) => {
      const type = attributes.find((one) => one.AttributeName === key)?.AttributeType
      if (!type)
        throw invalid(`One or more parameter values were invalid: ${key} is not defined as an attribute`)
      return { name: key, type }
    })
    return { sql, hash: hash!, range }
  }
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

/** As DescribeTable shows it. */
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

export const keyNames = ({ hash, range }: Keyed): string[] => (range ? [hash.name, range.name] : [hash.name])

/** The place of a key, which must have exactly the table's key attributes. */
export function placeOfKey(table: Table, key: Item): Place {
  const names = keyNames(table)
  if (Object.keys(key).length !== names.length || names.some((name) => !key[name]))
    throw invalid("The provided key element does not match the schema")
  return place(table, key, () => invalid("The provided key element does not match the schema"))
}

/** The place of an item in its table, or in an index that it is in. */
export function placeOfItem(of: Keyed, item: Item): Place {
  for (const name of keyNames(of))
    if (!item[name])
      throw invalid(`One or more parameter values were invalid: Missing the key ${name} in the item`)
  return place(of, item, ({ name, type }, value) =>
    invalid(
      `One or more parameter values were invalid: Type mismatch for key ${name} expected: ${type} actual: ${Object.keys(value)[0]}`,
    ),
  )
}

/** The row of an item in its table. */
export function rowOf(table: Table, item: Item): Row {
  return { of: table, place: placeOfItem(table, item), item, expires: expiryOf(table, item) }
}

/** The rows that an item has in the indexes of its table. @throws Refusal for a key of another type */
export function indexRows(table: Table, item: Item | undefined): Row[] {
  if (!item) return []
  return table.indexes.flatMap((index) => {
    if (keyNames(index).some((name) => !item[name])) return []
    const found = place(index, item, ({ name, type }, value) =>
      invalid(
        `One or more parameter values were invalid: Type mismatch for Index Key ${name} Expected: ${type} ` +
          `Actual: ${Object.keys(value)[0]} IndexName: ${index.name}`,
      ),
    )
    const own = ownPlace(table, item)
    return [{ of: index, place: { ...found, own }, item: inIndex(table, index, item), expires: null }]
  })
}

/** What tells an item apart from others with its key in an index. */
export function ownPlace(table: Table, item: Item): string {
  return JSON.stringify(keyNames(table).map((name) => item[name]))
}

function inIndex(table: Table, index: Index, item: Item): Item {
  if (index.holds === "ALL") return item
  return Object.fromEntries([...keyNames(table), ...keyNames(index)].map((name) => [name, item[name]!]))
}

function place(
  keyed: Keyed,
  item: Item,
  mismatch: (attribute: KeyAttribute, value: Value) => Refusal,
): Place {
  const textOf = (attribute: KeyAttribute, most: number): string => {
    const value = item[attribute.name]!
    const text = held(value, attribute.type)
    if (text === undefined) throw mismatch(attribute, value)
    if (text === "")
      throw invalid(
        "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty " +
          `${attribute.type === "B" ? "binary" : "string"} value. Key: ${attribute.name}`,
      )
    if (text.length * 3 > most && Buffer.byteLength(text, attribute.type === "B" ? "base64" : "utf8") > most)
      throw invalid(
        most === 2048
          ? "One or more parameter values were invalid: Size of hashkey has exceeded the maximum size limit of2048 bytes"
          : "One or more parameter values were invalid: Aggregated size of all range keys has exceeded the size limit of 1024 bytes",
      )
    return sortableText(attribute.type, text)
  }
  return { hash: textOf(keyed.hash, 2048), range: keyed.range ? textOf(keyed.range, 1024) : "", own: "" }
}

/** A text that sorts as DynamoDB sorts keys of this type: by their bytes, or as numbers. */
export function sortableText(type: KeyAttribute["type"], text: string): string {
  if (type === "N") return sortable(text)
  return type === "B" ? Buffer.from(text, "base64").toString("hex") : text
}

/** When the item expires, in Unix seconds; null if never. */
export function expiryOf({ definition }: Table, item: Item): number | null {
  const text = definition.timeToLive === undefined ? undefined : held(item[definition.timeToLive], "N")
  return text === undefined ? null : Math.floor(Number(text))
}
