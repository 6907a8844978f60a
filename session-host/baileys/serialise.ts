import { BufferJSON, proto, type AuthenticationCreds, type SignalDataTypeMap } from "@whiskeysockets/baileys"

type Kind = keyof SignalDataTypeMap

/** Kinds that hold no bytes: nothing of them has to be looked at one by one, and they are what changes most. */
const plain = new Set<string>(["session", "lid-mapping", "device-list", "sender-key-memory"])

/** A value of Baileys' as the vault keeps it. Nothing else turns keys into text. */
export function toText(value: unknown, kind?: string): string {
  return kind && plain.has(kind) ? JSON.stringify(value) : JSON.stringify(value, BufferJSON.replacer)
}

/** The value of that kind again, with its buffers. */
export function keyFromText<K extends Kind>(kind: K, text: string): SignalDataTypeMap[K] {
  if (plain.has(kind)) return JSON.parse(text)
  const value = JSON.parse(text, BufferJSON.reviver)
  if (kind !== "app-state-sync-key") return value
  // Baileys calls methods of the protobuf class on this one kind; the compiler cannot tell which kind K is here.
  return proto.Message.AppStateSyncKeyData.fromObject(value) as unknown as SignalDataTypeMap[K]
}

export function credsFromText(text: string): AuthenticationCreds {
  return JSON.parse(text, BufferJSON.reviver)
}
