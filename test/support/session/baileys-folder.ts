import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { BufferJSON, Curve, initAuthCreds } from "@whiskeysockets/baileys"
import { fileOfKey } from "#admin/move-in/baileys.ts"
import type { FoundKey } from "#session-host/whatsapp/found-login.ts"
import { letRest } from "../network/gateway.ts"

/** The credentials of a device that is linked to this number, as a phone signs them. */
export function someCreds(number: string, lid?: string) {
  const creds = initAuthCreds()
  const { private: secret, public: accountSignatureKey } = Curve.generateKeyPair()
  const details = Buffer.from(`details of ${number}`)
  const { signedIdentityKey: identity } = creds
  const signed = Buffer.concat([Buffer.from([6, 1]), details, identity.public, accountSignatureKey])
  const account = {
    details,
    accountSignatureKey,
    accountSignature: Curve.sign(secret, details),
    deviceSignature: Curve.sign(identity.private, signed),
  }
  const me = { id: `${number}:7@s.whatsapp.net`, ...(lid && { lid: `${lid}:7@lid` }), name: "Ada" }
  return { ...creds, me, account, nextPreKeyId: 4, firstUnuploadedPreKeyId: 4, myAppStateKeyId: "AA/A" }
}

/** Keys of such a device: prekeys, its own keys of a group, and one of the app state. */
export function someKeys(number: string): FoundKey[] {
  const own = [
    { senderKeyId: 1, senderSigningKey: { private: Buffer.from("secret") }, senderMessageKeys: [] },
  ]
  return [
    ...[1, 2, 3].map((n) => ({ type: "pre-key", id: String(n), value: Curve.generateKeyPair() }) as const),
    {
      type: "sender-key",
      id: `49-1@g.us::${number}::7`,
      value: Buffer.from(JSON.stringify(own, BufferJSON.replacer)),
    },
    { type: "app-state-sync-key", id: "AA/A", value: { keyData: Buffer.alloc(32, 1) } },
    { type: "lid-mapping", id: "4915112345678", value: "1234" },
  ]
}

/** Writes a folder of `useMultiFileAuthState`, in which nothing has changed for some minutes. */
export function writeFolder(folder: string, creds: object | undefined, keys: FoundKey[]): string {
  mkdirSync(folder, { recursive: true })
  const write = (name: string, value: unknown) =>
    writeFileSync(join(folder, name), JSON.stringify(value, BufferJSON.replacer))
  if (creds) write("creds.json", creds)
  for (const key of keys) write(fileOfKey(key), key.value)
  letRest(folder)
  return folder
}

/** The folder of a device that is linked to this number. */
export function aDevice(folder: string, number: string): string {
  return writeFolder(folder, someCreds(number), someKeys(number))
}
