import * as dynalite from "dynalite/db/index.js"
import type { Callback, Store, Table } from "dynalite/db/index.js"

/** dynalite's store, on disk at `path` or in memory. Rejects if another process has it open. */
export async function openStore(path?: string): Promise<Store> {
  const store = dynalite.create({ path, createTableMs: 0, deleteTableMs: 0, updateTableMs: 0 })
  await store.db.open()
  return rememberingTables(store)
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
