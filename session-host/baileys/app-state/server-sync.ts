import { getBinaryNodeChildren, jidNormalizedUser, proto, type WASocket } from "@whiskeysockets/baileys"
import type { Instead } from "../tap.ts"

/**
 * Learns in Baileys' place which collections of the account's settings have changed. Once they are read, Baileys gets the
 * notification to acknowledge it, with nothing in it to read. Unacknowledged, it comes again at the next login.
 * @param changed resolves with whether they were read, or never will be.
 */
export function onServerSync(changed: (collections: string[]) => Promise<boolean>): Instead {
  return async (node, pass) => {
    if (node.attrs.type !== "server_sync") return void (await pass(node))
    const names = getBinaryNodeChildren(node, "collection").flatMap(({ attrs }) => attrs.name ?? [])
    const { content: _, ...empty } = node
    if (await changed(names)) await pass(empty)
  }
}

const { APP_STATE_SYNC_KEY_REQUEST: type } = proto.Message.ProtocolMessage.Type

/** Asks the account's phone for keys of the settings, by their ids in base64. The phone answers with a message. */
export async function askForSyncKeys(
  { relayMessage, user }: Pick<WASocket, "relayMessage" | "user">,
  ids: string[],
): Promise<void> {
  const keyIds = ids.map((id) => ({ keyId: Buffer.from(id, "base64") }))
  const message = { protocolMessage: { type, appStateSyncKeyRequest: { keyIds } } }
  await relayMessage(jidNormalizedUser(user?.id), message, {
    additionalAttributes: { category: "peer", push_priority: "high_force" },
    additionalNodes: [{ tag: "meta", attrs: { appdata: "default" } }],
  })
}
