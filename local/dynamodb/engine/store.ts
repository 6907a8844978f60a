import { callbackify } from "node:util"
import * as dynalite from "dynalite/db/index.js"
import type { Callback, Item, Store, SubDb, Table } from "dynalite/db/index.js"
import { Rows } from "./durable-rows.ts"

/** dynalite's store, on disk at `path` or in memory. Rejects if another process has it open. */
export async function openStore(path?: string): Promise<{ store: Store; rows: Rows }> {
  const store = dynalite.create({ path, createTableMs: 0, deleteTableMs: 0, updateTableMs: 0 })
  await store.db.open()
  const rows = new Rows(store.db)
  return { store: rememberingItems(rememberingTables(store), rows), rows }
}

/** The name that dynalite's store gives an item's row. Its parts share one LevelDB, so one batch can span them. */
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
    const get = callbackify(read) as SubDb<Item>["get"] // a missing item is not an error
    const items = { ...store.getItemDb(table), get }
    tables.set(table, items)
    return items
  }

  function deleteItemDb(table: string, done: Callback<void>) {
    tables.delete(table)
    store.deleteItemDb(table, (error) => {
      rows.forgetAll(rowOfItem(table, ""))
      done(error)
    })
  }
  return { ...store, getItemDb, deleteItemDb }
}

/** Caches the tables' descriptions, which each request needs: reading and parsing them is a third of its work. */
function rememberingTables(store: Store): Store {
  const tables = new Map<string, Table>()

  function getTable(name: string, mustBeActive: boolean | Callback<Table>, done?: Callback<Table>) {
    // A caller of this form may change the description.
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
