import { randomUUID } from "node:crypto"
import { Lease } from "#core/lease/lease.ts"
import { aBridge } from "./service/bridge.ts"

/** A bridge whose lease is held by somebody who runs nothing. */
export async function aHeldLease(bridgeId?: string): Promise<Lease.Info> {
  const free = await Lease.get(bridgeId ?? (await aBridge()).id)
  const held = free && (await Lease.take(free, { id: randomUUID(), addr: "127.0.0.1:1" }))
  if (!held) throw new Error("the lease is not free")
  return held
}
