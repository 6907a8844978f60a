import { LRUCache } from "lru-cache"
import { bytes, child, children, type Node } from "../wire/node.ts"

/** How many chains of keys are remembered: each answer of a conversation begins another. */
const remembered = 100_000

/**
 * The keys that messages were encrypted with, as their ciphertexts say. A key that comes twice is that of a
 * sender who went back to an older state of a ratchet: an eavesdropper who has both ciphertexts learns
 * something of both messages.
 */
export type UsedKeys = ReturnType<typeof create>

/** The numbers below `next` were used, except those that are missing. */
interface Chain {
  next: number
  missing: Set<number>
}

export function create() {
  const chains = new LRUCache<string, Chain>({ max: remembered })

  function isFirst(name: string, number: number): boolean {
    const chain = chains.get(name) ?? { next: 0, missing: new Set() }
    chains.set(name, chain)
    if (number < chain.next) return chain.missing.delete(number)
    for (; chain.next < number; chain.next++) chain.missing.add(chain.next)
    chain.next++
    return true
  }

  return {
    /** The keys of a message that its sender has used before. */
    again(sender: string, stanza: Node): string[] {
      return ciphertextsIn(stanza).flatMap((ciphertext) => {
        const used = keyOf(ciphertext)
        if (!used || isFirst(`${sender} ${used.chain}`, used.number)) return []
        return [`${used.chain} ${used.number}`]
      })
    },
  }
}

function ciphertextsIn(stanza: Node): Node[] {
  const direct = children(stanza).filter(({ tag }) => tag === "enc")
  return [...direct, ...children(child(stanza, "participants")).flatMap(ciphertextsIn)]
}

/**
 * Numbers of fields of Signal's `PreKeySignalMessage`, and of `SignalMessage` and `SenderKeyMessage`, which
 * are alike here.
 */
const field = { message: 4, chain: 1, number: 2 }
/** What follows the fields: a MAC, or a signature. */
const tail: Record<string, number> = { msg: 8, skmsg: 64 }

/** @returns undefined where it is none of Signal's messages */
function keyOf(ciphertext: Node): { chain: string; number: number } | undefined {
  const { type = "" } = ciphertext.attrs
  const body = bytes(ciphertext)
  const inner = type === "pkmsg" && body ? fieldsOf(body.subarray(1)).get(field.message) : body
  const end = tail[type === "pkmsg" ? "msg" : type]
  if (!(inner instanceof Uint8Array) || end === undefined) return undefined
  const fields = fieldsOf(inner.subarray(1, -end))
  const [chain, number] = [fields.get(field.chain), fields.get(field.number)]
  if (chain === undefined || typeof number !== "number") return undefined
  return {
    chain: typeof chain === "number" ? `${type} ${chain}` : Buffer.from(chain).toString("base64"),
    number,
  }
}

/** The fields of a protobuf that are numbers or bytes, as far as it can be read. */
function fieldsOf(protobuf: Uint8Array): Map<number, number | Uint8Array> {
  const found = new Map<number, number | Uint8Array>()
  let at = 0
  const number = () => {
    let value = 0
    for (let scale = 1; at < protobuf.length; scale *= 128) {
      const byte = protobuf[at++]!
      value += (byte & 127) * scale
      if (byte < 128) break
    }
    return value
  }
  while (at < protobuf.length) {
    const tag = number()
    const [name, kind] = [Math.floor(tag / 8), tag % 8]
    if (kind !== 0 && kind !== 2) break
    const value = number()
    found.set(name, kind === 0 ? value : protobuf.subarray(at, (at += value)))
  }
  return found
}
