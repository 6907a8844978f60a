import {
  areJidsSameUser,
  type proto,
  type BinaryNode,
  type SignalRepositoryWithLIDStore,
} from "@whiskeysockets/baileys"
import type { MessageContent } from "../../network/connection.ts"
import type { ILogger } from "../quiet-log.ts"
import { storeTimer } from "../send/disappearing-timers.ts"
import type { Keys } from "../signal/keys.ts"

interface Input {
  message: MessageContent
  stanza: BinaryNode
  me: { id: string; lid?: string } | undefined
  keys: Keys
  inner: Pick<SignalRepositoryWithLIDStore, "processSenderKeyDistributionMessage">
  log: ILogger
}

/**
 * Applies the changes that a message brings for the session's own keys, in the unit of that message. Baileys
 * would apply them after the receipt, and a crash in between would lose them for good.
 */
export async function applyKeysFromMessage(input: Input) {
  const { attrs } = input.stanza
  const from = attrs.from ?? ""
  try {
    const { message } = input
    const content = message.deviceSentMessage?.message ?? message

    // A sender key counts for the chat that it came to: the sender may write any `groupId` into it. No lock
    // is taken here: the decrypting code holds one already, and would wait for itself. Our own messages use
    // sender keys of our own.
    const distribution = content.senderKeyDistributionMessage
    if (distribution && attrs.participant) {
      const item = { ...distribution, groupId: from }
      await input.inner.processSenderKeyDistributionMessage({ item, authorJid: attrs.participant })
    }

    const ours = areJidsSameUser(from, input.me?.id) || areJidsSameUser(from, input.me?.lid)
    const share = content.protocolMessage?.appStateSyncKeyShare
    if (ours && share?.keys) await storeSyncKeys(share.keys, input.keys)

    const destination = message.deviceSentMessage?.destinationJid ?? undefined
    await storeTimer(content, { attrs, ours, destination }, input.keys)
  } catch (error) {
    // The message itself is still kept, and becomes its event.
    input.log.warn({ error }, "what a message brought for our own keys was not applied")
  }
}

async function storeSyncKeys(shared: proto.Message.IAppStateSyncKey[], keys: Keys) {
  const values: Record<string, proto.Message.IAppStateSyncKeyData> = {}
  for (const { keyId, keyData } of shared)
    if (keyId?.keyId && keyData) values[Buffer.from(keyId.keyId).toString("base64")] = keyData
  await keys.set({ "app-state-sync-key": values })
}
