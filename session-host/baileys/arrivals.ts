import type { BinaryNode } from "@whiskeysockets/baileys"

/** Longer than a session waits for its store before it closes the socket. */
const patienceMs = 30_000

type Arrival = { ciphertexts: Set<Uint8Array> } | { tell: () => void }

/** What has arrived and is not told yet. */
export interface Arrivals {
  /** A message stanza has arrived. */
  message: (node: BinaryNode) => void
  /** The stanza that this ciphertext came in. */
  stanzaOf: (ciphertext: Uint8Array) => BinaryNode | undefined
  /** Nothing more will become of this ciphertext now. */
  settled: (ciphertext: Uint8Array) => void
  /** Calls back when all messages that arrived before are settled. */
  afterThose: (tell: () => void) => void
  /** Forgets everything. */
  end: () => void
}

/** Keeps other stanzas behind the messages that arrived before them: those are decrypted and journalled in their own time. */
export function newArrivals(): Arrivals {
  const stanzas = new WeakMap<Uint8Array, { node: BinaryNode; waiting: Set<Uint8Array> }>()
  let queue: Arrival[] = []
  let timer: NodeJS.Timeout | undefined

  const advance = () => {
    clearTimeout(timer)
    for (let head = queue[0]; head; head = queue[0]) {
      if ("ciphertexts" in head && head.ciphertexts.size > 0) break
      queue.shift()
      if ("tell" in head) head.tell()
    }
    // A malformed message is dropped by Baileys before anyone hears of it; it must not hold up the rest for ever.
    if (queue.some((arrival) => "tell" in arrival)) timer = setTimeout(giveUp, patienceMs).unref()
  }
  const giveUp = () => {
    queue.shift()
    advance()
  }

  return {
    message(node) {
      const ciphertexts = ciphertextsOf(node)
      if (ciphertexts.length === 0) return
      const waiting = new Set(ciphertexts)
      for (const ciphertext of ciphertexts) stanzas.set(ciphertext, { node, waiting })
      queue.push({ ciphertexts: waiting })
    },
    stanzaOf: (ciphertext) => stanzas.get(ciphertext)?.node,
    settled(ciphertext) {
      stanzas.get(ciphertext)?.waiting.delete(ciphertext)
      advance()
    },
    afterThose(tell) {
      queue.push({ tell })
      advance()
    },
    end() {
      clearTimeout(timer)
      queue = []
    },
  }
}

/** Those of a kind that reach the repository. */
function ciphertextsOf(node: BinaryNode): Uint8Array[] {
  if (!Array.isArray(node.content)) return []
  return node.content.flatMap(({ tag, attrs, content }) =>
    tag === "enc" && kinds.has(attrs.type ?? "") && content instanceof Uint8Array ? [content] : [],
  )
}

const kinds = new Set(["pkmsg", "msg", "skmsg"])
