import type { AuthenticationCreds, SignalDataTypeMap } from "@whiskeysockets/baileys"
import type { Acquaintance } from "#session-host/network/happening.ts"

/*
 * A login that another program had, as `admin/move-in/` finds it, in Baileys' own forms.
 */

/** Baileys' credentials, with their bytes as buffers. What is missing is as `initAuthCreds` makes it. */
export type FoundCreds = Omit<AuthenticationCreds, Unneeded> & Partial<AuthenticationCreds>

type Unneeded =
  | "pairingEphemeralKeyPair"
  | "processedHistoryMessages"
  | "accountSyncCounter"
  | "accountSettings"
  | "registered"
  | "pairingCode"
  | "lastPropHash"
  | "routingInfo"

/**
 * A key, in the form that Baileys' key store takes:
 * - `pre-key`: `{ public, private }` of 32 bytes each; its id is the number
 * - `session`: what libsignal's `SessionRecord.serialize` gives: `{ version: "v1", _sessions }`, with its
 *   bytes in base64; its id is the Signal address, as `491711234567.0`, `123456789_1.0` of a LID, and so on
 *   (`jidToSignalProtocolAddress`)
 * - `sender-key`: the bytes of the JSON that `SenderKeyRecord.serialize` gives to Baileys; its id is
 *   `<group>::<user>::<device>`, with a user as in the address of a session
 * - `app-state-sync-key`: `{ keyData, fingerprint, timestamp }`; its id is the key's, in base64
 * - `app-state-sync-version`: `{ version, hash, indexValueMap: { [index MAC in base64]: { valueMac } } }`
 * - `lid-mapping`: a user; under the user of a number that of its LID, and under `<user of a LID>_reverse`
 *   that of the number
 * - `tctoken`: `{ token, timestamp }`
 */
export type FoundKey = {
  [Type in keyof SignalDataTypeMap]: { type: Type; id: string; value: FoundValue<Type> }
}[keyof SignalDataTypeMap]

/** Baileys says `Uint8Array` of a session, and means what libsignal has serialised. */
type FoundValue<Type extends keyof SignalDataTypeMap> = Type extends "session"
  ? { version?: string; _sessions: Record<string, object> }
  : SignalDataTypeMap[Type]

/** Whom the program knew. */
export type FoundPerson = Pick<
  Acquaintance,
  "jid" | "lid" | "fullName" | "firstName" | "pushName" | "verifiedName"
>
