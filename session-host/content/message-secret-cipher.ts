import { createDecipheriv, hkdfSync } from "node:crypto"

/** The uses of content that is sealed under the secret of the message to which it refers. */
export type SecretUse =
  | "Poll Vote"
  | "Event Response"
  | "Enc Reaction"
  | "Event Edit"
  | "Message Edit"
  | "Poll Edit"
  | "Poll Add Option"

/** The kinds whose ciphertext is bound to its sender. */
const bound = new Set<SecretUse>(["Poll Vote", "Event Response"])

interface Sealed {
  use: SecretUse
  encPayload: Uint8Array
  encIv: Uint8Array
  /** The message that it refers to. */
  id: string
  secret: Uint8Array
  /**
   * Every address of that message's author and of the person who answers: clients do not agree on which one
   * to use.
   */
  creators: string[]
  responders: string[]
}

/** The plaintext; undefined if no pair of addresses opens the ciphertext. */
export function openSealed(sealed: Sealed): Buffer | undefined {
  for (const creator of sealed.creators)
    for (const responder of sealed.responders) {
      const opened = open(sealed, creator, responder)
      if (opened) return opened
    }
  return undefined
}

/** The key is derived as WhatsApp Web and whatsmeow (`msgsecret.go`) do it. */
function open(sealed: Sealed, creator: string, responder: string): Buffer | undefined {
  const { use, encPayload, encIv, id, secret } = sealed
  const key = hkdfSync("sha256", secret, Buffer.alloc(32), `${id}${creator}${responder}${use}`, 32)
  const decipher = createDecipheriv("aes-256-gcm", Buffer.from(key), encIv)
  if (bound.has(use)) decipher.setAAD(Buffer.from(`${id}\0${responder}`))
  decipher.setAuthTag(encPayload.subarray(-16))
  const opened = decipher.update(encPayload.subarray(0, -16))
  try {
    return Buffer.concat([opened, decipher.final()])
  } catch {
    // The tag does not match, so it is not this pair of addresses.
    return undefined
  }
}
