import { jidNormalizedUser, proto, type WASocket } from "@whiskeysockets/baileys"

const { APP_STATE_SYNC_KEY_REQUEST: type } = proto.Message.ProtocolMessage.Type

/**
 * Asks the account's phone for keys of the settings, by their ids in base64. The phone answers with a
 * message.
 */
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
