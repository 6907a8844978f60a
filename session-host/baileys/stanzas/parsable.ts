import { decodeMessageNode, proto, type AuthenticationCreds, type BinaryNode } from "@whiskeysockets/baileys"

/** Whether Baileys comes as far as to decrypt this message. It drops what it cannot parse, and tells nobody. */
export function isParsable(node: BinaryNode, me: AuthenticationCreds["me"]): boolean {
  try {
    decodeMessageNode(node, me?.id ?? "", me?.lid ?? "")
    for (const { tag, content } of Array.isArray(node.content) ? node.content : []) {
      if (tag !== "verified_name" || !(content instanceof Uint8Array)) continue
      const { details } = proto.VerifiedNameCertificate.decode(content)
      proto.VerifiedNameCertificate.Details.decode(details ?? Buffer.alloc(0))
    }
    return true
  } catch {
    // Baileys' own parser throws the same error.
    return false
  }
}
