import type { WASocket } from "@whiskeysockets/baileys"
import { NetworkRejected } from "#session-host/network/errors.ts"
import { askByNode } from "./ask.ts"

/**
 * Reacts to a post of a channel by its number, in a stanza of its own kind that nothing encrypts. The network
 * acknowledges it.
 * @throws NetworkRejected, NoAnswer
 */
export async function reactToPost(
  sock: Pick<WASocket, "query">,
  { channel, number, emoji }: { channel: string; number: string; emoji: string },
): Promise<void> {
  // 7: the sender takes something back.
  const taken: Record<string, string> = emoji === "" ? { edit: "7" } : {}
  const { attrs } = await askByNode(sock, {
    tag: "message",
    attrs: { to: channel, type: "reaction", server_id: number, ...taken },
    content: [{ tag: "reaction", attrs: emoji === "" ? {} : { code: emoji } }],
  })
  if (attrs.error) throw new NetworkRejected(Number(attrs.error))
}
