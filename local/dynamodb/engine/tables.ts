import createInBackground from "dynalite/actions/createTable.js"
import type { Callback, Store, Table } from "dynalite/db/index.js"

/** CreateTable. Answers once the table is active, so that nobody has to wait for it. */
export function createTable(store: Store, request: object, done: Callback<object>) {
  const tableDb: Store["tableDb"] = {
    ...store.tableDb,
    put: (name: string, table: Table, stored: Callback<void>) =>
      store.tableDb.put(name, table, (error) => {
        stored(error)
        if (!error && table.TableStatus === "ACTIVE") done(null, { TableDescription: table })
      }),
  }
  createInBackground({ ...store, tableDb }, request, (error) => {
    if (error) done(error)
  })
}
