import type { Line } from "./line.ts"
import type { Node } from "../wire/node.ts"

/** What the network does wrong on demand. */
export type Faults = {
  /** Devices (`number:device`) whose messages are taken but not acknowledged; `*` is every client. */
  heldAcks: Set<string>
  /** The acks kept back meanwhile. */
  held: { line: Line; ack: Node }[]
}

export const create = (): Faults => ({ heldAcks: new Set(), held: [] })
