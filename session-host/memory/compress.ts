import { deflateRawSync, inflateRawSync } from "node:zlib"

/** Write units are counted by the kilobyte: below this size packing gains nothing. */
const smallest = 600

/**
 * The text that nearly every Signal session contains, in its order. Stored rows are packed with this
 * dictionary, so it can never change: another one needs a new name in `Packing`.
 */
const dictionary = Buffer.from(
  '"appStateSyncKeyData":{"type":"Buffer","data":"' +
    '{"_sessions":{"":{"registrationId":,"currentRatchet":{"ephemeralKeyPair":{"pubKey":"","privKey":""},' +
    '"lastRemoteEphemeralKey":"","previousCounter":0,"rootKey":""},"indexInfo":{"baseKey":"","baseKeyType":2,' +
    '"closed":-1,"used":1800000000000,"created":1800000000000,"remoteIdentityKey":""},"_chains":{"":{"chainKey":' +
    '{"counter":-1,"key":""},"chainType":2,"messageKeys":{}},"":{"chainKey":{"counter":0,"key":""},"chainType":1,' +
    '"messageKeys":{}}}}},"version":"v1"}',
)

/**
 * With zlib's default sizes, each call allocates 256 KB and frees them again, which costs more than packing.
 * Most rows are smaller than this window of 8 KB; larger ones become a little larger.
 */
const small = { windowBits: 13, memLevel: 6 }

/** How a row's secret was packed, as the row says; undefined: not packed. */
export const Packing = "deflate1"
export type Packing = typeof Packing

/** The secret in the form to be sealed: packed if that makes it smaller. */
export function compress(secret: string | Uint8Array): { bytes: string | Uint8Array; packing?: Packing } {
  if (secret.length < smallest) return { bytes: secret }
  const bytes = deflateRawSync(secret, { dictionary, level: 3, ...small })
  return bytes.length < secret.length ? { bytes, packing: Packing } : { bytes: secret }
}

/** @throws Error for bytes that were not packed in this way */
export function decompress(bytes: Buffer, packing: Packing | undefined): Buffer {
  return packing === Packing ? inflateRawSync(bytes, { dictionary }) : bytes
}
