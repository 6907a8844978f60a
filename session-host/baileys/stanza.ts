import { type BinaryNode, decodeMessageNode, proto, type AuthenticationCreds } from "@whiskeysockets/baileys"
import { isGroup } from "#core/jid.ts"
import type { Stanza } from "../network/connection.ts"

/** The kinds of notification that may become an event, besides the news of groups (`receive/group-news.ts`). The others are for Baileys alone. */
const notifications = new Set(["picture"])

/** Whether this stanza may become an event, and is no message. */
export function mayBecomeEvent(node: BinaryNode): boolean {
  switch (node.tag) {
    case "call":
    case "presence":
    case "chatstate":
      return true
    case "notification":
      return notifications.has(node.attrs.type ?? "") && !isGroup(node.attrs.from ?? "")
    case "ib":
      return hasChild(node, "offline_preview") || hasChild(node, "offline")
    default:
      return false
  }
}

/**
 * Whether a message says that it may have come before: the network marks what it delivers again (`offline`), and a sender
 * what they encrypt again when asked (`count`).
 */
export function saysAgain({ attrs, content }: BinaryNode): boolean {
  if (attrs.offline !== undefined) return true
  return (
    Array.isArray(content) && content.some((child) => child.tag === "enc" && child.attrs.count !== undefined)
  )
}

export function hasChild(node: BinaryNode, tag: string): boolean {
  return Array.isArray(node.content) && node.content.some((child) => child.tag === tag)
}

/** A copy of the node in plain data. */
export function toStanza(node: BinaryNode): Stanza {
  const { tag, attrs, content } = node
  if (Array.isArray(content)) return { tag, attrs: { ...attrs }, children: content.map(toStanza) }
  if (content === undefined) return { tag, attrs: { ...attrs }, children: [] }
  return { tag, attrs: { ...attrs }, children: [], bytes: Buffer.from(content) }
}

/** The stanza as a node of Baileys' again. */
export function toNode({ tag, attrs, children, bytes }: Stanza): BinaryNode {
  return { tag, attrs, content: children.length > 0 ? children.map(toNode) : bytes }
}

/** Whether Baileys comes as far as to decrypt this message. It drops what it cannot parse, and reports that to nobody. */
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
