import { randomBytes } from "node:crypto"
import { deflateSync } from "node:zlib"
import { proto } from "@whiskeysockets/baileys"
import { type Network, now } from "../network/network.ts"
import * as Jid from "../wire/jid.ts"
import type { AppStateKey, Keys } from "./keys.ts"

const { Type } = proto.Message.ProtocolMessage

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
 * What a phone tells a companion it has just linked: the app-state key, then what happened before.
 * A client that waits for the history shows nothing until it has come.
 */
export function welcomeMessages(network: Network, keys: Keys, contacts: string[]): proto.IMessage[] {
  const { id, data, timestamp } = appStateKey(keys)
  const { rawId } = keys.identity()
  const known = contacts.flatMap((pn) => network.directory.user(pn) ?? [])
  const share: proto.IMessage = {
    protocolMessage: {
      type: Type.APP_STATE_SYNC_KEY_SHARE,
      appStateSyncKeyShare: {
        keys: [
          {
            keyId: { keyId: id },
            keyData: {
              keyData: data,
              timestamp,
              fingerprint: { rawId, currentIndex: 0, deviceIndexes: [0] },
            },
          },
        ],
      },
    },
  }
  return [
    share,
    history("INITIAL_BOOTSTRAP", {
      conversations: [],
      phoneNumberToLidMappings: known.map((user) => ({
        pnJid: Jid.format(user.pn, Jid.server),
        lidJid: Jid.format(user.lid, "lid"),
      })),
    }),
    history("PUSH_NAME", {
      conversations: [],
      pushnames: known.map((user) => ({ id: Jid.format(user.pn, Jid.server), pushname: user.name })),
    }),
  ]
}

function history(
  type: "INITIAL_BOOTSTRAP" | "PUSH_NAME",
  content: Omit<proto.IHistorySync, "syncType">,
): proto.IMessage {
  const sync = proto.HistorySync.encode({ ...content, syncType: proto.HistorySync.HistorySyncType[type] })
  return {
    protocolMessage: {
      type: Type.HISTORY_SYNC_NOTIFICATION,
      historySyncNotification: {
        syncType: proto.Message.HistorySyncType[type],
        chunkOrder: 1,
        progress: 100,
        initialHistBootstrapInlinePayload: deflateSync(sync.finish()),
      },
    },
  }
}
