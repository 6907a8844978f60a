import type { Handed } from "../network.ts"
import type { Arrival } from "../receiver.ts"

/** The messages that the network handed to a bridge, and those that came to its receiver, each in order. */
export interface Pair {
  handed: Handed[]
  arrived: Arrival[]
}

/** Every message, once, in the order in which the network handed them over. */
export function faultsOf(bridge: string, { handed, arrived }: Pair): string[] {
  const known = new Set(handed.map(({ id }) => id))
  const ids = arrived.map(({ id }) => id)
  const strange = ids.filter((id) => !known.has(id)).length
  const missing = known.size - (new Set(ids).size - strange)
  const twice = ids.length - new Set(ids).size
  const isWhole = missing === 0 && twice === 0 && strange === 0
  const isInOrder = !isWhole || ids.every((id, i) => id === handed[i]?.id)
  return [
    ...(missing > 0 ? [`${bridge}: ${missing} of ${handed.length} messages are lost`] : []),
    ...(twice > 0 ? [`${bridge}: ${twice} messages came twice`] : []),
    ...(strange > 0 ? [`${bridge}: ${strange} messages came that nobody wrote`] : []),
    ...(isInOrder ? [] : [`${bridge}: messages came in another order`]),
  ]
}
