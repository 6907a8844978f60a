/** A node of the network's binary XML, as plain data. */
export interface Stanza {
  tag: string
  attrs: Record<string, string>
  children: Stanza[]
  /** The content of a node without children. */
  bytes?: Uint8Array
}

/** A node for a question. Its content is nodes, text or bytes. */
export function el(
  tag: string,
  attrs: Record<string, string> = {},
  content: Stanza[] | string | Uint8Array = [],
): Stanza {
  if (Array.isArray(content)) return { tag, attrs, children: content }
  return { tag, attrs, children: [], bytes: Buffer.from(content) }
}

export function child(stanza: Stanza | undefined, tag: string): Stanza | undefined {
  return stanza?.children.find((each) => each.tag === tag)
}

export function childrenOf(stanza: Stanza | undefined, tag: string): Stanza[] {
  return stanza?.children.filter((each) => each.tag === tag) ?? []
}

/** The text of a node; `""` if it has none. */
export function textOf(stanza: Stanza | undefined): string {
  return stanza?.bytes ? Buffer.from(stanza.bytes).toString() : ""
}
