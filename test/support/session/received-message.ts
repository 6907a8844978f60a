import { createHash, randomBytes } from "node:crypto"
import { proto, writeRandomPadMax16 } from "@whiskeysockets/baileys"
import type { Received } from "#session-host/network/connection.ts"

/** A message stanza as decryption leaves it. */
export function aReceivedMessage(
  input: { text?: string; id?: string; attrs?: Record<string, string>; plaintext?: Uint8Array } = {},
): Received {
  const message = proto.Message.encode({ conversation: input.text ?? "hello" }).finish()
  return {
    // Each encryption yields another ciphertext.
    hash: createHash("sha256").update(randomBytes(16)).digest("hex"),
    attrs: {
      id: input.id ?? randomBytes(8).toString("hex").toUpperCase(),
      from: "491710000001@s.whatsapp.net",
      t: "1800000000",
      notify: "Bob",
      type: "text",
      ...input.attrs,
    },
    plaintext: input.plaintext ?? writeRandomPadMax16(message),
  }
}
