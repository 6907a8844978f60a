import { randomBytes } from "node:crypto"
import { createRequire } from "node:module"
import { Curve } from "@whiskeysockets/baileys"
import { expect, test } from "vitest"
import { installRepairs } from "#session-host/whatsapp/patches/install.ts"
import { curve } from "#session-host/whatsapp/signal/libsignal.ts"

const signer = createRequire(createRequire(import.meta.url).resolve("libsignal"))("curve25519-js") as {
  sign(key: Uint8Array, message: Uint8Array): Uint8Array
  verify(key: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean
}
/** As the libraries come, before they are repaired. */
const plain = { ...signer, ...curve }
installRepairs()

test("the repaired library and the plain one accept each other's signatures", () => {
  for (let i = 0; i < 16; i++) {
    // Keys of the plain library are not clamped, and are what linked sessions have.
    const { pubKey, privKey } = i % 2 === 0 ? curve.generateKeyPair() : plain.generateKeyPair()
    const message = randomBytes(i * 7)
    expect(plain.verify(pubKey.subarray(1), message, Curve.sign(privKey, message))).toBe(true)
    expect(curve.verifySignature(pubKey, message, Buffer.from(plain.sign(privKey, message)))).toBe(true)
  }
})

test("a signature of another message, or by another key, is refused where the plain library refuses it", () => {
  const { pubKey, privKey } = curve.generateKeyPair()
  const signature = Buffer.from(Curve.sign(privKey, Buffer.from("a message")))
  expect(curve.verifySignature(pubKey, Buffer.from("another"), signature)).toBe(false)
  expect(curve.verifySignature(curve.generateKeyPair().pubKey, Buffer.from("a message"), signature)).toBe(
    false,
  )
})

test("both agree on the same secret, with keys of either", () => {
  const [ours, theirs] = [curve.generateKeyPair(), plain.generateKeyPair()]
  const baileys = Curve.generateKeyPair()
  expect([baileys.public.length, baileys.private.length]).toEqual([32, 32])
  const secret = plain.calculateAgreement(theirs.pubKey, ours.privKey)
  expect(curve.calculateAgreement(theirs.pubKey, ours.privKey)).toEqual(secret)
  expect(curve.calculateAgreement(ours.pubKey, theirs.privKey)).toEqual(secret)
  expect(Curve.sharedKey(ours.privKey, theirs.pubKey.subarray(1))).toEqual(secret)
  expect(Curve.sharedKey(theirs.privKey, ours.pubKey)).toEqual(secret)
})

test("a key with which all keys agree on the same secret is refused, as the plain library does", () => {
  const { privKey } = curve.generateKeyPair()
  const lowOrder = Buffer.concat([Buffer.from([5]), Buffer.alloc(32)])
  expect(() => plain.calculateAgreement(lowOrder, privKey)).toThrow(Error)
  expect(() => curve.calculateAgreement(lowOrder, privKey)).toThrow("a public key of low order")
  expect(() => Curve.sharedKey(privKey, Buffer.alloc(32))).toThrow("a public key of low order")
})

test("bytes that are no keys are refused, as the plain library does", () => {
  const { pubKey, privKey } = curve.generateKeyPair()
  const longer = Buffer.concat([pubKey, Buffer.from([0])])
  const ofAnotherType = Buffer.concat([Buffer.from([6]), pubKey.subarray(1)])
  for (const key of [longer, ofAnotherType, pubKey.subarray(0, 31)])
    for (const library of [plain, curve])
      expect(() => library.calculateAgreement(key, privKey)).toThrow(Error)
  for (const library of [plain, curve])
    expect(() => library.calculateAgreement(pubKey, privKey.subarray(1))).toThrow(Error)
})
