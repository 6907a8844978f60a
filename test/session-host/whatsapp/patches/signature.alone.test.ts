import { randomBytes } from "node:crypto"
import { Curve } from "@whiskeysockets/baileys"
import { assert, integer, property } from "fast-check"
import { expect, test } from "vitest"
import { isSignedBy } from "#session-host/whatsapp/patches/signature.ts"
import { curve } from "#session-host/whatsapp/signal/libsignal.ts"

const typed = (key: Uint8Array) => Buffer.concat([Buffer.from([5]), key])

function flipped(bytes: Uint8Array, bit: number): Buffer {
  const other = Buffer.from(bytes)
  other[bit >> 3]! ^= 1 << (bit & 7)
  return other
}

test("a signature of libsignal's is true, whatever the length of the text, with and without the key's type", () => {
  for (let i = 0; i < 64; i++) {
    const { public: key, private: secret } = Curve.generateKeyPair()
    const message = randomBytes(i * 7)
    const signature = Curve.sign(secret, message)
    expect(isSignedBy(key, message, signature)).toBe(true)
    expect(isSignedBy(typed(key), message, signature)).toBe(true)
  }
})

test("one bit elsewhere and it is not, as libsignal has it", () => {
  const { public: key, private: secret } = Curve.generateKeyPair()
  const message = Buffer.from("a message")
  const signature = Curve.sign(secret, message)
  assert(
    property(integer({ min: 0, max: 511 }), (at) => {
      const other = flipped(signature, at)
      expect(isSignedBy(key, message, other)).toBe(curve.verifySignature(typed(key), message, other))
    }),
    { numRuns: 40 },
  )
  for (let at = 0; at < 512; at += 7) expect(isSignedBy(key, message, flipped(signature, at))).toBe(false)
  for (let at = 0; at < 255; at += 7) expect(isSignedBy(flipped(key, at), message, signature)).toBe(false)
  for (let at = 0; at < 72; at += 7) expect(isSignedBy(key, flipped(message, at), signature)).toBe(false)
})

test("bytes that are no key or no signature are refused", () => {
  const { public: key, private: secret } = Curve.generateKeyPair()
  const message = Buffer.from("a message")
  const signature = Curve.sign(secret, message)
  expect(isSignedBy(key.subarray(1), message, signature)).toBe(false)
  expect(isSignedBy(key, message, signature.subarray(1))).toBe(false)
  const minusOne = Buffer.from(`ec${"ff".repeat(30)}7f`, "hex")
  expect(isSignedBy(minusOne, message, signature)).toBe(false)
})
