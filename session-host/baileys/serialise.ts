import { BufferJSON, proto, type AuthenticationCreds, type SignalDataTypeMap } from "@whiskeysockets/baileys"

type Kind = keyof SignalDataTypeMap

/** A value of Baileys' as the vault keeps it. Nothing else turns keys into text. */
export function toText(value: unknown): string {
  return JSON.stringify(value, BufferJSON.replacer)
}

/** The value of that kind again, with its buffers. */
export function keyFromText<K extends Kind>(kind: K, text: string): SignalDataTypeMap[K] {
  const value = JSON.parse(text, BufferJSON.reviver)
  if (kind !== "app-state-sync-key") return value
  // Baileys calls methods of the protobuf class on this one kind; the compiler cannot tell which kind K is here.
  return proto.Message.AppStateSyncKeyData.fromObject(value) as unknown as SignalDataTypeMap[K]
}

export function credsFromText(text: string): AuthenticationCreds {
  return JSON.parse(text, BufferJSON.reviver)
}
