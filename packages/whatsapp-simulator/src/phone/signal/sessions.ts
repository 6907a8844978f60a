import { createHmac } from "node:crypto"
import type { DeviceAddress } from "../../network/directory.ts"
import type { KeyPair } from "../../wire/curve.ts"
import type { Keys } from "./key-store.ts"
import {
  type Bundle,
  ChainType,
  MessageCounterError,
  PreKeyError,
  ProtocolAddress,
  SessionBuilder,
  SessionCipher,
  SessionError,
  SessionRecord,
  type Session,
  type Storage,
} from "./libsignal.ts"

export interface Ciphertext {
  type: "msg" | "pkmsg"
  body: Buffer
}

/** Why a message could not be decrypted. `repeated`: its key was used before. */
export type DecryptFailure = "repeated" | "no_session" | "unknown_prekey" | "bad"

/** The seed of the next key of a chain (Double Ratchet, 5.2). */
const chainSeed = Buffer.of(2)

/**
 * How many closed sessions a phone keeps with one device, for messages that are still on their way: as many
 * as Signal's own library.
 */
const closedKept = 40

/** How many receiving chains are kept of a session. */
const chainsKept = 5

export type Signal = ReturnType<typeof signalOf>

/**
 * One phone's Signal sessions. Changes are staged in `keys`; the caller commits. Not reentrant.
 *
 * A record is named by the private id of its person, whichever address a message came from: so do whatsmeow
 * (`MigratePNToLID`) and Baileys once they know it. A person who has got another private id has no session
 * under the new one.
 * @param lidOf the present private id of the person with this number
 */
export function signalOf(keys: Keys, lidOf: (pn: string) => string) {
  const addressOf = ({ user, id }: DeviceAddress) => new ProtocolAddress(lidOf(user), id)
  const nameOf = (peer: DeviceAddress) => addressOf(peer).toString()
  const storage: Storage = {
    loadSession: async (address) => {
      const record = keys.get("session", address)
      return record && QuietRecord.from(record)
    },
    storeSession: async (address, record) => {
      record.getSessions().forEach(forgetOldChains)
      keys.put("session", address, record.serialize())
    },
    isTrustedIdentity: () => true,
    loadPreKey: async (id) => {
      const pair = keys.get("prekey", String(id))
      return pair && plain(pair)
    },
    removePreKey: (id) => {
      keys.put("prekey", String(id), undefined)
    },
    loadSignedPreKey: () => plain(keys.identity().signedPreKey.pair),
    getOurRegistrationId: () => keys.identity().registrationId,
    getOurIdentity: () => plain(keys.identity().identity),
  }
  const incoming: Storage = {
    ...storage,
    loadSession: async (address) => {
      const record = keys.get("session", address)
      return record && IncomingRecord.from(record)
    },
  }
  const cipher = (peer: DeviceAddress, from = storage) => new TrialCipher(from, addressOf(peer))

  return {
    has: (peer: DeviceAddress) => {
      const record = keys.get("session", nameOf(peer))
      return record !== undefined && QuietRecord.from(record).getOpenSession() !== undefined
    },
    start: (peer: DeviceAddress, bundle: Bundle) =>
      new SessionBuilder(storage, addressOf(peer)).initOutgoing(bundle),
    async encrypt(peer: DeviceAddress, plaintext: Buffer): Promise<Ciphertext> {
      const { type, body } = await cipher(peer).encrypt(plaintext)
      return { type: type === 3 ? "pkmsg" : "msg", body: Buffer.from(body) }
    },
    /** Steps our chain as if `count` messages had been encrypted that are never sent. */
    leaveOut(peer: DeviceAddress, count: number) {
      const row = keys.get("session", nameOf(peer))
      const record = row && QuietRecord.from(row)
      const session = record?.getOpenSession()
      const chain = session?.getChain(session.currentRatchet.ephemeralKeyPair.pubKey)
      if (!record || !chain) throw new Error("there is no session to leave messages out of")
      for (let i = 0; i < count; i++) {
        chain.chainKey.key = createHmac("sha256", chain.chainKey.key).update(chainSeed).digest()
        chain.chainKey.counter++
      }
      keys.put("session", nameOf(peer), record.serialize())
    },
    /** Throws what `decryptFailureOf` understands. */
    decrypt: (peer: DeviceAddress, sealed: Ciphertext): Promise<Buffer> =>
      sealed.type === "pkmsg"
        ? cipher(peer, incoming).decryptPreKeyWhisperMessage(sealed.body)
        : cipher(peer).decryptWhisperMessage(sealed.body),
  }
}

