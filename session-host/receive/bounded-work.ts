import type { EventEmitter } from "node:events"
import type { UnsettledStanzas } from "./order.ts"
import { takeOver } from "../baileys/take-over.ts"

/** Stanzas for which Baileys, or the code in its place, reads the store or asks the network. */
const workedAt = ["CB:receipt", "CB:notification"]

/**
 * Bounds how many receipts and notices are worked at: while there are too many, the network is read no further. Call it
 * when nobody takes over these stanzas any more. Stanzas of the backlog are not counted, since Baileys has a queue of
 * its own for them, and the network sends no more than it is asked for.
 */
export function boundWork(
  ws: EventEmitter,
  unsettled: Pick<UnsettledStanzas, "whileWorking" | "asked">,
): void {
  for (const event of workedAt)
    takeOver(ws, event, (node, pass) => unsettled.whileWorking(node, async () => await pass(node)))
  // Baileys waits for an answer by listening for its id. Work that needs the answer would wait for ever.
  const follow = (change: 1 | -1) => (event: string | symbol) => {
    if (String(event).startsWith("TAG:")) unsettled.asked(change)
  }
  ws.on("newListener", follow(1))
  ws.on("removeListener", follow(-1))
}
