import { randomBytes } from "node:crypto"
import { proto } from "@whiskeysockets/baileys"
import { now } from "../../clock.ts"
import type { AppStateKey, Keys } from "../signal/key-store.ts"

/** The current key of the account's settings, made with its first companion. */
export function appStateKey(keys: Keys): AppStateKey {
  return keys.get("app-state-key", "") ?? newAppStateKey(keys)
}

/** The key of this id, current or old. */
export function appStateKeyOf(keys: Keys, id: Uint8Array): AppStateKey | undefined {
  return [appStateKey(keys), keys.get("app-state-key", nameOf(id))].find(
    (key) => key && Buffer.from(id).equals(key.id),
  )
}

/** Makes a new key, with which settings are encrypted from now on. */
export function newAppStateKey(keys: Keys): AppStateKey {
  const before = keys.get("app-state-key", "")
  const made = {
    id: Buffer.concat([Buffer.from([0, before ? before.id[1]! + 1 : 0]), randomBytes(4)]), // of six bytes
    data: randomBytes(32),
    timestamp: now(),
  }
  for (const key of before ? [before, made] : [made]) keys.put("app-state-key", nameOf(key.id), key)
  keys.put("app-state-key", "", made)
  return made
}

const nameOf = (id: Uint8Array) => Buffer.from(id).toString("hex")

/**
 * The keys of the account's settings, which a phone gives a companion at first and on request. `asked`: these
 * keys; a key that the phone does not have is named without its data.
 */
export function keyShare(keys: Keys, asked?: proto.Message.IAppStateSyncKeyId[]): proto.IMessage {
  const { rawId } = keys.identity()
  const fingerprint = { rawId, currentIndex: 0, deviceIndexes: [0] }
  const given = ({ id, data, timestamp }: AppStateKey) => ({
    keyId: { keyId: id },
    keyData: { keyData: data, timestamp, fingerprint },
  })
  const shared = asked?.map(({ keyId }) => {
    const key = appStateKeyOf(keys, keyId ?? Buffer.alloc(0))
    return key ? given(key) : { keyId: { keyId: keyId ?? null } }
  }) ?? [given(appStateKey(keys))]
  return {
    protocolMessage: {
      type: proto.Message.ProtocolMessage.Type.APP_STATE_SYNC_KEY_SHARE,
      appStateSyncKeyShare: { keys: shared },
    },
  }
}
