import { hmacSign, proto } from "@whiskeysockets/baileys"
import { now } from "../clock.ts"
import { signaturePrefixes } from "../devices/key-index-list.ts"
import * as Pairing from "../devices/pairing.ts"
import type { Network } from "../network/network.ts"
import * as Curve from "../wire/curve.ts"
import type { Identity } from "./signal/key-store.ts"

/** The content of a companion's QR code. */
export interface Code {
  ref: string
  noiseKey: Buffer
  identity: Buffer
  advSecret: Buffer
}

/**
 * Reads `https://wa.me/settings/linked_devices#ref,noise,identity,secret[,platform]`, with or without the
 * address.
 */
export function readCode(text: string): Code | undefined {
  const fields = text.trim().replace(/^.*#/, "").split(",")
  const [ref, noise, identity, secret] = fields
  if (!ref || !noise || !identity || !secret || fields.length > 5) return undefined
  const code = { ref, noiseKey: key(noise), identity: key(identity), advSecret: key(secret) }
  return [code.noiseKey, code.identity, code.advSecret].every(({ length }) => length === 32)
    ? code
    : undefined
}

const key = (text: string) => Buffer.from(text, "base64")

/** Asks a companion for the account's passkey, in place of linking it. It throws `passkey_required`. */
export type AskForPasskey = (pairing: Pairing.Pairing, advSecret: Buffer) => never

interface Scanned {
  code: Code
  obstacle?: Pairing.Obstacle | undefined
  ceremony: AskForPasskey | undefined
}

/**
 * Links the companion that shows this code with a phone. @returns the id of the new device @throws
 * PairingError
 */
export async function link(
  network: Network,
  { pn, identity }: { pn: string; identity: Identity },
  { code, obstacle, ceremony }: Scanned,
): Promise<number> {
  const pairing = Pairing.find(network, code.ref)
  if (!pairing.noiseKey.equals(code.noiseKey) || !pairing.identity.equals(code.identity))
    throw new Pairing.PairingError("wrong_key", "the code's keys are not the companion's")
  if (pairing.retired.has(code.advSecret.toString("base64")))
    throw new Pairing.PairingError("secret_retired", "this code shows a secret that was to be replaced")
  if (obstacle) Pairing.obstruct(pairing, obstacle, code.advSecret)
  ceremony?.(pairing, code.advSecret)
  return vouch(network, pn, identity, pairing, code.advSecret)
}

/** Signs for the companion's identity, under the secret that only the two of them know. */
export async function vouch(
  network: Network,
  pn: string,
  phone: Identity,
  pairing: Pairing.Pairing,
  advSecret: Buffer,
): Promise<number> {
  const user = network.directory.user(pn)
  if (!user) throw new Error(`no user ${pn}`)
  const keyIndex = user.nextDevice
  const details = proto.ADVDeviceIdentity.encode({
    rawId: phone.rawId,
    timestamp: now(),
    keyIndex,
    accountType: proto.ADVEncryptionType.E2EE,
    deviceType: proto.ADVEncryptionType.E2EE,
  }).finish()
  const accountKey = phone.identity.public
  const signed = proto.ADVSignedDeviceIdentity.encode({
    details,
    accountSignatureKey: accountKey,
    accountSignature: Curve.sign(
      phone.identity.private,
      Buffer.concat([signaturePrefixes.phone, details, pairing.identity]),
    ),
  }).finish()
  const sealed = proto.ADVSignedDeviceIdentityHMAC.encode({
    details: signed,
    hmac: hmacSign(signed, advSecret),
  }).finish()
  return Pairing.link(network, pairing, { user, identity: sealed, details, accountKey, keyIndex })
}
