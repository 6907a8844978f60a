import { randomInt } from "node:crypto"
import { BufferJSON } from "@whiskeysockets/baileys"
import { additionalDataOf } from "../additional-data.ts"
import type { SenderKeys, SerialisedRecord } from "./prune.ts"

/*
 * What may be kept of keys that are older than what was last done with them. Nothing that encrypts: its next
 * message key was used before, for another message. What only decrypts may stay. It reads the messages that
 * wait on the network, unless their sender's ratchet has moved on. Whatever it cannot read is asked for
 * again.
 */

/** Kinds that say which devices there are, and which of them have our sender keys. */
export const worthlessKinds = ["sender-key-memory", "device-list"]

/** libsignal's number for our own chain. */
const sending = 1

/** A record whose sessions only read: none is open, so the next message to that device begins a new one. */
export function readingOnly(text: string, nowMs: number): string {
  const record = JSON.parse(text) as SerialisedRecord // as it was kept
  for (const { indexInfo, _chains: chains } of Object.values(record._sessions)) {
    if (indexInfo.closed === -1) indexInfo.closed = nowMs
    for (const [key, { chainType }] of Object.entries(chains)) if (chainType === sending) delete chains[key]
  }
  return JSON.stringify(record)
}

/** Whether these sender keys are our own: those of others only decrypt. */
export function areOwnSenderKeys(senderKeys: string): boolean {
  const states = JSON.parse(senderKeys, BufferJSON.reviver) as SenderKeys // as they were kept
  return states.some(({ senderSigningKey }) => Buffer.from(senderSigningKey.private).length > 0)
}

/** Prekeys have numbers of 24 bits. */
const numbers = 2 ** 24
/**
 * Many more than peers can use up within the life of a backup. A random number, since one backup may be
 * restored twice.
 */
const leap = { least: 100_000, most: 1_100_000 }

/**
 * The credentials, with next prekeys whose numbers were never given out. The old prekeys stay, since messages
 * that wait may have begun with one. The signed prekey may have been replaced after the backup. So it is
 * replaced at the next login, and the network hands out one whose private half is here.
 */
export function withUnusedPreKeys(creds: string): string {
  const { nextPreKeyId, signedPreKey, additionalData, ...rest } = JSON.parse(creds) as Numbered
  const next = unused(nextPreKeyId)
  const { next: offered, former = [] } = additionalDataOf({ additionalData }).signedPreKeys ?? {}
  // The network may have taken the key that was offered.
  const before = offered ? [offered, ...former] : former
  const signedPreKeys = { dueAt: 0, former: before, nextId: unused(signedPreKey.keyId) }
  return JSON.stringify({
    ...rest,
    signedPreKey,
    additionalData: { ...additionalData, signedPreKeys },
    nextPreKeyId: next,
    firstUnuploadedPreKeyId: next,
  })
}

/** The part of stored credentials that is about prekeys. */
interface Numbered {
  nextPreKeyId: number
  signedPreKey: { keyId: number }
  additionalData?: Record<string, unknown>
}

/** A number far behind this one, in the numbering of prekeys. */
function unused(after: number): number {
  const beyond = after + randomInt(leap.least, leap.most)
  return beyond + leap.least < numbers ? beyond : randomInt(1, leap.least)
}
