import { nowMs } from "#core/platform/clock.ts"
import { newLocks, type Hold } from "#core/platform/locks.ts"
import { Metrics } from "#core/platform/metrics.ts"
import { askingForSignedPreKey } from "../send/transmission.ts"
import {
  curve,
  SessionBuilder,
  SessionCipher,
  SessionError,
  SessionRecord,
  type Bundle,
  type Session,
  type Storage,
} from "../signal/libsignal.ts"
import { isSignedBy } from "./signature.ts"

/**
 * How many closed sessions are kept per address, for messages that are still on their way and for phones that
 * go back to one of their 40 sessions. libsignal keeps 40 as well: strangers could make us write about 38 KB
 * each time.
 */
const closedSessionsKept = 12

/** Repairs libsignal 6.0.0 for the whole process. */
export function repairRatchets() {
  SessionRecord.prototype.removeOldSessions = pruneClosed
  SessionCipher.prototype.decryptWithSessions = tryOnCopies
  // libsignal's own queue is one for the process, by address alone: accounts that write to the same contact
  // would wait for each other's store, and run in each other's asynchronous context, outside their own unit
  // of work.
  SessionCipher.prototype.queueJob = function (work) {
    return locksOf(this.storage)([this.addr.toString()], work)
  }
  SessionBuilder.prototype.initOutgoing = openOutgoing
  // Baileys gives libsignal the present signed prekey, no matter which one libsignal asks for.
  const initIncoming = Reflect.get(SessionBuilder.prototype, "initIncoming")
  SessionBuilder.prototype.initIncoming = function (record, message) {
    return askingForSignedPreKey(message.signedPreKeyId, () => initIncoming.call(this, record, message))
  }
}

const locks = new WeakMap<Storage, Hold>()

function locksOf(storage: Storage): Hold {
  const known = locks.get(storage)
  if (known) return known
  const made = newLocks()
  locks.set(storage, made)
  return made
}

function pruneClosed(this: SessionRecord) {
  const closed = Object.entries(this.sessions).filter(([, session]) => session.indexInfo.closed !== -1)
  closed.sort(([, a], [, b]) => b.indexInfo.closed - a.indexInfo.closed)
  for (const [key] of closed.slice(closedSessionsKept)) delete this.sessions[key]
}

/**
 * Tries each session on a copy. libsignal tries each session in place: a failed try has already stepped the
 * ratchet of the wrong session, and a later success saves that damage ("Bad MAC" from then on).
 */
async function tryOnCopies(this: SessionCipher, body: Buffer, sessions: Session[]) {
  let repeated: Error | undefined
  for (const session of sessions) {
    const copy = copyOf(session)
    try {
      const plaintext = await this.doDecryptWhisperMessage(body, copy)
      copy.indexInfo.used = nowMs()
      for (const key of Object.keys(session)) Reflect.deleteProperty(session, key)
      Object.assign(session, copy)
      return { session, plaintext }
    } catch (error) {
      // Any error means "not this session"; that its key was used already is worth reporting if none fits.
      if (error instanceof Error && error.name === "MessageCounterError") repeated = error
    }
  }
  if (!repeated) Metrics.add("BadMac")
  throw repeated ?? new SessionError("No matching sessions found for message")
}

function copyOf(session: Session): Session {
  // libsignal does not export the class of a session; its instances lead to it.
  const kind = session.constructor as unknown as { deserialize(data: unknown): Session }
  return kind.deserialize(session.serialize())
}

/**
 * Works like libsignal's own function, but checks the signature of the signed prekey with our code, prunes
 * closed sessions, and uses our queue.
 */
async function openOutgoing(this: SessionBuilder, bundle: Bundle) {
  const address = this.addr.toString()
  const { signedPreKey } = bundle
  // libsignal's own check takes 18 ms, half a minute for the 1,500 devices of a large group.
  const signed = isSignedBy(bundle.identityKey, signedPreKey.publicKey, signedPreKey.signature)
  if (!signed) throw new SessionError("The signed prekey is not signed by the identity key")

  await locksOf(this.storage)([address], async () => {
    const ephemeral = curve.generateKeyPair()
    const session = await this.initSession(
      true,
      ephemeral,
      undefined,
      bundle.identityKey,
      bundle.preKey?.publicKey,
      signedPreKey.publicKey,
      bundle.registrationId,
    )
    session.pendingPreKey = { signedKeyId: signedPreKey.keyId, baseKey: ephemeral.pubKey }
    if (bundle.preKey) session.pendingPreKey.preKeyId = bundle.preKey.keyId

    const record = (await this.storage.loadSession(address)) ?? new SessionRecord()
    const open = record.getOpenSession()
    if (open) record.closeSession(open)
    record.setSession(session)
    record.removeOldSessions()
    await this.storage.storeSession(address, record)
  })
}
