import { createHmac } from "node:crypto"

/** The key that signs for a day, a region and a service (AWS Signature Version 4). */
export function signingKey(secret: string, scope: string[]): string | Buffer {
  return scope.reduce<string | Buffer>((key, word) => hmac(key, word), `AWS4${secret}`)
}

export function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest()
}
