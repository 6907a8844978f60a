import type { Line } from "../network/line.ts"
import type { Network } from "../network/network.ts"
import type { Node } from "../wire/node.ts"

/** A device says whether its person looks, and under which name it goes. */
export function presence(network: Network, line: Line, stanza: Node) {
  const { name } = stanza.attrs
  const user = network.directory.user(line.device.user)
  if (stanza.tag !== "presence" || !name || !user || user.name === name) return
  network.directory.saveUser(Object.assign(user, { name }))
}
