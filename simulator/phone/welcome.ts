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

/**
 * What a phone tells a companion first, and when it asks: the key its account's settings are encrypted with. `asked`: of
 * each of these keys that it does not have it gives the name alone.
 */
export function keyShare(keys: Keys, asked?: proto.Message.IAppStateSyncKeyId[]): proto.IMessage {
  const { id, data, timestamp } = appStateKey(keys)
  const { rawId } = keys.identity()
  const fingerprint = { rawId, currentIndex: 0, deviceIndexes: [0] }
  const own = { keyId: { keyId: id }, keyData: { keyData: data, timestamp, fingerprint } }
  const shared = asked?.map(({ keyId }) =>
    Buffer.from(keyId ?? []).equals(id) ? own : { keyId: { keyId: keyId ?? null } },
  ) ?? [own]
  return {
    protocolMessage: {
      type: proto.Message.ProtocolMessage.Type.APP_STATE_SYNC_KEY_SHARE,
      appStateSyncKeyShare: {
        keys: shared,
      },
    },
  }
}
