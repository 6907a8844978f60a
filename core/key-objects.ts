import crypto, { createSecretKey } from "node:crypto"
import { syncBuiltinESMExports } from "node:module"

/**
 * Makes every caller in this process (ourselves, Baileys, libsignal, the AWS SDK) give Node's crypto its keys as
 * `KeyObject`s. Node 24.21 finds out that a key is bytes by an error that it throws and catches, which costs more than all the
 * rest: an HMAC of 200 bytes takes 40 µs with a key of bytes, and 6 µs with a `KeyObject`, of which making one takes 3.
 */
function giveKeyObjects(): void {
  crypto.createHmac = withKeyObject(crypto.createHmac)
  crypto.createCipheriv = withKeyObject(crypto.createCipheriv)
  crypto.createDecipheriv = withKeyObject(crypto.createDecipheriv)
  crypto.hkdfSync = withKeyObject(crypto.hkdfSync)
  syncBuiltinESMExports()
}

/** The key is the second argument of all of these. */
function withKeyObject<Call extends (...args: never[]) => unknown>(call: Call): Call {
  const quick = (algorithm: unknown, key: unknown, ...more: unknown[]) =>
    // An empty key is no KeyObject.
    Reflect.apply(call, crypto, [
      algorithm,
      key instanceof Uint8Array && key.length > 0 ? createSecretKey(key) : key,
      ...more,
    ])
  return quick as unknown as Call // the same arguments and the same answer
}

giveKeyObjects()
