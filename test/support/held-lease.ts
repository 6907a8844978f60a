import { randomUUID } from "node:crypto"
import { Lease } from "#core/lease/lease.ts"
import { updateRow } from "#core/store/store.ts"
import { tables } from "#core/store/tables.ts"
import { aBridge } from "./service/bridge.ts"

/** A bridge whose lease is held by a host that runs nothing. */
export async function aHeldLease(bridgeId?: string): Promise<Lease.Info> {
  const free = await Lease.get(bridgeId ?? (await aBridge()).id)
  const held = free && (await Lease.acquire(free, { id: randomUUID(), addr: "127.0.0.1:1" }))
  if (!held) throw new Error("the lease is not free")
  return held
}

/** Writes these fields into the row of a lease directly, past the code that owns it. */
export async function setLease(bridgeId: string, fields: Record<string, unknown>) {
  const names = Object.keys(fields)
  await updateRow({
    TableName: tables.leases,
    Key: Lease.key(bridgeId),
    UpdateExpression: `SET ${names.map((name) => `#${name} = :${name}`).join(", ")}`,
    ExpressionAttributeNames: Object.fromEntries(names.map((name) => [`#${name}`, name])),
    ExpressionAttributeValues: Object.fromEntries(names.map((name) => [`:${name}`, fields[name]])),
  })
}
