import { children, type Node } from "../wire/node.ts"

/** How many parts of a list the log keeps. */
const mostParts = 1000

/** A stanza without its bytes, small enough to keep: bytes become their length. */
export interface Outline {
  tag: string
  attrs: Record<string, string>
  content?: Outline[] | string | number
}

/** One thing that happened, `in` and `out` as seen from the network. */
export interface Entry {
  n: number
  /** Unix milliseconds, with their fraction: much that happens here takes less than one. */
  at: number
  kind: "in" | "out" | "note"
  /** `number:device`, or the connection's name before it is a device. */
  who: string
  stanza?: Outline
  /** More about a note. */
  event?: string
  detail?: Record<string, unknown>
}

/** The stanzas that the network took and sent: the newest `keep` entries, for tests and the curious. */
export type StanzaLog = ReturnType<typeof create>

export function create(keep = 10_000) {
  let entries: Entry[] = []
  let n = 0
  const listeners = new Set<() => void>()

  const append = (entry: Omit<Entry, "n" | "at">) => {
    entries.push({ n: ++n, at: performance.timeOrigin + performance.now(), ...entry })
    if (entries.length > 2 * keep) entries = entries.slice(-keep)
    for (const listener of listeners) listener()
  }
  return {
    stanza: (kind: "in" | "out", who: string, node: Node) => append({ kind, who, stanza: outline(node) }),
    note: (who: string, event: string, detail: Record<string, unknown> = {}) =>
      append({ kind: "note", who, event, detail }),
    /** Entries after number `after`, oldest first. */
    after: (after: number): Entry[] => {
      const first = entries[0]?.n ?? 1
      return entries.slice(Math.max(0, after + 1 - first))
    },
    /** Calls back after each new entry, until the returned function is called. */
    listen(listener: () => void): () => void {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

function outline(node: Node): Outline {
  const { tag, attrs, content } = node
  if (content === undefined) return { tag, attrs }
  if (typeof content === "string") return { tag, attrs, content }
  if (content instanceof Uint8Array) return { tag, attrs, content: content.length }
  return { tag, attrs, content: children(node).slice(0, mostParts).map(outline) }
}
