import {
  areJidsSameUser,
  type proto,
  type BinaryNode,
  type SignalRepositoryWithLIDStore,
} from "@whiskeysockets/baileys"
import { decode } from "./decode.ts"
import type { Keys } from "./keys.ts"
import type { Hold } from "./locks.ts"
import type { ILogger } from "./quiet-log.ts"

interface Input {
  plaintext: Uint8Array
  stanza: BinaryNode
  me: { id: string; lid?: string } | undefined
  keys: Keys
  hold: Hold
  inner: Pick<SignalRepositoryWithLIDStore, "processSenderKeyDistributionMessage">
  log: ILogger
}

/**
 * Applies what a message brings for the session's own keys, in the commit that journals the message: Baileys would do
 * it after the receipt, and a crash in between would lose it for good.
 */
export async function forOurselves(input: Input) {
  const { attrs } = input.stanza
  const from = attrs.from ?? ""
  try {
    const message = decode(input.plaintext)
    const content = message.deviceSentMessage?.message ?? message

    const distribution = content.senderKeyDistributionMessage
    if (distribution?.groupId) {
      const item = { item: distribution, authorJid: attrs.participant ?? from }
      await input.hold([distribution.groupId], () => input.inner.processSenderKeyDistributionMessage(item))
    }

    const ours = areJidsSameUser(from, input.me?.id) || areJidsSameUser(from, input.me?.lid)
    const share = content.protocolMessage?.appStateSyncKeyShare
    if (ours && share?.keys) await keepSyncKeys(share.keys, input.keys)
  } catch (error) {
    // Not readable: the message itself is still kept, and Baileys and the drain each say what they make of it.
    input.log.warn({ error }, "what a message brought for our own keys was not applied")
  }
}

async function keepSyncKeys(shared: proto.Message.IAppStateSyncKey[], keys: Keys) {
  const values: Record<string, proto.Message.IAppStateSyncKeyData> = {}
  for (const { keyId, keyData } of shared)
    if (keyId?.keyId && keyData) values[Buffer.from(keyId.keyId).toString("base64")] = keyData
  await keys.set({ "app-state-sync-key": values })
}