/** The kind of failure that an error of `decrypt` stands for. */
export function decryptFailureOf(error: unknown): DecryptFailure {
  if (error instanceof MessageCounterError) return "repeated"
  if (error instanceof PreKeyError) return "unknown_prekey"
  if (error instanceof SessionError) return "no_session"
  // Baileys' sender keys throw plain errors.
  const said = error instanceof Error ? error.message : ""
  if (said.startsWith("Received message with old counter")) return "repeated"
  if (said.startsWith("No session found") || said.startsWith("No SenderKeyRecord")) return "no_session"
  return "bad"
}

/**
 * libsignal tries a message on each session in place: a failed trial leaves that session's ratchet
 * stepped, and a later success stores the damage. Here each trial has a copy.
 */
class TrialCipher extends SessionCipher {
  override async decryptWithSessions(body: Buffer, sessions: Session[]) {
    const errors: unknown[] = []
    for (const session of sessions) {
      const copy = copyOf(session)
      try {
        const plaintext = await this.doDecryptWhisperMessage(body, copy)
        Object.assign(session, copy)
        if (!("pendingPreKey" in copy)) Reflect.deleteProperty(session, "pendingPreKey")
        session.indexInfo.used = Date.now()
        return { session, plaintext }
      } catch (error) {
        errors.push(error)
      }
    }
    throw (
      errors.find((error) => error instanceof MessageCounterError) ??
      errors[0] ??
      new SessionError("no session with this device")
    )
  }
}

/**
 * libsignal keeps all chains that a session ever had, and gets slower with each. Signal's own clients keep
 * only the last ones.
 */
function forgetOldChains(session: Session) {
  const receiving = [...session.chains()].filter(([, { chainType }]) => chainType === ChainType.receiving)
  for (const [key] of receiving.slice(0, -chainsKept)) session.deleteChain(key)
}

/** libsignal's record prints whole sessions, private keys and all, whenever it closes one. */
class QuietRecord extends SessionRecord {
  static from(data: unknown): QuietRecord {
    return Object.setPrototypeOf(SessionRecord.deserialize(data), QuietRecord.prototype) as QuietRecord
  }
  closeSession(session: Session) {
    session.indexInfo.closed = Date.now()
  }
  removeOldSessions() {
    const closed = Object.entries(this.sessions).filter(([, { indexInfo }]) => indexInfo.closed !== -1)
    closed.sort(([, a], [, b]) => b.indexInfo.closed - a.indexInfo.closed)
    for (const [name] of closed.slice(closedKept)) Reflect.deleteProperty(this.sessions, name)
  }
}

/** A quiet record for a message that may start a session: there libsignal prints as well. */
class IncomingRecord extends QuietRecord {
  static override from(data: unknown): IncomingRecord {
    return Object.setPrototypeOf(SessionRecord.deserialize(data), IncomingRecord.prototype) as IncomingRecord
  }
  /** Hides the open session, so that `setSession` closes it and not libsignal. */
  override getOpenSession() {
    return undefined
  }
  override setSession(session: Session) {
    for (const open of Object.values(this.sessions)) if (open.indexInfo.closed === -1) this.closeSession(open)
    super.setSession(session)
  }
}

function copyOf(session: Session): Session {
  const record = new SessionRecord()
  record.setSession(session)
  const [copy] = SessionRecord.deserialize(structuredClone(record.serialize())).getSessions()
  if (!copy) throw new Error("a record of one session has none")
  return copy
}

function plain(pair: KeyPair) {
  return {
    pubKey: Buffer.concat([Buffer.from([5]), pair.public]),
    privKey: pair.private,
  }
}
