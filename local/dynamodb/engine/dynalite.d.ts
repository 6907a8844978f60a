/** The parts of dynalite 4.0.0 that are used here, since it ships no types. Its callbacks follow Node's convention. */

declare module "dynalite/db/index.js" {
  /** An attribute's value or an item, in DynamoDB's JSON. */
  export type Value = Record<string, unknown>
  export type Item = Record<string, Value>
  export type Callback<Result> = (error?: Error | null, result?: Result) => void
  export type Row = { type: "put"; key: string; value: Item } | { type: "del"; key: string }
  interface KeyPart {
    AttributeName: string
  }
  export interface Table {
    TableName: string
    TableStatus: string
    LocalSecondaryIndexes?: unknown[]
    AttributeDefinitions?: unknown[]
    KeySchema: KeyPart[]
    GlobalSecondaryIndexes?: { IndexName: string; KeySchema: KeyPart[] }[]
    TimeToLive?: { AttributeName: string; TimeToLiveStatus: string }
  }
  /** A table's items, an index's rows, or the descriptions of all tables. */
  export interface SubDb<Row> {
    lock: (key: string, run: (release: <Done>(done: Done) => Done) => void) => void
    get: (key: string, done: Callback<Row>) => void
    put: (key: string, row: Row, done: Callback<void>) => void
    del: (key: string, done: Callback<void>) => void
  }
  export interface LevelDb {
    open: () => Promise<void>
    close: () => Promise<void>
    batch: (rows: Row[], options?: { sync: boolean }) => Promise<void>
    getSync: (key: string) => Item | undefined
    getMany: (keys: string[]) => Promise<(Item | undefined)[]>
  }
  export interface Store {
    options: { maxItemSize: number }
    db: LevelDb
    tableDb: SubDb<Table>
    getItemDb: (table: string) => SubDb<Item>
    deleteItemDb: (table: string, done: Callback<void>) => void
    getIndexDb: (kind: "Local" | "Global", table: string, index: string) => SubDb<Item>
    deleteIndexDb: (kind: "Local" | "Global", table: string, index: string, done: Callback<void>) => void
    getTable: {
      (name: string, done: Callback<Table>): void
      (name: string, mustBeActive: boolean, done: Callback<Table>): void
    }
  }
  export interface Options {
    path?: string
    createTableMs: number
    deleteTableMs: number
    updateTableMs: number
  }

  export function create(options: Options): Store
  export function createKey(item: Item, table: Table, keySchema?: KeyPart[]): string
  export function validateKey(key: Item, table: Table): Error | null | undefined
  export function validateItem(item: Item, table: Table): Error | null | undefined
  export function checkConditional(request: object, item: Item | undefined): Error | null | undefined
  export function updateIndexes(
    store: Store,
    table: Table,
    existing: Item | undefined,
    item: Item,
    done: Callback<void>,
  ): void
  export function validationError(message: string): Error
  export function itemSize(item: Item): number
}

declare module "dynalite/validations/index.js" {
  import type { Store } from "dynalite/db/index.js"

  /** The members of a structure: their types and constraints, by name. */
  export type Types = Record<string, unknown>
  export function checkTypes<Request>(request: Request, types: Types): Request
  /** @throws ValidationException. `custom` also parses the expressions and leaves them in the request. */
  export function checkValidations(
    request: object,
    types: Types,
    custom: Custom | undefined,
    store: Store,
  ): void
  /** A complaint, or nothing. */
  export type Custom = (request: object, store: Store) => string | null | undefined
}

declare module "dynalite/validations/*" {
  import type { Custom, Types } from "dynalite/validations/index.js"

  export const types: Types
  export const custom: Custom | undefined
}

declare module "dynalite/actions/*" {
  import type { Callback, Store } from "dynalite/db/index.js"

  /** Calls back with the answer's body, or with an error that has a `statusCode` and a `body`. */
  const action: (store: Store, request: object, done: Callback<object>) => void
  export default action
}
