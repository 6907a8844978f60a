import { getBinaryNodeChildren } from "@whiskeysockets/baileys"
import type { Interceptor } from "../listeners.ts"

/**
 * Learns in Baileys' place which collections of the account's settings have changed. Once they are read,
 * Baileys gets the notification without its content, and acknowledges it. A notification that is not
 * acknowledged comes again at the next login.
 * @param changed resolves with whether they were read, or never will be.
 */
export function onServerSync(changed: (collections: string[]) => Promise<boolean>): Interceptor {
  return async (node, pass) => {
    if (node.attrs.type !== "server_sync") return void (await pass(node))
    const names = getBinaryNodeChildren(node, "collection").flatMap(({ attrs }) => attrs.name ?? [])
    const { content: _, ...empty } = node
    if (await changed(names)) await pass(empty)
  }
}
