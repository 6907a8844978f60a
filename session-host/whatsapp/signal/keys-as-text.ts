import { BufferJSON, proto, type AuthenticationCreds, type SignalDataTypeMap } from "@whiskeysockets/baileys"
import { boundedCache } from "#session-host/bounded-cache.ts"
import { pruneSenderKeys, pruneRecord, type SerialisedRecord } from "./prune.ts"

type Kind = keyof SignalDataTypeMap

/** Kinds that hold no bytes, so their values need not be searched for bytes. These kinds change most. */
const plain = new Set<string>(["session", "lid-mapping", "device-list", "sender-key-memory"])

/** The sessions used last, by their texts. They may be shared: libsignal copies what it takes out of them. */
const sessions = boundedCache<object>(100)

/**
 * The text of one of Baileys' values, as the vault keeps it. Nothing else turns keys into text, so every
 * ratchet that is kept was pruned.
 */
export function valueToText(value: unknown, kind?: string): string {
  // libsignal has just serialised this value.
  if (kind === "session") return sessionToText(value as SerialisedRecord)
  if (kind === "sender-key") return senderKeysToText(value as Uint8Array) // as Baileys has just made it
  return kind && plain.has(kind) ? JSON.stringify(value) : JSON.stringify(value, BufferJSON.replacer)
}

/** The value of that kind again, with its buffers. The value may be shared, since no caller changes it. */
export function keyFromText<K extends Kind>(kind: K, text: string): SignalDataTypeMap[K] {
  const known = kind === "session" && sessions.get(text)
  if (known) return known as SignalDataTypeMap[K]
  if (plain.has(kind)) return JSON.parse(text)
  // The compiler cannot tell which kind K is, here and below.
  if (kind === "sender-key") return Buffer.from(text) as unknown as SignalDataTypeMap[K]
  const value = JSON.parse(text, BufferJSON.reviver)
  if (kind !== "app-state-sync-key") return value
  // Baileys calls methods of the protobuf class on this one kind.
  return proto.Message.AppStateSyncKeyData.fromObject(value) as unknown as SignalDataTypeMap[K]
}

function sessionToText(session: SerialisedRecord): string {
  pruneRecord(session)
  const text = JSON.stringify(session)
  sessions.set(text, session)
  return text
}

/** Baileys has JSON, as bytes, in which bytes are lists of numbers. A row holds them as base64. */
function senderKeysToText(bytes: Uint8Array): string {
  const states = JSON.parse(Buffer.from(bytes).toString(), BufferJSON.reviver)
  pruneSenderKeys(states)
  return JSON.stringify(states, BufferJSON.replacer)
}

/** Baileys asks only whether any history was read. Its list of histories would grow for ever. */
const historiesKept = 1

export function credsToText(creds: AuthenticationCreds): string {
  const processedHistoryMessages = creds.processedHistoryMessages.slice(-historiesKept)
  return valueToText({ ...creds, processedHistoryMessages })
}

export function credsFromText(text: string): AuthenticationCreds {
  return JSON.parse(text, BufferJSON.reviver)
}
