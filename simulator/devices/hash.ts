import { createHash } from "node:crypto"
import * as Jid from "../wire/jid.ts"
import type { Address, User } from "../network/directory.ts"
import { inMode, type Mode } from "../network/addressing.ts"

/**
 * The network's hash of a list of devices (`phash`). Clients compute it from their own list: the full addresses, with the
 * agent 0, sorted and joined.
 */
export function deviceHash(mode: Mode, devices: [User, Address][]): string {
  const named = devices.map(([user, { id }]) => {
    const { user: name, server } = Jid.parse(inMode(mode, user)) ?? { user: "", server: "" }
    return `${name}.0:${id}@${server}`
  })
  const hash = createHash("sha256").update(named.toSorted().join("")).digest()
  return `2:${hash.subarray(0, 6).toString("base64").replaceAll("=", "")}`
}
