import type { EventEmitter } from "node:events"
import type { BinaryNode } from "@whiskeysockets/baileys"

/**
 * Takes the place of Baileys' listener for an event of its socket.
 * @param instead gets each stanza, and passes on to Baileys' own listener the stanzas that it does not keep
 * @throws Error where Baileys does not listen for it any more
 */
export function takeOver(
  ws: EventEmitter,
  event: string,
  instead: (node: BinaryNode, pass: (node: BinaryNode) => unknown) => unknown,
): void {
  const [listener] = ws.listeners(event)
  if (!listener) throw new Error(`Baileys does not listen for ${event}`)
  // The emitter's own type gives up on listeners of any shape.
  ws.removeListener(event, listener as () => void)
  const pass = (node: BinaryNode): unknown => Reflect.apply(listener, ws, [node])
  ws.on(event, (node: BinaryNode) => instead(node, pass))
}
