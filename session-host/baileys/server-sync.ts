import type { EventEmitter } from "node:events"
import { type BinaryNode, getBinaryNodeChildren } from "@whiskeysockets/baileys"

/**
 * Hears which collections of the account's settings have changed, in Baileys' place. Baileys answers the notification once
 * they are read, and finds nothing in it that it would have to read itself; unanswered, it comes again at the next login.
 * @param changed resolves with whether they were read, or never will be.
 */
export function takeServerSync(ws: EventEmitter, changed: (collections: string[]) => Promise<boolean>): void {
  const [listener] = ws.listeners("CB:notification")
  if (!listener) throw new Error("Baileys does not listen for notifications")
  // The emitter's own type gives up on listeners of any shape.
  ws.removeListener("CB:notification", listener as () => void)
  const pass = (node: BinaryNode): unknown => Reflect.apply(listener, ws, [node])
  const answerOnceRead = async (node: BinaryNode) => {
    const names = getBinaryNodeChildren(node, "collection").flatMap(({ attrs }) => attrs.name ?? [])
    const { content: _, ...empty } = node
    if (await changed(names)) pass(empty)
  }
  ws.on("CB:notification", (node: BinaryNode) =>
    node.attrs.type === "server_sync" ? answerOnceRead(node) : pass(node),
  )
}
