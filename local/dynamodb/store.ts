import { callbackify } from "node:util"
import * as dynalite from "dynalite/db/index.js"
import type { Callback, Item, Store, SubDb, Table } from "dynalite/db/index.js"
import { Rows } from "./rows.ts"

/** dynalite's store, on disk at `path` or in memory. Rejects if another process has it open. */
export async function openStore(path?: string): Promise<{ store: Store; rows: Rows }> {
  const store = dynalite.create({ path, createTableMs: 0, deleteTableMs: 0, updateTableMs: 0 })
  await store.db.open()
  const rows = new Rows(store.db)
  return { store: rememberingItems(rememberingTables(store), rows), rows }
}

/** As dynalite's store names the rows of its parts, which share one LevelDB: so one batch can hold them all. */
export function rowOfItem(table: string, key: string) {
  return `item-${table}~${key}`
}

function rememberingItems(store: Store, rows: Rows): Store {
  const tables = new Map<string, SubDb<Item>>()

  function getItemDb(table: string): SubDb<Item> {
    const known = tables.get(table)
    if (known) return known
    async function read(key: string): Promise<Item | undefined> {
      const name = rowOfItem(table, key)
      return (await rows.read([name])).get(name)
    }
    const get = callbackify(read) as SubDb<Item>["get"] // an item that is not there is no error
    const items = { ...store.getItemDb(table), get }
    tables.set(table, items)
    return items
  }

  function deleteItemDb(table: string, done: Callback<void>) {
    tables.delete(table)
    store.deleteItemDb(table, (error) => {
      rows.forget()
      done(error)
    })
  }
  return { ...store, getItemDb, deleteItemDb }
}

/** Each request reads its table's description: without this, reading and parsing them is a third of the work. */
function rememberingTables(store: Store): Store {
  const tables = new Map<string, Table>()

  function getTable(name: string, mustBeActive: boolean | Callback<Table>, done?: Callback<Table>) {
    // Who asks in this form may change what he gets.
    if (typeof mustBeActive !== "function") return store.getTable(name, mustBeActive, done!)
    const known = tables.get(name)
    if (known) return mustBeActive(null, known)
    store.getTable(name, (error, table) => {
      if (table?.TableStatus === "ACTIVE") tables.set(name, table)
      mustBeActive(error, table)
    })
  }

  const tableDb: Store["tableDb"] = {
    ...store.tableDb,
    put(name, table, done) {
      tables.delete(name)
      store.tableDb.put(name, table, done)
    },
    del(name, done) {
      tables.delete(name)
      store.tableDb.del(name, done)
    },
  }
  return { ...store, getTable, tableDb }
}
