import type { Store, Table } from "dynalite/db/index.js"

interface Update {
  TableName: string
  TimeToLiveSpecification: { AttributeName: string; Enabled: boolean }
}

/** Remembered and answered, but nothing expires: code that relies on expiry must fail here. */
export async function updateTimeToLive(store: Store, request: Update) {
  const { AttributeName, Enabled } = request.TimeToLiveSpecification
  const table = await describedTable(store, request.TableName)
  const TimeToLive = { AttributeName, TimeToLiveStatus: Enabled ? "ENABLED" : "DISABLED" }
  await new Promise<void>((resolve, reject) =>
    store.tableDb.put(request.TableName, { ...table, TimeToLive }, (error) =>
      error ? reject(error) : resolve(),
    ),
  )
  return { TimeToLiveSpecification: request.TimeToLiveSpecification }
}

export async function describeTimeToLive(store: Store, request: { TableName: string }) {
  const table = await describedTable(store, request.TableName)
  return { TimeToLiveDescription: table.TimeToLive ?? { TimeToLiveStatus: "DISABLED" } }
}

function describedTable(store: Store, name: string): Promise<Table> {
  return new Promise((resolve, reject) =>
    store.getTable(name, false, (error, table) => (error || !table ? reject(error) : resolve(table))),
  )
}
