export * as StanzaSkeleton from "./stanza-skeleton.ts"

/** A node of the network's binary XML, as every library has it. */
interface Node {
  tag: string
  attrs: Record<string, string>
  content?: Node[] | string | Uint8Array | undefined
}

/** More than any real stanza has: levels, and different parts of one node. */
const most = { depth: 10, parts: 60 }

/** Attributes whose values are words of the protocol, and say what a stanza is. */
const worded = new Set([
  "type",
  "class",
  "xmlns",
  "category",
  "mode",
  "context",
  "stage",
  "state",
  "reason",
  "edit",
  "v",
  "addressing_mode",
  "mediatype",
  "decrypt-fail",
  "op_name",
  "link_type",
  "unlink_type",
])

/**
 * The structure of a stanza, without its content: one fact for each tag, by its path, and one for each
 * attribute, with the shape of its value. `notification[w:gp2]/add` is a tag within another,
 * `notification[w:gp2] @from=@g.us` an attribute. Facts hold nothing about a person: numbers are 0, names and
 * texts are `text`, bytes are left out.
 */
export function factsOf(node: Node): string[] {
  const facts = new Set<string>()
  add(node, "", facts, most.depth)
  return [...facts]
}

function add({ tag, attrs, content }: Node, above: string, facts: Set<string>, depth: number): void {
  const kind = attrs.type === undefined ? "" : `[${wordOf(attrs.type)}]`
  const path = `${above}${wordOf(tag)}${kind}`
  facts.add(path)
  for (const [name, value] of Object.entries(attrs))
    if (name !== "type") facts.add(`${path} @${wordOf(name)}=${shapeOf(name, value)}`)
  if (typeof content === "string" || content instanceof Uint8Array) facts.add(`${path} bytes`)
  if (!Array.isArray(content) || depth === 0) return
  const before = facts.size
  for (const part of content) {
    if (facts.size - before > most.parts) return
    add(part, `${path}/`, facts, depth - 1)
  }
}

/** Ids are random, and some happen to be all digits. */
const ids = new Set(["id", "call-id", "sid", "key", "hash"])

/** The servers of addresses. Another word after an `@` may be part of a person's name. */
const servers = new Set([
  "s.whatsapp.net",
  "c.us",
  "lid",
  "g.us",
  "broadcast",
  "newsletter",
  "bot",
  "hosted",
  "hosted.lid",
  "interop",
  "msgr",
  "call",
])

function shapeOf(name: string, value: string): string {
  if (ids.has(name)) return "any"
  if (value === "") return "empty"
  if (/^-?\d+$/.test(value)) return worded.has(name) && value.length < 4 ? value : "0"
  const at = value.lastIndexOf("@")
  if (at >= 0 && servers.has(value.slice(at + 1))) return value.slice(at)
  return worded.has(name) ? wordOf(value) : "text"
}

/** A word of the protocol; longer texts are left out, and digits are 0. */
function wordOf(text: string): string {
  const word = text.replaceAll(/\d+/g, "0")
  return /^[a-zA-Z0][\w:.-]{0,60}$/.test(word) ? word : "…"
}
