export * as AllHostsStop from "./all-hosts-stop.ts"

import { now } from "../platform/clock.ts"
import { getRow, removeRow, updateRow } from "../store/store.ts"
import { tables } from "../store/tables.ts"

/**
 * While this row is there, the operator wants no session host to run: the sweep drains all and starts none.
 */
const key = { pk: "HOST_STOP", sk: "HOST_STOP" }

export async function isOn(): Promise<boolean> {
  return (await getRow(tables.leases, key)) !== undefined
}

export async function begin(): Promise<void> {
  await updateRow({
    TableName: tables.leases,
    Key: key,
    UpdateExpression: "SET since = if_not_exists(since, :now)",
    ExpressionAttributeValues: { ":now": now() },
  })
}

export async function end(): Promise<void> {
  await removeRow({ TableName: tables.leases, Key: key })
}
