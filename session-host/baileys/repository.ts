import { createHash } from "node:crypto"
import {
  DEFAULT_CONNECTION_CONFIG,
  jidDecode,
  jidEncode,
  type BinaryNode,
  type LIDMapping,
  type SignalCreds,
  type SignalRepositoryWithLIDStore,
} from "@whiskeysockets/baileys"
import type { Vault } from "../network.ts"
import { forOurselves } from "./for-ourselves.ts"
import type { Keys, Unit } from "./keys.ts"
import { SessionRecord } from "./libsignal.ts"
import type { Hold } from "./locks.ts"
import type { ILogger } from "./quiet-log.ts"
import { hasChild } from "./stanza.ts"
import { transmission } from "./transmission.ts"

/** What a redelivered message becomes once its event is written: it unpads to an empty message, so only the receipt goes out. */
const emptyMessage = Buffer.of(1)

export interface RepositoryInput {
  creds: SignalCreds & { me?: { id: string; lid?: string } }
  keys: Keys
  vault: Pick<Vault, "lookUp">
  /** By Signal address. */
  hold: Hold
  /** The stanza that a ciphertext came in. */
  stanzaOf: (ciphertext: Uint8Array) => BinaryNode | undefined
  /** The message is durable; its receipt has not left yet. */
  onJournalled: () => void
  /** Nothing more will become of this ciphertext now. */
  onSettled: (ciphertext: Uint8Array) => void
}

type InjectedSession = Parameters<SignalRepositoryWithLIDStore["injectE2ESession"]>[0]

/**
 * Baileys' Signal repository with two promises that it does not make: a message is journalled in the commit that moves
 * its ratchet, before its receipt; and no ciphertext leaves before the ratchet that made it is kept.
 */
export function durableRepository(
  input: RepositoryInput,
  log: ILogger,
  lidsOf?: (jids: string[]) => Promise<LIDMapping[] | undefined>,
): SignalRepositoryWithLIDStore {
  const { keys, hold } = input
  const inner = DEFAULT_CONNECTION_CONFIG.makeSignalRepository({ creds: input.creds, keys }, log, lidsOf)

  const addressesOf = async (jid: string) => {
    const lid = await inner.lidMapping.getLIDForPN(jid)
    return [...new Set([jid, lid ?? jid])].map((each) => inner.jidToSignalProtocolAddress(each))
  }

  const journalled = async (ciphertext: Uint8Array, decrypt: () => Promise<Uint8Array>) => {
    const hash = createHash("sha256").update(ciphertext).digest("hex")
    const known = await input.vault.lookUp(hash)
    if (known.state === "drained") return emptyMessage
    if (known.state === "journalled") return Buffer.from(known.plaintext)

    const stanza = input.stanzaOf(ciphertext)
    if (!stanza) throw new Error("a ciphertext without its stanza")
    const plaintext = await keys.atomically(async (unit) => {
      const decrypted = await decrypt()
      await forOurselves({ plaintext: decrypted, stanza, me: input.creds.me, keys, inner, log })
      const verified = hasChild(stanza, "verified_name")
      unit.received = { hash, attrs: stanza.attrs, plaintext: decrypted, ...(verified && { verified }) }
      return decrypted
    })
    input.onJournalled()
    return plaintext
  }

  const settling = <T>(ciphertext: Uint8Array, work: Promise<T>) =>
    work.finally(() => input.onSettled(ciphertext))

  /** The first step of a transmission carries the message itself. */
  const encrypting = async <T>(encrypt: () => Promise<T>): Promise<T> => {
    const sending = transmission.getStore()
    if (sending?.abandoned) throw new Error("the transmission was given up")
    const result = await keys.atomically(async (unit: Unit) => {
      const encrypted = await encrypt()
      if (sending?.unkept) {
        unit.sending = sending.unkept
        sending.maybeKept = true
      }
      return encrypted
    })
    if (sending) {
      sending.unkept = undefined
      sending.encrypted = true
    }
    return result
  }

  /**
   * Whether Baileys wants a new session only because it has asked for a contact's devices, as it does after each start:
   * the one that is open is as good, and each new one makes an older one forgotten, under which messages may still come.
   * Who cannot read us says so, and then the new session is asked for outside a transmission.
   */
  const isForcedAnew = async ({ jid, session }: InjectedSession): Promise<boolean> => {
    if (!transmission.getStore()) return false
    const address = inner.jidToSignalProtocolAddress(jid)
    const { [address]: kept } = await keys.get("session", [address])
    const open = kept && SessionRecord.deserialize(kept).getOpenSession()
    return open ? Buffer.from(session.identityKey).equals(open.indexInfo.remoteIdentityKey) : false
  }

  return {
    ...inner,
    decryptMessage: (message) =>
      settling(
        message.ciphertext,
        addressesOf(message.jid).then((addresses) =>
          hold(addresses, () => journalled(message.ciphertext, () => inner.decryptMessage(message))),
        ),
      ),
    decryptGroupMessage: (message) =>
      settling(
        message.msg,
        hold([message.group], () => journalled(message.msg, () => inner.decryptGroupMessage(message))),
      ),
    encryptMessage: async (message) =>
      hold(await addressesOf(message.jid), () => encrypting(() => inner.encryptMessage(message))),
    encryptGroupMessage: (message) =>
      hold([message.group], () => encrypting(() => inner.encryptGroupMessage(message))),
    injectE2ESession: async (session) =>
      hold(await addressesOf(session.jid), () =>
        keys.atomically(async () => {
          if (!(await isForcedAnew(session))) await inner.injectE2ESession(session)
        }),
      ),
    getSenderKeyDistributionMessage: (group) =>
      hold([group.group], () => keys.atomically(() => inner.getSenderKeyDistributionMessage(group))),
    /** Was done in the commit that journalled it. What came unencrypted is not to be believed. */
    processSenderKeyDistributionMessage: async () => {},
    deleteSession: (jids) =>
      hold(
        jids.map((jid) => inner.jidToSignalProtocolAddress(jid)),
        () => inner.deleteSession(jids),
      ),
    migrateSession: async (from, to) =>
      hold(await moved(from, to, inner, keys), () => keys.atomically(() => inner.migrateSession(from, to))),
  }
}

/** The addresses that a migration of all of a user's devices may touch. */
async function moved(from: string, to: string, inner: SignalRepositoryWithLIDStore, keys: Keys) {
  const pn = jidDecode(from)
  const lid = jidDecode(to)
  if (!pn || !lid) return []
  const known = (await keys.get("device-list", [pn.user]))[pn.user] ?? []
  const devices = new Set([...known.map(Number), pn.device ?? 0])
  // Device 99 is on servers of its own and has no plain JID.
  devices.delete(99)
  return [...devices].flatMap((device) => [
    inner.jidToSignalProtocolAddress(jidEncode(pn.user, "s.whatsapp.net", device)),
    inner.jidToSignalProtocolAddress(jidEncode(lid.user, "lid", device)),
  ])
}
