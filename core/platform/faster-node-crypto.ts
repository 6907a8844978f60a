import crypto, { createSecretKey } from "node:crypto"
import { syncBuiltinESMExports } from "node:module"

/**
 * Gives Node's crypto its keys as `KeyObject`s, for every caller in this process (our code, Baileys,
 * libsignal, the AWS SDK). Importing this file does it: only the main programs that sign and encrypt much do.
 * Node 24.21 finds out that a key is bytes by throwing and catching an error, which costs more than all the
 * rest: an HMAC of 200 bytes takes 40 µs with a key of bytes and 6 µs with a `KeyObject`, 3 of them to create
 * it.
 */
function giveKeyObjects(): void {
  crypto.createHmac = withKeyObject(crypto.createHmac)
  crypto.createCipheriv = withKeyObject(crypto.createCipheriv)
  crypto.createDecipheriv = withKeyObject(crypto.createDecipheriv)
  crypto.hkdfSync = withKeyObject(crypto.hkdfSync)
  syncBuiltinESMExports()
}

/** The key is the second argument of each. */
function withKeyObject<Call extends (...args: never[]) => unknown>(call: Call): Call {
  const quick = (algorithm: unknown, key: unknown, ...more: unknown[]) =>
    // A KeyObject cannot be empty.
    Reflect.apply(call, crypto, [
      algorithm,
      key instanceof Uint8Array && key.length > 0 ? createSecretKey(key) : key,
      ...more,
    ])
  return quick as unknown as Call // the same arguments and the same answer
}

giveKeyObjects()
