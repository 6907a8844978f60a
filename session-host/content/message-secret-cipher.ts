import { createDecipheriv, hkdfSync } from "node:crypto"

/** Content that is sealed under the secret of the message it refers to. */
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
   * Every address of that message's author and of the one who answers: clients do not agree on which to use.
   */
  creators: string[]
  responders: string[]
}

/** The plaintext; undefined when no pair of addresses opens it. */
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
    // The tag says that it is not this pair.
    return undefined
  }
}
