import { randomBytes } from "node:crypto"
import { el, type Node } from "../wire/node.ts"

/** The ways in which a stanza can be malformed. */
export const wrongs = ["bare", "unnamed", "twice", "huge", "words", "bytes", "nothing"] as const
export type Wrong = (typeof wrongs)[number]

/** The stanza, malformed in this way. */
export function malformed(stanza: Node, wrong: Wrong): Node {
  const { tag, attrs, content } = stanza
  const parts = Array.isArray(content) ? content : []
  switch (wrong) {
    // Without the attributes of its parts.
    case "bare":
      return el(
        tag,
        attrs,
        parts.map(({ tag: name }) => el(name)),
      )
    // Without its own attributes, but for the type.
    case "unnamed":
      return el(tag, { type: attrs.type }, content)
    case "twice":
      return el(tag, attrs, [...parts, ...parts])
    case "huge":
      return el(
        tag,
        attrs,
        parts.map((part) => grown(part)),
      )
    // A word for each number and address, and the other way round.
    case "words":
      return el(
        tag,
        { ...attrs, t: "soon", notify: "7", participant: "somebody", participant_pn: "12" },
        parts.map((part) => misspelt(part)),
      )
    case "bytes":
      return el(tag, attrs, randomBytes(50))
    case "nothing":
      return el(tag, attrs)
  }
}

/** Longer than any attribute of a real stanza. */
const huge = "9".repeat(20_000)

function grown({ tag, attrs, content }: Node): Node {
  const large = Object.fromEntries(Object.keys(attrs).map((name) => [name, huge]))
  return el(tag, { ...large, more: huge }, Array.isArray(content) ? content.map(grown) : content)
}

function misspelt({ tag, attrs, content }: Node): Node {
  const wrong = Object.entries(attrs).map(([name, value]) => [name, /^\d+$|@/.test(value) ? "word" : "7@lid"])
  const inner = Array.isArray(content) ? content.map(misspelt) : Buffer.from('{"data":[]}')
  return el(tag, Object.fromEntries(wrong), inner)
}
