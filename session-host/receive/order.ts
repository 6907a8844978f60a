import type { BinaryNode } from "@whiskeysockets/baileys"

/** How long the head of the queue may take, in ms: longer than a session waits for its store before it closes the socket. */
const patienceMs = 30_000
/** How much may wait before the network is read no further: stanzas, and bytes in them. Half of it is read on at. */
const most = { stanzas: 200, bytes: 8_000_000 }

interface Message {
  node: BinaryNode
  bytes: number
  waiting: Set<Uint8Array>
  settled: PromiseWithResolvers<void>
}

type Arrival = Message | { tell: () => void; bytes: number }

interface Hooks {
  /** Called with a message that took so long that the stanzas after it go first. */
  onStuck: (node: BinaryNode) => void
  /** Called when so much waits that nothing more should be read until the promise resolves. */
  onFull: (until: Promise<void>) => void
}

/** The stanzas that have arrived, in order, until Baileys is through with them. */
export interface UnsettledStanzas {
  /** A message stanza has arrived. */
  message: (node: BinaryNode) => void
  /** The stanza that this ciphertext came in. */
  stanzaOf: (ciphertext: Uint8Array) => BinaryNode | undefined
  /** This ciphertext is done with for now. */
  settled: (ciphertext: Uint8Array) => void
  /** This message is done with for now, whether or not it was decrypted. */
  dropped: (node: BinaryNode) => void
  /** Resolves when all ciphertexts of this message are settled. */
  whenSettled: (node: BinaryNode) => Promise<void> | undefined
  /** Calls back when all messages that arrived before this stanza are settled. */
  afterThose: (node: BinaryNode, tell: () => void) => void
  /** Works at a stanza that waits for no message. It counts as waiting until the work is done. */
  whileWorking: (node: BinaryNode, work: () => Promise<unknown>) => Promise<void>
  /** Runs a question to the network on which a message may depend: the network is read until it has answered. */
  whileAsking: <Answer>(ask: () => Promise<Answer>) => Promise<Answer>
  /** One question more to the network is open, or one less (-1): any of them may be one that such work depends on. */
  asked: (change: 1 | -1) => void
  /** Forgets everything. */
  end: () => void
}

/** Messages are read in their own time. Stanzas that arrive after them are told after them. */
export function newUnsettledStanzas({ onStuck, onFull }: Hooks): UnsettledStanzas {
  const byCiphertext = new WeakMap<Uint8Array, Message>()
  const byNode = new WeakMap<BinaryNode, Message>()
  let queue: Arrival[] = []
  let bytes = 0
  /** Stanzas that are worked at beside the queue: the size of each stanza, and of all. */
  const work = { stanzas: new Set<{ bytes: number }>(), bytes: 0 }
  /** Open questions to the network that a message may depend on, and all. */
  const open = { forMessages: 0, all: 0 }
  let full: PromiseWithResolvers<void> | undefined
  let timer: NodeJS.Timeout | undefined

  const isTooMuch = (waiting: { stanzas: number; bytes: number }) => {
    const share = full ? 1 / 2 : 1
    return waiting.stanzas > share * most.stanzas || waiting.bytes > share * most.bytes
  }
  const isOver = () => {
    if (open.forMessages > 0) return false
    if (isTooMuch({ stanzas: queue.length, bytes })) return true
    return open.all === 0 && isTooMuch({ stanzas: work.stanzas.size, bytes: work.bytes })
  }
  const look = () => {
    const over = isOver()
    if (over && !full) {
      full = Promise.withResolvers()
      onFull(full.promise)
    }
    if (over || !full) return
    full.resolve()
    full = undefined
  }
  const push = (arrival: Arrival) => {
    queue.push(arrival)
    bytes += arrival.bytes
    // Behind another it waits.
    if (queue.length === 1) advance()
    look()
  }
  const advance = () => {
    clearTimeout(timer)
    for (let head = queue[0]; head; head = queue[0]) {
      if ("waiting" in head && head.waiting.size > 0) break
      queue.shift()
      bytes -= head.bytes
      if ("tell" in head) head.tell()
    }
    // Baileys drops a malformed message without a word. It must not hold up the rest for ever.
    if (queue.length > 0) timer = setTimeout(giveUp, patienceMs).unref()
    look()
  }
  const settle = (message: Message | undefined, ciphertexts: Iterable<Uint8Array>) => {
    if (!message) return
    for (const ciphertext of ciphertexts) message.waiting.delete(ciphertext)
    if (message.waiting.size === 0) message.settled.resolve()
    advance()
  }
  const giveUp = () => {
    const [head] = queue
    if (!head || !("waiting" in head)) return
    onStuck(head.node)
    settle(head, [...head.waiting])
  }

  return {
    message(node) {
      const ciphertexts = ciphertextsOf(node)
      // Baileys gets it in its turn, and then it is read.
      if (ciphertexts.length === 0) return push({ tell: () => {}, bytes: sizeOf(node) })
      const message = {
        node,
        bytes: sizeOf(node),
        waiting: new Set(ciphertexts),
        settled: Promise.withResolvers<void>(),
      }
      byNode.set(node, message)
      for (const ciphertext of ciphertexts) byCiphertext.set(ciphertext, message)
      push(message)
    },
    stanzaOf: (ciphertext) => byCiphertext.get(ciphertext)?.node,
    settled: (ciphertext) => settle(byCiphertext.get(ciphertext), [ciphertext]),
    dropped(node) {
      const message = byNode.get(node)
      settle(message, [...(message?.waiting ?? [])])
    },
    whenSettled: (node) => byNode.get(node)?.settled.promise,
    afterThose: (node, tell) => push({ tell, bytes: sizeOf(node) }),
    async whileWorking(node, done) {
      const one = { bytes: sizeOf(node) }
      work.stanzas.add(one)
      work.bytes += one.bytes
      look()
      try {
        await done()
      } finally {
        if (work.stanzas.delete(one)) work.bytes -= one.bytes
        look()
      }
    },
    async whileAsking(ask) {
      open.forMessages++
      look()
      try {
        return await ask()
      } finally {
        open.forMessages--
        look()
      }
    },
    asked(change) {
      open.all += change
      look()
    },
    end() {
      clearTimeout(timer)
      queue = []
      bytes = 0
      work.stanzas.clear()
      work.bytes = 0
      look()
    },
  }
}

/** About as many bytes as a stanza has on the wire. */
function sizeOf({ tag, attrs, content }: BinaryNode): number {
  let bytes = tag.length
  for (const [name, value] of Object.entries(attrs)) bytes += name.length + value.length
  if (Array.isArray(content)) for (const child of content) bytes += sizeOf(child)
  else if (content) bytes += content.length
  return bytes
}

/** The ciphertexts that will reach the repository. */
function ciphertextsOf(node: BinaryNode): Uint8Array[] {
  if (!Array.isArray(node.content)) return []
  const encrypted = node.content.filter(({ tag }) => tag === "enc")
  // Baileys refuses such a message whole.
  if (encrypted[0]?.attrs.type === "msmsg") return []
  return encrypted.flatMap(({ attrs, content }) =>
    kinds.has(attrs.type ?? "") && content instanceof Uint8Array ? [content] : [],
  )
}

const kinds = new Set(["pkmsg", "msg", "skmsg"])
