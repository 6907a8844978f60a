import batchGetItem from "dynalite/actions/batchGetItem.js"
import createInBackground from "dynalite/actions/createTable.js"
import deleteTable from "dynalite/actions/deleteTable.js"
import describeTable from "dynalite/actions/describeTable.js"
import getItem from "dynalite/actions/getItem.js"
import listTables from "dynalite/actions/listTables.js"
import scan from "dynalite/actions/scan.js"
import updateTable from "dynalite/actions/updateTable.js"
import type { Callback, Store, Table } from "dynalite/db/index.js"
import * as validBatchGetItem from "dynalite/validations/batchGetItem.js"
import * as validBatchWriteItem from "dynalite/validations/batchWriteItem.js"
import * as validCreateTable from "dynalite/validations/createTable.js"
import * as validDeleteItem from "dynalite/validations/deleteItem.js"
import * as validDeleteTable from "dynalite/validations/deleteTable.js"
import * as validDescribeTable from "dynalite/validations/describeTable.js"
import * as validDescribeTimeToLive from "dynalite/validations/describeTimeToLive.js"
import * as validGetItem from "dynalite/validations/getItem.js"
import * as validListTables from "dynalite/validations/listTables.js"
import * as validPutItem from "dynalite/validations/putItem.js"
import * as validQuery from "dynalite/validations/query.js"
import * as validScan from "dynalite/validations/scan.js"
import * as validUpdateItem from "dynalite/validations/updateItem.js"
import * as validUpdateTable from "dynalite/validations/updateTable.js"
import { act, type Action, type actions, type Write } from "./engine/draft.ts"
import type { Engine } from "./engine/engine.ts"
import { ChangeOfIndexes, changeIndexes } from "./engine/indexes.ts"
import * as Reads from "./reads.ts"
import { describeTimeToLive, updateTimeToLive } from "./engine/time-to-live-setting.ts"
import { transactGet, transactWrite, type TransactWriteRequest } from "./transactions.ts"
import {
  returningItem,
  transactGetItems,
  validTransaction,
  updateTimeToLive as validUpdateTimeToLive,
  valid,
  type Validation,
} from "./validations.ts"
import { writeBatch, writeOne } from "./writes.ts"

/** Answers a request with a body, or throws a refusal. */
type Operation = (engine: Engine, request: object) => Promise<object>

/** Every supported operation, by its name in `X-Amz-Target`. */
export const operations = new Map<string, Operation>([
  ["BatchGetItem", first(Reads.batchGetItem, asDynalite(batchGetItem, validBatchGetItem))],
  ["BatchWriteItem", checked(validBatchWriteItem, writeBatch)],
  ["CreateTable", asDynalite(createTable, validCreateTable)],
  ["DeleteItem", writing("Delete", "DeleteItem", validDeleteItem)],
  ["DeleteTable", asDynalite(deleteTable, validDeleteTable)],
  ["DescribeTable", asDynalite(describeTable, validDescribeTable)],
  ["DescribeTimeToLive", checked(validDescribeTimeToLive, ({ store }, r) => describeTimeToLive(store, r))],
  ["GetItem", first(Reads.getItem, asDynalite(getItem, validGetItem))],
  ["ListTables", asDynalite(listTables, validListTables)],
  ["PutItem", writing("Put", "PutItem", validPutItem)],
  ["Query", checked(validQuery, Reads.queryItems)],
  ["Scan", asDynalite(scan, validScan)],
  ["TransactGetItems", checked(transactGetItems, transactGet)],
  [
    "TransactWriteItems",
    (engine, request) =>
      transactWrite(engine, validTransaction(request as TransactWriteRequest, engine.store)),
  ],
  ["UpdateItem", writing("Update", "UpdateItem", validUpdateItem)],
  ["UpdateTable", changeTable],
  ["UpdateTimeToLive", checked(validUpdateTimeToLive, ({ store }, r) => updateTimeToLive(store, r))],
])

async function changeTable(engine: Engine, request: object): Promise<object> {
  const change = ChangeOfIndexes.safeParse(request)
  if (change.success) return await changeIndexes(engine.store, change.data)
  return await asDynalite(updateTable, validUpdateTable)(engine, request)
}

function checked(
  validation: Validation,
  answer: (engine: Engine, request: never) => Promise<object>,
): Operation {
  // The validation makes the request the one that this operation takes.
  return (engine, request) => answer(engine, valid(request, validation, engine.store) as never)
}

function asDynalite(action: Action, validation: Validation): Operation {
  return checked(validation, ({ store }, request: object) => act(action, store, request))
}

/** `plain` answers most requests and leaves the rest to `other`. */
function first(
  plain: (engine: Engine, request: object) => Promise<object | undefined>,
  other: Operation,
): Operation {
  return async (engine, request) => (await plain(engine, request)) ?? (await other(engine, request))
}

function writing(kind: keyof typeof actions, operation: string, validation: Validation): Operation {
  return checked(returningItem(validation), (engine, request: Write) =>
    writeOne(engine, kind, { operation, request }),
  )
}

/** CreateTable. Answers once the table is active, so that nobody has to wait for it. */
function createTable(store: Store, request: object, done: Callback<object>) {
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
