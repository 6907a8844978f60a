import * as Jid from "../wire/jid.ts"
import { children, type Node } from "../wire/node.ts"
import type { ConnectedDevice } from "./connected-device.ts"
import type { User } from "./directory.ts"
import type { Network } from "./network.ts"

/** Whether these two know of each other: a household is as if it were alone on the network. */
export function knowEachOther(one: User | undefined, other: User | undefined): boolean {
  return one?.household?.name === other?.household?.name
}

const naming = ["to", "target", "jid", "participant", "recipient"]

/** Whether a stanza names a person whom its sender does not know. */
export function namesStranger(network: Network, line: ConnectedDevice, stanza: Node): boolean {
  const sender = network.directory.user(line.device.user)
  return jidsIn(stanza).some((jid) => {
    const user = network.directory.find(Jid.parse(jid))
    return user !== undefined && !knowEachOther(sender, user)
  })
}

function jidsIn(node: Node): string[] {
  const own = naming.flatMap((name) => node.attrs[name] ?? [])
  return [...own, ...children(node).flatMap(jidsIn)]
}
