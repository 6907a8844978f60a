import nodeCrypto, { createCipheriv, createDecipheriv, createHmac, hkdfSync } from "node:crypto"
import { expect, test } from "vitest"
import "#core/platform/faster-node-crypto.ts"

const key = Buffer.alloc(32, 7)
const iv = Buffer.alloc(12, 1)

test.for<[string, string | Buffer, string]>([
  // RFC 4231, test case 2.
  ["a string", "Jefe", "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"],
  ["bytes", Buffer.from("Jefe"), "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"],
  [
    "no bytes",
    Buffer.alloc(0),
    nodeCrypto.createHmac("sha256", "").update("what do ya want for nothing?").digest("hex"),
  ],
])("an HMAC under %s is what it is", ([, given, digest]) => {
  expect(createHmac("sha256", given).update("what do ya want for nothing?").digest("hex")).toBe(digest)
})

test("a text encrypted under bytes is opened under bytes, also by code that imported the names before", () => {
  const cipher = createCipheriv("aes-256-gcm", key, iv)
  const sealed = Buffer.concat([cipher.update("hello"), cipher.final()])
  const opener = createDecipheriv("aes-256-gcm", key, iv).setAuthTag(cipher.getAuthTag())
  expect(opener.update(sealed, undefined, "utf8") + opener.final("utf8")).toBe("hello")
})

test("derived keys are what RFC 5869 says", () => {
  const salt = Buffer.from("000102030405060708090a0b0c", "hex")
  const info = Buffer.from("f0f1f2f3f4f5f6f7f8f9", "hex")
  const derived = hkdfSync("sha256", Buffer.alloc(22, 0x0b), salt, info, 42)
  expect(Buffer.from(derived).toString("hex")).toBe(
    "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865",
  )
})
