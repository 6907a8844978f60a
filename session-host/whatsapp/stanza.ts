import type { BinaryNode } from "@whiskeysockets/baileys"
import type { Stanza } from "../network/stanza.ts"

export function hasChild(node: BinaryNode, tag: string): boolean {
  return Array.isArray(node.content) && node.content.some((child) => child.tag === tag)
}

/** Copies of the node's children of this name, in plain data. */
export function childrenNamed({ content }: BinaryNode, tag: string): Stanza[] {
  return Array.isArray(content) ? content.filter((child) => child.tag === tag).map(toStanza) : []
}

/** A copy of the node in plain data. */
export function toStanza(node: BinaryNode): Stanza {
  const { tag, attrs, content } = node
  if (Array.isArray(content)) return { tag, attrs: { ...attrs }, children: content.map(toStanza) }
  if (content === undefined) return { tag, attrs: { ...attrs }, children: [] }
  return { tag, attrs: { ...attrs }, children: [], bytes: Buffer.from(content) }
}

/** The stanza as a node of Baileys. */
export function toNode({ tag, attrs, children, bytes }: Stanza): BinaryNode {
  return { tag, attrs, content: children.length > 0 ? children.map(toNode) : bytes }
}
