import { randomBytes } from "node:crypto"
import { proto } from "@whiskeysockets/baileys"
import { now } from "../network/network.ts"
import type { AppStateKey, Keys } from "./keys.ts"

/** Made with the account's first companion. */
export function appStateKey(keys: Keys): AppStateKey {
  const found = keys.get("app-state-key", "")
  if (found) return found
  const made = {
    id: Buffer.concat([Buffer.from([0, 0]), randomBytes(4)]),
    data: randomBytes(32),
    timestamp: now(),
  }
  keys.put("app-state-key", "", made)
  return made
}

/** What a phone tells a companion first: the key its account's settings are encrypted with. */
export function keyShare(keys: Keys): proto.IMessage {
  const { id, data, timestamp } = appStateKey(keys)
  const { rawId } = keys.identity()
  const fingerprint = { rawId, currentIndex: 0, deviceIndexes: [0] }
  return {
    protocolMessage: {
      type: proto.Message.ProtocolMessage.Type.APP_STATE_SYNC_KEY_SHARE,
      appStateSyncKeyShare: {
        keys: [{ keyId: { keyId: id }, keyData: { keyData: data, timestamp, fingerprint } }],
      },
    },
  }
}
