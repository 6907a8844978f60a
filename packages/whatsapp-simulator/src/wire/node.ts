import { randomBytes } from "node:crypto"
import type { BinaryNode } from "@whiskeysockets/baileys"
import { TOKEN_MAP } from "@whiskeysockets/baileys/lib/WABinary/constants.js"

/** A stanza or a part of one: tag, attributes, content. */
export type Node = BinaryNode

type Attrs = Record<string, string | number | undefined>

/** A node; attributes that are undefined are left out, numbers become their digits. */
export function el(tag: string, attrs: Attrs = {}, content?: Node["content"]): Node {
  const written: Record<string, string> = {}
  for (const [name, value] of Object.entries(attrs)) if (value !== undefined) written[name] = String(value)
  return content === undefined ? { tag, attrs: written } : { tag, attrs: written, content }
}

/** For a stanza of the network's or a phone's, so that its answer can be told. */
export function newStanzaId(): string {
  return randomBytes(6).toString("hex").toUpperCase()
}

/** The child nodes, none when the content is bytes or text. */
export function children(node: Node | undefined): Node[] {
  return Array.isArray(node?.content) ? node.content : []
}

/** The first child, of this tag if one is given. */
export function child(node: Node | undefined, tag?: string): Node | undefined {
  return children(node).find((one) => tag === undefined || one.tag === tag)
}

/** The content as bytes; undefined when there is none. */
export function bytes(node: Node | undefined): Buffer | undefined {
  const content = node?.content
  if (typeof content === "string") return Buffer.from(content, "utf8")
  if (content instanceof Uint8Array) return Buffer.from(content)
  return undefined
}

/** The content as a big-endian number, as ids of keys are written. */
export function uint(node: Node | undefined): number | undefined {
  const content = bytes(node)
  return content && content.length > 0 && content.length <= 6
    ? content.readUIntBE(0, content.length)
    : undefined
}

/** A number as big-endian bytes. */
export function bigEndian(value: number, length: number): Buffer {
  const out = Buffer.alloc(length)
  out.writeUIntBE(value, 0, length)
  return out
}

/**
 * The encoder looks words up in this object to write them short. It takes names that every object inherits
 * for such words: `constructor`, which any stranger may call a message, would be written as nothing. Without
 * a prototype the object inherits nothing.
 */
export function dropInheritedTokens(): void {
  Object.setPrototypeOf(TOKEN_MAP, null)
}
