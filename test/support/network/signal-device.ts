import { randomBytes } from "node:crypto"
import {
  Curve,
  generateSignalPubKey,
  initAuthCreds,
  proto,
  writeRandomPadMax16,
  type BinaryNode,
  type SignalRepositoryWithLIDStore,
} from "@whiskeysockets/baileys"
import { pino } from "pino"
import { newLocks } from "#core/platform/locks.ts"
import { installRepairs } from "#session-host/whatsapp/patches/install.ts"
import { keysOf } from "#session-host/whatsapp/signal/keys.ts"
import { durableRepository } from "#session-host/whatsapp/signal/repository.ts"
import { aVault, type VolatileVault } from "../session/vault.ts"

type Bundle = Parameters<SignalRepositoryWithLIDStore["injectE2ESession"]>[0]["session"]

interface Ciphertext {
  type: "pkmsg" | "msg"
  ciphertext: Uint8Array
}

/** A device with our repository over its own vault, and no other part of a connection. */
export async function aSignalDevice(lid: string, vault: VolatileVault = aVault()) {
  installRepairs()
  const creds = { ...initAuthCreds(), me: { id: "1:1@s.whatsapp.net", lid } }
  const keys = keysOf(vault)
  const stanzas = new WeakMap<Uint8Array, BinaryNode>()
  const repository = durableRepository(
    {
      creds,
      keys,
      changeVault: (change) => vault.change(change),
      intake: vault,
      guarded: (work) => work(),
      lockKeys: newLocks(),
      stanzaOf: (ciphertext) => stanzas.get(ciphertext),
      onSettled: () => {},
      whileAsking: (ask) => ask(),
      request: async () => {},
    },
    pino({ level: "silent" }),
    async () => [],
  )

  let preKeys = 0
  return {
    lid,
    vault,
    keys,
    repository,
    /** The keys that the network gives to a person who wants to write to this device. */
    async bundle() {
      const keyId = ++preKeys
      const pair = Curve.generateKeyPair()
      await keys.set({ "pre-key": { [keyId]: pair } })
      const { keyPair, signature } = creds.signedPreKey
      return {
        registrationId: creds.registrationId,
        identityKey: generateSignalPubKey(creds.signedIdentityKey.public),
        signedPreKey: {
          keyId: creds.signedPreKey.keyId,
          publicKey: generateSignalPubKey(keyPair.public),
          signature,
        },
        preKey: { keyId, publicKey: generateSignalPubKey(pair.public) },
      }
    },
    async open(peer: { lid: string; bundle(): Promise<Bundle> }) {
      await repository.injectE2ESession({ jid: peer.lid, session: await peer.bundle() })
    },
    encrypt: (to: string, content: proto.IMessage) =>
      repository.encryptMessage({
        jid: to,
        data: writeRandomPadMax16(proto.Message.encode(content).finish()),
      }),
    decrypt(from: string, sealed: Ciphertext, attrs: Record<string, string> = {}, beside: BinaryNode[] = []) {
      // Each delivery is a buffer of its own.
      const ciphertext = Buffer.from(sealed.ciphertext)
      stanzas.set(ciphertext, {
        tag: "message",
        attrs: { id: randomBytes(4).toString("hex"), from, ...attrs },
        content: beside,
      })
      return repository.decryptMessage({ jid: from, type: sealed.type, ciphertext })
    },
    decryptGroup(group: string, authorJid: string, msg: Uint8Array) {
      const ciphertext = Buffer.from(msg)
      stanzas.set(ciphertext, { tag: "message", attrs: { id: "g", from: group, participant: authorJid } })
      return repository.decryptGroupMessage({ group, authorJid, msg: ciphertext })
    },
  }
}

/** Two devices that have written to each other once. */
export async function twoSignalDevices(vaults: { ada?: VolatileVault; bob?: VolatileVault } = {}) {
  const ada = await aSignalDevice("111@lid", vaults.ada)
  const bob = await aSignalDevice("222@lid", vaults.bob)
  await ada.open(bob)
  await bob.decrypt(ada.lid, await ada.encrypt(bob.lid, { conversation: "hello" }))
  await ada.decrypt(bob.lid, await bob.encrypt(ada.lid, { conversation: "hello too" }))
  return { ada, bob }
}
