export * as BridgesOfPhone from "./bridges-of-phone.ts"

import { createHmac } from "node:crypto"
import { z } from "zod"
import { now } from "../platform/clock.ts"
import { need } from "../platform/config.ts"
import { query, updateRow } from "../store/store.ts"
import { bridgeIdOf, tables } from "../store/tables.ts"

/**
 * No bridge stays connected longer than this without reconnecting, since hosts are replaced. In seconds: 90
 * days.
 */
const keptFor = 90 * 86_400

/** A bridge that was linked to a phone, and when it last connected, in Unix seconds. */
const Linked = z.object({ bridgeId: z.string(), connectedAt: z.number().int() })
export type Linked = z.infer<typeof Linked>

/**
 * Records that a bridge has connected as this number (digits). Only a keyed hash is written: an operator can
 * look a number up, but not read it.
 */
export async function note(bridgeId: string, phone: string): Promise<void> {
  await updateRow({
    TableName: tables.leases,
    Key: { pk: pkOf(phone), sk: `BRIDGE#${bridgeId}` },
    UpdateExpression: "SET connected_at = :now, expires_at = :expires",
    ExpressionAttributeValues: { ":now": now(), ":expires": now() + keptFor },
  })
}

/**
 * The bridges that have connected as this number, latest first. One of them may be linked to another phone by
 * now.
 */
export async function find(phone: string): Promise<Linked[]> {
  const found: Linked[] = []
  const rows = query({
    TableName: tables.leases,
    ConsistentRead: true,
    KeyConditionExpression: "pk = :phone",
    ExpressionAttributeValues: { ":phone": pkOf(phone) },
  })
  for await (const row of rows)
    found.push(Linked.parse({ bridgeId: bridgeIdOf(row.sk), connectedAt: row.connected_at }))
  return found.toSorted((a, b) => b.connectedAt - a.connectedAt)
}

/** A number (digits) as it is stored and compared: a keyed hash, from which it cannot be read. */
export function hashOf(phone: string): string {
  return createHmac("sha256", need("PHONE_SECRET")).update(`linked phone ${phone}`).digest("hex")
}

function pkOf(phone: string): string {
  return `PHONE#${hashOf(phone)}`
}
