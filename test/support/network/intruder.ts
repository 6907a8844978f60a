import { generateSignalPubKey } from "@whiskeysockets/baileys"
import { DataKeys } from "#core/keys/data-keys.ts"
import { open } from "#core/keys/seal.ts"
import { Bytes, getRow } from "#core/store/store.ts"
import { tables } from "#core/store/tables.ts"
import { Packing, decompress } from "#session-host/memory/compress.ts"
import { credsFromText } from "#session-host/whatsapp/signal/keys-as-text.ts"
import { advanceRatchet } from "../session/advance-ratchets.ts"
import type { aChat } from "../session/chat.ts"
import { aSignalDevice } from "./signal-device.ts"

/** A stranger on this bridge's network who knows its public keys and has their own Signal library. */
export async function anIntruder({ network, bridge, phone }: Awaited<ReturnType<typeof aChat>>) {
  const { lid, jid } = await network.phone("Eve")
  const eve = await aSignalDevice(lid)
  const creds = await credsOf(bridge.id)
  const { signedPreKey, signedIdentityKey, registrationId } = creds
  const to = creds.me!.lid!
  const bundle = {
    registrationId,
    identityKey: generateSignalPubKey(signedIdentityKey.public),
    signedPreKey: {
      keyId: signedPreKey.keyId,
      publicKey: generateSignalPubKey(signedPreKey.keyPair.public),
      signature: signedPreKey.signature,
    },
  }
  return {
    ...eve,
    /** The address with their phone number. */
    jid,
    /** Begins a new conversation, without a prekey. */
    begin: () => eve.repository.injectE2ESession({ jid: to, session: bundle }),
    /** Advances the chain as if this many messages had been sent that never arrive. */
    skip: (count: number) => advanceRatchet(eve, to, count),
    encrypt: (content: Parameters<typeof eve.encrypt>[1]) => eve.encrypt(to, content),
    /** Puts a message into the queue of the bridge's device. */
    post: async (attrs: Record<string, string>, ...sealed: { type: string; ciphertext: Uint8Array }[]) =>
      await network.control.stanza(`${phone.number}:1`, {
        tag: "message",
        attrs: { from: lid, t: String(Math.floor(Date.now() / 1000)), type: "text", ...attrs },
        content: sealed.map(({ type, ciphertext }) => ({
          tag: "enc",
          attrs: { v: "2", type },
          content: { base64: Buffer.from(ciphertext).toString("base64") },
        })),
      }),
  }
}

/** The credentials of a bridge's session, as its host would read them. */
async function credsOf(bridgeId: string) {
  const key = { pk: `BRIDGE#${bridgeId}`, sk: "CREDS" }
  const row = (await getRow(tables.sessions, key))!
  const opened = open((await DataKeys.get(bridgeId))!.session, key, Bytes.parse(row.sealed))
  return credsFromText(decompress(opened, row.packing === Packing ? Packing : undefined).toString())
}
