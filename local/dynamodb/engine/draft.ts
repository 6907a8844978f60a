import deleteItem from "dynalite/actions/deleteItem.js"
import putItem from "dynalite/actions/putItem.js"
import updateItem from "dynalite/actions/updateItem.js"
import * as dynalite from "dynalite/db/index.js"
import type { Callback, Item, Row, Store, SubDb } from "dynalite/db/index.js"
import { Refusal } from "../refusal.ts"
import { rowOfItem } from "./store.ts"

/** A write as PutItem, UpdateItem, DeleteItem and members of a transaction spell it, its expressions parsed. */
export interface Write {
  TableName: string
  Item?: Item
  Key?: Item
  ConditionExpression?: string
  ReturnValues?: string
  ReturnValuesOnConditionCheckFailure?: "ALL_OLD" | "NONE"
}

/** The effect of a write that is not applied yet. */
export interface Draft {
  answer: object
  /** The item's row, then its index rows. */
  rows: Row[]
  /** The members of `rows` that belong to global indexes. */
  indexRows: Row[]
  /** The item's size in bytes before or after, whichever is more. */
  size: number
}

export type Action = (store: Store, request: object, done: Callback<object>) => void

/** The four members of a transaction. */
export const actions = {
  Put: putItem,
  Update: updateItem,
  Delete: deleteItem,
  ConditionCheck: conditionCheck,
} satisfies Record<string, Action>

/** Turns dynalite's callback actions into promises. */
export function act(action: Action, store: Store, request: object): Promise<object> {
  return new Promise((resolve, reject) =>
    action(store, request, (error, answer) => (error ? reject(error) : resolve(answer ?? {}))),
  )
}

/** @throws if there is no table of this name. */
export function tableOf(store: Store, name: string): Promise<dynalite.Table> {
  return new Promise((resolve, reject) =>
    store.getTable(name, (error, table) => (error || !table ? reject(error) : resolve(table))),
  )
}

/** An item that is read or written. */
export interface Target {
  /** A name for the item, the same in all requests. */
  name: string
  /** Whether the item also has rows in an index. */
  isIndexed: boolean
}

/** @throws if the table or the key is wrong. */
export function targetOf(store: Store, write: Write): Promise<Target> {
  return new Promise((resolve, reject) =>
    store.getTable(write.TableName, (error, table) => {
      if (error || !table) return reject(error)
      const wrong = write.Item
        ? dynalite.validateItem(write.Item, table)
        : dynalite.validateKey(write.Key ?? {}, table)
      if (wrong) return reject(wrong)
      resolve({
        name: rowOfItem(table.TableName, dynalite.createKey(write.Item ?? write.Key ?? {}, table)),
        isIndexed: Boolean(table.GlobalSecondaryIndexes ?? table.LocalSecondaryIndexes),
      })
    }),
  )
}

/**
 * Runs dynalite's own action (conditions, updates and index rows included) on the item as it is, and collects what it
 * would write, to be committed as one. The caller must hold the item.
 */
export async function draft(
  store: Store,
  kind: keyof typeof actions,
  write: Write,
  before: Item | undefined,
): Promise<Draft> {
  const rows: Row[] = []
  const indexRows: Row[] = []
  let size = 0

  const drafting: Store = {
    ...store,
    getItemDb: (table) => ({
      ...keeping((key) => rowOfItem(table, key), [rows]),
      get: (_key, done) => done(null, before),
      put(key, item, done) {
        size = dynalite.itemSize(item)
        rows.push({ type: "put", key: rowOfItem(table, key), value: item })
        done(null)
      },
    }),
    getIndexDb: (kind, table, index) =>
      keeping(
        (key) => `index-${kind.toLowerCase()}~${table}~${index}~${key}`,
        kind === "Global" ? [rows, indexRows] : [rows],
      ),
  }

  try {
    const answer = await act(actions[kind], drafting, write)
    return { answer, rows, indexRows, size: Math.max(size, before ? dynalite.itemSize(before) : 0) }
  } catch (error) {
    throw withItem(error, write, before)
  }
}

/** Whether it is written whatever is there, so that nothing needs to be read. */
export function isBlind(kind: keyof typeof actions, write: Write, { isIndexed }: Target): boolean {
  return kind === "Put" && !isIndexed && !write.ConditionExpression && !write.ReturnValues
}

function keeping(rowOf: (key: string) => string, lists: Row[][]): SubDb<Item> {
  function keep(row: Row, done: Callback<void>) {
    for (const list of lists) list.push(row)
    done(null)
  }
  return {
    // The caller holds the item already.
    lock: (_key, run) => run((done) => done),
    get: (_key, done) => done(null, undefined),
    put: (key, value, done) => keep({ type: "put", key: rowOf(key), value }, done),
    del: (key, done) => keep({ type: "del", key: rowOf(key) }, done),
  }
}

/** `ReturnValuesOnConditionCheckFailure: ALL_OLD` */
function withItem(error: unknown, write: Write, item: Item | undefined) {
  if (!Refusal.is(error) || Refusal.nameOf(error) !== "ConditionalCheckFailedException") return error
  const asked = write.ReturnValuesOnConditionCheckFailure === "ALL_OLD"
  return new Refusal("ConditionalCheckFailedException", error.message, asked && item ? { Item: item } : {})
}

function conditionCheck(store: Store, request: object, done: Callback<object>) {
  const write = request as Write // validated as part of TransactWriteItems
  store.getTable(write.TableName, (error, table) => {
    if (error || !table) return done(error)
    store.getItemDb(write.TableName).get(dynalite.createKey(write.Key ?? {}, table), (failure, item) => {
      done(failure ?? dynalite.checkConditional(request, item), {})
    })
  })
}
