import { createCipheriv, hkdfSync, randomBytes } from "node:crypto"

/** An answer to a message, sealed under that message's secret as clients seal it. */
export function sealed(
  use: string,
  plaintext: Uint8Array,
  about: { original: string; secret: Uint8Array; creator: string; responder: string; bound?: boolean },
) {
  const { original, secret, creator, responder, bound = true } = about
  const key = hkdfSync("sha256", secret, Buffer.alloc(0), `${original}${creator}${responder}${use}`, 32)
  const encIv = randomBytes(12)
  const cipher = createCipheriv("aes-256-gcm", Buffer.from(key), encIv)
  if (bound) cipher.setAAD(Buffer.from(`${original}\0${responder}`))
  return { encPayload: Buffer.concat([cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]), encIv }
}
