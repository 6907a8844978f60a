import type { EventEmitter } from "node:events"
import { type BinaryNode, getBinaryNodeChildren } from "@whiskeysockets/baileys"

/**
 * Hears which collections of the account's settings have changed, in Baileys' place: it answers the notification, and finds
 * nothing in it that it would have to read.
 */
export function takeServerSync(ws: EventEmitter, changed: (collection: string) => void): void {
  const [listener] = ws.listeners("CB:notification")
  if (!listener) throw new Error("Baileys does not listen for notifications")
  // The emitter's own type gives up on listeners of any shape.
  ws.removeListener("CB:notification", listener as () => void)
  ws.on("CB:notification", (node: BinaryNode) => {
    if (node.attrs.type !== "server_sync") return Reflect.apply(listener, ws, [node])
    for (const { attrs } of getBinaryNodeChildren(node, "collection")) if (attrs.name) changed(attrs.name)
    const { content: _, ...empty } = node
    return Reflect.apply(listener, ws, [empty])
  })
}
