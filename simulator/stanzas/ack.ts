import { goOn } from "../network/delivery.ts"
import { key } from "../network/directory.ts"
import type { Line } from "../network/line.ts"
import type { Network } from "../network/network.ts"
import type { Node } from "../wire/node.ts"

/** The device has a stanza, or (`error`) cannot use it; either way it is not sent again. */
export function ack(network: Network, line: Line, stanza: Node) {
  const { class: tag, id, to, error } = stanza.attrs
  if (network.faults.strike("unsettled", key(line.device))) return
  if (error && to === "status@broadcast" && line.stuckAt !== undefined) return
  if (tag && id) network.queue.settle(line.device, { tag, id, from: to, sent: line.sent })
  goOn(network, line)
}
